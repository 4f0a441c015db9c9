"""Who may decide a claim, what is proven, and what a recommendation may rest on (rules A1 to A5)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.errors import bare
from groundrules.findings import Finding, Place, as_data, as_lines
from groundrules.witness.claims import FAIL, NOT_APPLICABLE, PASS
from groundrules.witness.deciding import HUMAN, SEMANTIC
from groundrules.witness.proof import SCORED, Proofs
from groundrules.witness.recommend import BLOCK, EFFECTS, derived_prohibition, finding_ids, recommended
from groundrules.witness.record import ids, objects, read_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules.strictjson import JSON
    from groundrules.witness.proof import Proof
    from groundrules.witness.recommend import Recommendation
    from groundrules.witness.record import Record


DECIDED = (*SCORED, NOT_APPLICABLE)
"""The states that somebody decided: to set a claim aside is a decision too."""


@dataclass(frozen=True, slots=True)
class AuthorityVerdict:
    """What of a record is proven, what it allows, and in what it claims more.

    Attributes:
        proofs: one for each claim, in their order.
        recommendation: the strongest that the record allows.
        findings: rule by rule, each in document order.
    """

    proofs: tuple[Proof, ...]
    recommendation: Recommendation
    findings: tuple[Finding, ...]

    @property
    def status(self) -> str:
        """``failed`` with any finding, else ``passed``."""
        return "failed" if self.findings else "passed"

    @property
    def scored(self) -> tuple[int, int]:
        """How many claims passed, of how many that count."""
        states = Counter(proof.claim.state for proof in self.proofs)
        return states[PASS], states[PASS] + states[FAIL]

    def as_dict(self) -> dict[str, JSON]:
        """The verdict as data."""
        passed, scored = self.scored
        return {
            "format": "authority/1",
            "status": self.status,
            "claims": [proof.as_dict() for proof in self.proofs],
            "scored": {"passed": passed, "of": scored, "not_scored": len(self.proofs) - scored},
            "recommendation": self.recommendation.as_dict(),
            **as_data(self.findings, ()),
        }

    def lines(self) -> list[str]:
        """The verdict as text."""
        passed, scored = self.scored
        proven = sum(not proof.lacks for proof in self.proofs)
        told = [f"claims: {len(self.proofs)}, {proven} proven; {passed} of {scored} that count passed"]
        for proof in self.proofs:
            decided = f"{proof.decider.kind or 'nobody'} ({proof.decider.basis})"
            told.append(f"  {bare(proof.claim.id)}: {proof.claim.state}, {proof.status}, decided by {decided}")
            told += [f"    {lack}" for lack in proof.lacks if proof.claim.state in SCORED]
        if any(proof.decider.kind == SEMANTIC for proof in self.proofs):
            told.append("  what an evaluator decided need not come out so again, from it or from another")
        told.append(f"recommendation: at most {self.recommendation.effect}")
        told += [
            f"  {entry.reason}{'' if entry.id is None else f' of {bare(entry.id)}'}"
            for entry in self.recommendation.because
        ]
        return [
            *told,
            f"authority: {self.status.upper() if self.findings else self.status}",
            *as_lines(self.findings),
        ]


def check_authority(document: JSON | Record) -> AuthorityVerdict:
    """Say what of a record is proven and what it allows, and hold it to what it says of that.

    Args:
        document: of ``schemas/evaluation-record.json``, or what :func:`read_record` made of it.

    Raises:
        SchemaError: ``schema.evaluation-record``.
    """
    record = read_record(document)
    proofs = Proofs(record)
    statuses = proofs.all()
    allowed = recommended(record, proofs, statuses)
    findings = (
        *_deciders(statuses),
        *_effect(record, allowed, statuses),
        *_evaluators(record, statuses),
        *_reviewers(proofs, statuses),
        *_fact(record),
    )
    return AuthorityVerdict(tuple(statuses), allowed, findings)


def _at(proof: Proof, member: str) -> Place:
    return Place(f"/claims/{proof.claim.index}{member}")


def _deciders(statuses: Sequence[Proof]) -> Iterator[Finding]:
    """A1: who decided is said, and said right."""
    for proof in statuses:
        declared, kind = proof.claim.decided_by, proof.decider.kind
        if kind is None:
            detail = "by the log it rests on what nobody known established"
            yield Finding("a1.undetermined", _at(proof, "/decided_by"), detail)
        elif kind != declared:
            detail = f"the record says {declared}, by the log it is {kind}"
            yield Finding("a1.decided-by", _at(proof, "/decided_by"), detail)
        if SEMANTIC in (kind, declared) and proof.claim.state in DECIDED and "votes" not in proof.claim.parameters:
            yield Finding("a1.no-votes", _at(proof, ""), "an evaluator decided it, and the votes are not told")


def _effect(record: Record, allowed: Recommendation, statuses: Sequence[Proof]) -> Iterator[Finding]:
    """A2: a recommendation is no stronger than what it may rest on, and names what is there."""
    stated = record.stated.get("recommendation")
    if not isinstance(stated, dict):
        return
    effect = str(stated["effect"])
    if EFFECTS.index(effect) > EFFECTS.index(allowed.effect):
        judged = any(proof.claim.state == FAIL and proof.decider.kind == SEMANTIC for proof in statuses)
        code = "a2.semantic-only-block" if effect == BLOCK and judged else "a2.too-strong"
        yield Finding(code, Place("/recommendation/effect"), f"the record allows {allowed.effect} at most")
    known = {
        "claim_ids": {proof.claim.id for proof in statuses},
        "finding_ids": {name for name, _ in finding_ids(record)},
        "evidence_refs": {ref.id for ref in record.refs},
    }
    for name, there in known.items():
        for position, attached in enumerate(ids(stated.get(name))):
            if attached not in there:
                yield Finding("a2.attached", Place(f"/recommendation/{name}/{position}"), "the record has no such id")


def _evaluators(record: Record, statuses: Sequence[Proof]) -> Iterator[Finding]:
    """A3: what an evaluator decided was decided by one that is declared and qualified."""
    declared: dict[str, bool] = {}
    for entry in objects(record.stated.get("evaluators")):
        name = str(entry["id"])
        declared[name] = declared.get(name, True) and entry["qualification"] == "qualified"
    for proof in statuses:
        if proof.decider.kind == SEMANTIC and proof.claim.state in DECIDED:
            asked = proof.decider.evaluators or tuple(declared)
            if not asked or not all(declared.get(name, False) for name in asked):
                detail = "an evaluator decided it that is not declared to be qualified"
                yield Finding("a3.unqualified-evaluator", _at(proof, "/decided_by"), detail)


def _reviewers(proofs: Proofs, statuses: Sequence[Proof]) -> Iterator[Finding]:
    """A4: what a person decided has the sign-off of a reviewer who is named."""
    for proof in statuses:
        if proof.decider.kind == HUMAN and proof.claim.state in DECIDED and not proofs.is_signed(proof.claim):
            detail = "a person decided it, and its evidence has no sign-off that names the reviewer"
            yield Finding("a4.no-signoff", _at(proof, "/decided_by"), detail)


def _fact(record: Record) -> Iterator[Finding]:
    """A5: a fact that is derived is what it is derived to be."""
    match record.stated.get("facts"):
        case {"prohibited_use_case": bool() | None as stated}:
            derived = derived_prohibition(record)
            if stated != derived:
                told = {True: "true", False: "false", None: "null"}
                detail = f"the record says {told[stated]}, from the intake it is {told[derived]}"
                yield Finding("a5.fact-differs", Place("/facts/prohibited_use_case"), detail)
