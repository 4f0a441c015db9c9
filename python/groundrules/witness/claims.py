"""Whether a claim cites what its contract asks for, in each direction (contracts.check)."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from groundrules.witness.rule import is_compatible, stored_flags
from groundrules.witness.scope import Scope, Turns
from groundrules.witness.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from groundrules.strictjson import JSON
    from groundrules.witness.contract import Contract, Predicate
    from groundrules.witness.record import Claim, Record, Ref

FAIL: Final = "APPLICABLE_FAIL"
PASS: Final = "APPLICABLE_PASS"  # noqa: S105 - the name of a state
NOT_APPLICABLE: Final = "NOT_APPLICABLE"
ABSENCE: Final = "TYPED_ABSENCE"
NO_WITNESS: Final = "no_witnessing_ref"
NO_AGENT: Final = "no_agent_ref"
_BASES: Final = {
    "native": ("declared_applicability",),
    "converter": ("declared_applicability", "premise_gate", "observed_null", "checker"),
}


@dataclass(frozen=True, slots=True)
class Unmet:
    """One thing that a claim's contract asks for and does not get.

    Attributes:
        token: what it is, as records say it.
        closest: the id of the ref that came closest, or None where none came near.
        why: why that one does not do, or what there is instead.
    """

    token: str
    closest: str | None
    why: str

    def as_dict(self) -> dict[str, JSON]:
        """As data."""
        return {"token": self.token, "closest": self.closest, "why": self.why}


@dataclass(frozen=True, slots=True)
class Check:
    """A claim against its contract.

    Attributes:
        status: ``met``, ``unmet`` or ``not_declared``.
        unmet: what is not there.
        eligible: the ids of the refs of its evidence that count for its contract, in their order.
        witnessing: those of them that witness.
    """

    status: str
    unmet: tuple[Unmet, ...] = ()
    eligible: tuple[str, ...] = ()
    witnessing: tuple[str, ...] = ()

    @property
    def tokens(self) -> tuple[str, ...]:
        """What is not there, as records say it."""
        return tuple(entry.token for entry in self.unmet)


class Contracts:
    """The contracts of one record, and its claims against them."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._flags = stored_flags(record)
        self._refs = record.known_refs()
        self._predicates = record.known_predicates()
        self._turns = Turns(record)
        self._by_kind: dict[str, list[Ref]] = {}
        for ref in record.refs:
            self._by_kind.setdefault(ref.kind, []).append(ref)

    def predicate_of(self, claim: Claim) -> Predicate | None:
        """The predicate of a claim, or None where it is not declared once."""
        return self._predicates.get(claim.predicate)

    def bases_of(self, claim: Claim) -> tuple[str, ...]:
        """What a claim that something does not apply may rest on (contracts.not-applicable)."""
        predicate = self.predicate_of(claim)
        if predicate is not None and predicate.not_applicable_basis is not None:
            return predicate.not_applicable_basis
        return _BASES[str(self._record.stated.get("producer_kind", "native"))]

    def check(self, claim: Claim) -> Check | None:
        """A claim against its contract, or None where its state has no direction (contracts.directions)."""
        predicate = self.predicate_of(claim)
        match claim.state:
            case "NOT_APPLICABLE":
                return self._not_applicable(claim)
            case "APPLICABLE_FAIL" | "APPLICABLE_PASS":
                contract = None if predicate is None else predicate.contract
                if predicate is None or contract is None:
                    return self._undeclared(claim, predicate)
                return self._applicable(claim, predicate, contract)
        return None

    def _not_applicable(self, claim: Claim) -> Check:
        allowed = self.bases_of(claim)
        match claim.parameters.get("applicability_basis"):
            case {"source": str(source)} if source in allowed:
                return Check("met")
        return Check("unmet", (Unmet("not_applicable_basis", None, f"it is none of {', '.join(allowed)}"),))

    def _undeclared(self, claim: Claim, predicate: Predicate | None) -> Check:
        """A claim without a contract: W1 is asked all the same where the polarity is known."""
        found = _Evidence(self, claim, Scope(None, claim.turns))
        asked = predicate is not None and needs_witness(claim, predicate)
        return found.checked("not_declared", found.without_witness(frozenset()) if asked else ())

    def _applicable(self, claim: Claim, predicate: Predicate, contract: Contract) -> Check:
        asked = contract if claim.state == FAIL else predicate.pass_contract
        scope = contract.scope if asked is None else asked.scope
        found = _Evidence(self, claim, self._turns.scope_of(claim, scope, self.cited(claim)))
        unmet = [*found.default_unmet(predicate.polarity)] if asked is None else [*found.unmet(asked)]
        forbidden = contract.forbid_as_agent_proof if asked is None else asked.forbid_as_agent_proof
        if needs_witness(claim, predicate):
            unmet += found.without_witness(forbidden)
        return found.checked("unmet" if unmet else "met", unmet, forbidden)

    def cited(self, claim: Claim) -> list[Ref]:
        """The refs of a claim's evidence, each once, in their order; an id that no one ref has is cited in vain."""
        return [self._refs[ref_id] for ref_id in dict.fromkeys(claim.evidence) if ref_id in self._refs]

    def is_known(self, ref_id: str) -> bool:
        """Whether one ref has an id."""
        return ref_id in self._refs

    def can_prove(self, ref: Ref) -> bool:
        """The computed flag of a ref."""
        return self._flags[ref.id]

    def elsewhere(self, claim: Claim, kinds: Iterable[str]) -> Ref | None:
        """The first ref of some kinds that a claim does not cite, or None."""
        cited = frozenset(claim.evidence)
        first = (next((ref for ref in self._by_kind.get(kind, ()) if ref.id not in cited), None) for kind in kinds)
        return min((ref for ref in first if ref is not None), key=attrgetter("index"), default=None)


