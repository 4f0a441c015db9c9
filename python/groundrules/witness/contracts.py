"""A record's claims against their contracts, and what it records of that (W1, W2, and the rules P)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.errors import bare
from groundrules.findings import Finding, Place, as_data, as_lines
from groundrules.witness.bindings import binding_findings
from groundrules.witness.claims import FAIL, NO_WITNESS, NOT_APPLICABLE, Check, Contracts, is_provable, needs_witness
from groundrules.witness.record import read_record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.strictjson import JSON
    from groundrules.witness.record import Claim, Record

_RULES = ("w1", "w2", *(f"p{number}" for number in range(1, 10)))


@dataclass(frozen=True, slots=True)
class ContractVerdict:
    """What the claims of a record cite of what they have to, and in what the record departs from its rules.

    Attributes:
        checks: a claim's id with its check, for every claim whose state has a direction, in their order.
        findings: rule by rule, each in document order.
    """

    checks: tuple[tuple[str, Check], ...]
    findings: tuple[Finding, ...]

    @property
    def status(self) -> str:
        """``failed`` with any finding, else ``passed``; an unmet contract that is recorded as such is no finding."""
        return "failed" if self.findings else "passed"

    def as_dict(self) -> dict[str, JSON]:
        """The verdict as data."""
        checks: list[JSON] = [
            {"claim": claim, "status": check.status, "unmet": [entry.as_dict() for entry in check.unmet]}
            for claim, check in self.checks
        ]
        return {"format": "contract-check/1", "status": self.status, "checks": checks, **as_data(self.findings, ())}

    def lines(self) -> list[str]:
        """The verdict as text."""
        counts = Counter(check.status for _, check in self.checks)
        counted = ", ".join(f"{counts[name]} {name.replace('_', ' ')}" for name in ("met", "unmet", "not_declared"))
        told = [f"contracts: {self.status.upper() if self.findings else self.status} ({counted})"]
        for claim, check in self.checks:
            for entry in check.unmet:
                closest = f"{bare(entry.closest)}: " if entry.closest is not None else ""
                told.append(f"  {bare(claim)} lacks {entry.token} ({closest}{entry.why})")
        return [*told, *as_lines(self.findings)]


def check_contracts(document: JSON | Record) -> ContractVerdict:
    """Hold the claims of a record to the contracts of their predicates, and the record to what it says of that.

    Args:
        document: of ``schemas/evaluation-record.json``, or what :func:`read_record` made of it.

    Raises:
        SchemaError: ``schema.evaluation-record``.
    """
    record = read_record(document)
    contracts = Contracts(record)
    checked = [(claim, contracts.check(claim)) for claim in record.claims]
    findings = [*_of_claims(contracts, checked), *binding_findings(record)]
    findings.sort(key=lambda finding: _RULES.index(finding.code.partition(".")[0]))
    return ContractVerdict(tuple((claim.id, check) for claim, check in checked if check), tuple(findings))


def _of_claims(contracts: Contracts, checked: list[tuple[Claim, Check | None]]) -> Iterator[Finding]:
    for claim, check in checked:
        if check is None:
            continue
        if claim.state == NOT_APPLICABLE:
            yield from _basis(claim, contracts)
        else:
            yield from _witness(claim, check, contracts)
            yield from _groups(claim, check, contracts)
            yield from _recorded(claim, check)


def _at(claim: Claim, member: str = "") -> Place:
    return Place(f"/claims/{claim.index}{member}")


def _recorded_tokens(claim: Claim) -> tuple[str, list[str]] | None:
    """What a record says of a claim and its contract, or None."""
    match claim.parameters.get("contract_check"):
        case {"status": str(status), "unmet": [*unmet]}:
            return status, [str(token) for token in unmet]
    return None


def _witness(claim: Claim, check: Check, contracts: Contracts) -> Iterator[Finding]:
    """W1: a claim that asserts something of the agent cites a witness, or the record says that it does not."""
    predicate = contracts.predicate_of(claim)
    if predicate is None or not needs_witness(claim, predicate) or check.witnessing:
        return
    recorded = _recorded_tokens(claim)
    if recorded is None or NO_WITNESS not in recorded[1]:
        yield Finding("w1.no-witness", _at(claim), "no ref that counts witnesses, and the record does not say so")


def _groups(claim: Claim, check: Check, contracts: Contracts) -> Iterator[Finding]:
    """W2: a group that asks for proof is not satisfied by context, whatever the record says."""
    predicate, recorded = contracts.predicate_of(claim), _recorded_tokens(claim)
    asked = None if predicate is None else predicate.contract if claim.state == FAIL else predicate.pass_contract
    if asked is None or recorded is None:
        return
    kinds = {ref.kind for ref in contracts.cited(claim) if ref.id in check.eligible}
    for number, group in enumerate(asked.require_groups, 1):
        token = f"group:{number}"
        if token in check.tokens and token not in recorded[1] and is_provable(group) and kinds.intersection(group):
            detail = f"what serves {token} cannot prove what the agent did, and the record takes it as met"
            yield Finding("w2.group-unproven", _at(claim, "/parameters/contract_check"), detail)


def _recorded(claim: Claim, check: Check) -> Iterator[Finding]:
    """P6: an applicable claim says how it stands with its contract, and says it right."""
    recorded = _recorded_tokens(claim)
    if recorded is None:
        yield Finding("p6.no-check", _at(claim), "it applies, and records no contract check")
    elif (recorded[0], sorted(recorded[1])) != (check.status, sorted(check.tokens)):
        computed = f"{check.status}{''.join(f' {token}' for token in check.tokens)}"
        detail = f"the record says otherwise than what is computed: {computed}"
        yield Finding("p6.check-differs", _at(claim, "/parameters/contract_check"), detail)


def _basis(claim: Claim, contracts: Contracts) -> Iterator[Finding]:
    """P5 and P7: that something does not apply rests on a basis, and on one that is allowed."""
    match claim.parameters.get("applicability_basis"):
        case {"source": str(source)}:
            allowed = contracts.bases_of(claim)
            if source not in allowed:
                at = _at(claim, "/parameters/applicability_basis/source")
                yield Finding("p7.basis-not-allowed", at, f"it is none of {', '.join(allowed)}")
        case _:
            yield Finding("p5.no-basis", _at(claim), "it says that something does not apply, and not why")
