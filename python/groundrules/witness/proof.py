"""When a claim is proven (authority.proven)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.witness.bindings import binding_findings
from groundrules.witness.claims import FAIL, PASS, Contracts
from groundrules.witness.deciding import DETERMINISTIC, HUMAN, decider_of, deciders
from groundrules.witness.record import ids, objects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.strictjson import JSON
    from groundrules.witness.deciding import Decider
    from groundrules.witness.record import Claim, Record

SCORED = (FAIL, PASS)
"""The states that count; no other counts as a pass, or stands in a denominator (authority.scored)."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether a claim is proven.

    Attributes:
        claim: the claim.
        decider: who decided it.
        lacks: what is not there for it to be proven, a clause each; empty where it is.
    """

    claim: Claim
    decider: Decider
    lacks: tuple[str, ...]

    @property
    def status(self) -> str:
        """``PROVEN`` or ``UNPROVEN``."""
        return "UNPROVEN" if self.lacks else "PROVEN"

    def as_dict(self) -> dict[str, JSON]:
        """The status as data."""
        return {
            "claim": self.claim.id,
            "status": self.status,
            "decided_by": self.decider.kind,
            "basis": self.decider.basis,
            "lacks": [*self.lacks],
        }


class Proofs:
    """The proof status of every claim of a record."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self.contracts = Contracts(record)
        self._told = deciders(record)
        self._counted = Counter(claim.id for claim in record.claims)
        self._citations = _citations(record)
        self._unbound = _unbound(record)

    def all(self) -> list[Proof]:
        """One for each claim, in their order."""
        return [self.of(claim) for claim in self._record.claims]

    def of(self, claim: Claim) -> Proof:
        """The status of one claim."""
        decider = decider_of(claim, self._told)
        return Proof(claim, decider, tuple(self._lacks(claim, decider)))

    def is_signed(self, claim: Claim) -> bool:
        """Whether a claim's evidence has the sign-off of a named reviewer (a4.signoff)."""
        for ref in self.contracts.cited(claim):
            match ref.stated.get("output"):
                case {"reviewer": str(reviewer)} if reviewer and self.contracts.can_prove(ref):
                    if (ref.kind, ref.source_type) == ("HUMAN_SIGNOFF", "HUMAN_REVIEW"):
                        return True
        return False

    def _lacks(self, claim: Claim, decider: Decider) -> Iterator[str]:
        if claim.state not in SCORED:
            yield f"its state is {claim.state}"
            return
        if self._counted[claim.id] > 1:
            yield "another claim has its id"
        if decider.kind not in (DETERMINISTIC, HUMAN):
            yield "the log does not tell who decided it" if decider.kind is None else "an evaluator decided it"
        if decider.kind == HUMAN and not self.is_signed(claim):
            yield "no reviewer signed it"
        check = self.contracts.check(claim)
        if check is not None and check.status == "unmet":
            yield f"its contract is not met ({', '.join(check.tokens)})"
        cited = self._citations.get(claim.id, frozenset()) - self._unbound
        if check is None or not cited.intersection(check.witnessing):
            yield "no proof citation binds it to a ref of its evidence that counts and witnesses"
        parameters = claim.parameters
        if parameters.get("fidelity") != "exact" and parameters.get("recurrence") != "CONFIRMED":
            yield "it is not exact, and its recurrence is not confirmed"


def _unbound(record: Record) -> frozenset[str]:
    """The refs with which a rule P finds fault: what is not bound to what it names proves nothing."""
    places = [str(finding.at.pointer).split("/") for finding in binding_findings(record)]
    return frozenset(record.refs[int(place[2])].id for place in places if place[1] == "refs")


def _citations(record: Record) -> dict[str, frozenset[str]]:
    """The refs that the findings of each claim cite as proof."""
    found: dict[str, frozenset[str]] = {}
    for finding in objects(record.stated.get("findings")):
        claim = str(finding["claim"])
        found[claim] = found.get(claim, frozenset()).union(ids(finding["proof_citations"]))
    return found