class _Evidence:
    """What one claim cites, and what of it counts."""

    def __init__(self, contracts: Contracts, claim: Claim, scope: Scope) -> None:
        self._contracts, self._claim, self._scope = contracts, claim, scope
        self._cited = contracts.cited(claim)
        self._faults: Mapping[str, str | None] = {ref.id: self._fault(ref) for ref in self._cited}
        self._counting = [ref for ref in self._cited if self._faults[ref.id] is None]

    def checked(self, status: str, unmet: Iterable[Unmet], forbidden: frozenset[str] = frozenset()) -> Check:
        witnessing = tuple(ref.id for ref in self._counting if self._witness_fault(ref, forbidden) is None)
        return Check(status, tuple(unmet), tuple(ref.id for ref in self._counting), witnessing)

    def _fault(self, ref: Ref) -> str | None:
        """Why a ref counts for nothing, or None."""
        if not is_compatible(ref.kind, ref.source_type):
            return f"{ref.kind} does not come from {ref.source_type}"
        return self._scope.fault_of(ref)

    def _agent_fault(self, ref: Ref, forbidden: frozenset[str]) -> str | None:
        if ref.kind in forbidden:
            return f"{ref.kind} is forbidden as proof of what the agent did"
        return None if self._contracts.can_prove(ref) else "it cannot prove what the agent did"

    def _witness_fault(self, ref: Ref, forbidden: frozenset[str]) -> str | None:
        if fault := self._agent_fault(ref, forbidden):
            return fault
        return None if ref.anchor in vocabulary().witnessing_anchors else f"its anchor, {ref.anchor}, does not witness"

    def unmet(self, contract: Contract) -> Iterator[Unmet]:
        """What of a declared contract is not there, in the order of contracts.tokens."""
        everything = [ref for ref in self._cited if is_compatible(ref.kind, ref.source_type)]
        tokens = [*self._tokens(contract, self._counting)]
        yield from (self._explained(token, kinds, contract) for token, kinds in tokens)
        if self._scope.fault is not None:
            yield Unmet("scope", None, self._scope.fault)
        elif len([*self._tokens(contract, everything)]) < len(tokens):
            outside = [ref for ref in everything if self._faults[ref.id] is not None]
            yield Unmet("scope", outside[0].id, str(self._faults[outside[0].id]))
        if contract.counterevidence_required and not any(map(self._contracts.is_known, self._claim.counterevidence)):
            yield Unmet("counterevidence", None, "nothing is cited against it")

    def _tokens(self, contract: Contract, refs: list[Ref]) -> Iterator[tuple[str, frozenset[str]]]:
        """The tokens of what is not among some refs, each with the kinds that could have done."""
        kinds = {ref.kind for ref in refs}
        for kind in contract.require_all:
            if kind not in kinds:
                yield f"require_all:{kind}", frozenset((kind,))
        if contract.require_any is not None and not kinds.intersection(contract.require_any):
            yield "require_any", frozenset(contract.require_any)
        for number, group in enumerate(contract.require_groups, 1):
            if not any(self._serves(ref, group, contract) for ref in refs):
                yield f"group:{number}", frozenset(group)
        if len(refs) < contract.minimum_refs:
            yield "minimum_refs", frozenset(vocabulary().kinds)

    def _serves(self, ref: Ref, group: tuple[str, ...], contract: Contract) -> bool:
        """Whether a ref satisfies a group: W2 for one that names a kind which can prove (w2.groups)."""
        if ref.kind not in group:
            return False
        return not is_provable(group) or self._agent_fault(ref, contract.forbid_as_agent_proof) is None

    def _explained(self, token: str, kinds: frozenset[str], contract: Contract) -> Unmet:
        """A token with the ref that came closest: one that is cited and does not do, else one that is not cited."""
        if token == "minimum_refs":  # noqa: S105 - a token of another sort
            counted = f"{len(self._counting)} of {contract.minimum_refs} count"
            idle = [ref for ref in self._cited if self._faults[ref.id] is not None]
            return Unmet(token, idle[0].id if idle else None, counted)
        for ref in sorted(self._cited, key=lambda ref: self._faults[ref.id] is not None):
            if ref.kind in kinds:
                fault = self._faults[ref.id] or self._agent_fault(ref, contract.forbid_as_agent_proof)
                return Unmet(token, ref.id, str(fault))
        other = self._contracts.elsewhere(self._claim, kinds)
        if other is not None:
            return Unmet(token, other.id, "the claim does not cite it")
        return Unmet(token, None, f"the record has no {' or '.join(sorted(kinds))}" if kinds else "no kind would do")

    def default_unmet(self, polarity: str) -> Iterator[Unmet]:
        """What a passing claim lacks where no contract says what it has to cite (contracts.pass-default)."""
        if polarity != "safeguard":
            agents = [ref for ref in self._counting if self._contracts.can_prove(ref)]
            absences = [ref for ref in self._counting if ref.kind == ABSENCE and polarity == "risk"]
            if not agents and not absences:
                yield self._lacking(NO_AGENT, frozenset(), needs_anchor=False)
        if self._scope.fault is not None:
            yield Unmet("scope", None, self._scope.fault)

    def without_witness(self, forbidden: frozenset[str]) -> Iterator[Unmet]:
        """W1, as part of the contract (w1.witness)."""
        if all(self._witness_fault(ref, forbidden) is not None for ref in self._counting):
            yield self._lacking(NO_WITNESS, forbidden, needs_anchor=True)

    def _lacking(self, token: str, forbidden: frozenset[str], *, needs_anchor: bool) -> Unmet:
        """No ref proves anything: the one that is nearest to it."""
        fault_of = self._witness_fault if needs_anchor else self._agent_fault
        proving = [ref for ref in self._cited if fault_of(ref, forbidden) is None]  # and out of scope
        able = [ref for ref in self._cited if self._contracts.can_prove(ref)]
        for ref in (*proving, *able, *self._cited):
            return Unmet(token, ref.id, str(self._faults[ref.id] or fault_of(ref, forbidden)))
        return Unmet(token, None, "the claim cites no ref of the record")


def needs_witness(claim: Claim, predicate: Predicate) -> bool:
    """Whether W1 asks a witness of a claim: a failing risk, or a passing safeguard."""
    return (claim.state, predicate.polarity) in ((FAIL, "risk"), (PASS, "safeguard"))


def is_provable(group: Iterable[str]) -> bool:
    """Whether a group names a kind that can prove agent behaviour."""
    return any(vocabulary().kinds[kind].can_prove_agent_behaviour for kind in group)
