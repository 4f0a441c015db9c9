"""What a release recommendation may be, and on what it may rest (authority.effect)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from groundrules.witness.claims import FAIL
from groundrules.witness.deciding import DETERMINISTIC, HUMAN
from groundrules.witness.record import ids, objects

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules.strictjson import JSON
    from groundrules.witness.proof import Proof, Proofs
    from groundrules.witness.record import Record

BLOCK: Final = "BLOCK"
REVIEW: Final = "REVIEW"
NONE: Final = "NONE"
EFFECTS: Final = (NONE, REVIEW, BLOCK)
"""From the weakest to the strongest."""
_UNACCEPTABLE = "unacceptable"


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that a recommendation rests on.

    Attributes:
        reason: ``prohibited-use-case``, ``proven-failure``; ``unproven-failure``, ``semantic-only-failure``,
            ``undeclared-predicate``, ``below-floor``, ``no-value``.
        id: the claim's or view's; None for a fact.
        refs: the ids of what it cites.
    """

    reason: str
    id: str | None
    refs: tuple[str, ...]

    @property
    def effect(self) -> str:
        """The strongest effect that it allows."""
        return BLOCK if self.reason in ("prohibited-use-case", "proven-failure") else REVIEW

    @property
    def is_claim(self) -> bool:
        """Whether the id is a claim's."""
        return self.reason not in ("prohibited-use-case", "below-floor", "no-value")


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The strongest effect that a record allows.

    Attributes:
        effect: ``BLOCK``, ``REVIEW`` or ``NONE``.
        because: what it rests on: facts, then claims, then views, each in document order.
        claim_ids: the claims of that.
        finding_ids: the findings of these claims.
        evidence_refs: what they and the views cite, in the order of the refs.
    """

    effect: str
    because: tuple[Reason, ...]
    claim_ids: tuple[str, ...]
    finding_ids: tuple[str, ...]
    evidence_refs: tuple[str, ...]

    def as_dict(self) -> dict[str, JSON]:
        """As data."""
        return {
            "effect": self.effect,
            "because": [{"reason": entry.reason, "id": entry.id} for entry in self.because],
            "attaches": {
                "claim_ids": [*self.claim_ids],
                "finding_ids": [*self.finding_ids],
                "evidence_refs": [*self.evidence_refs],
            },
        }


def recommended(record: Record, proofs: Proofs, statuses: Sequence[Proof]) -> Recommendation:
    """The strongest effect that a record allows, with what it rests on."""
    reasons = [*_facts(record), *_failures(proofs, statuses), *_views(record)]
    effect = max((entry.effect for entry in reasons), key=EFFECTS.index, default=NONE)
    because = tuple(entry for entry in reasons if entry.effect == effect)
    claims = dict.fromkeys(entry.id for entry in because if entry.is_claim and entry.id is not None)
    cited = {ref_id for entry in because for ref_id in entry.refs}
    return Recommendation(
        effect,
        because,
        tuple(claims),
        tuple(dict.fromkeys(name for name, claim in finding_ids(record) if claim in claims)),
        tuple(dict.fromkeys(ref.id for ref in record.refs if ref.id in cited)),
    )


def finding_ids(record: Record) -> list[tuple[str, str]]:
    """The id of every finding, with that of its claim."""
    return [(str(entry["id"]), str(entry["claim"])) for entry in objects(record.stated.get("findings"))]


def derived_prohibition(record: Record) -> bool | None:
    """The fact ``prohibited_use_case``, from the intake; None where it does not tell (authority.prohibited)."""
    tier, use_case = _intake(record)
    prohibited = record.stated.get("prohibited_use_cases")
    listed = prohibited if isinstance(prohibited, list) else None
    if tier == _UNACCEPTABLE or (use_case is not None and listed is not None and use_case in listed):
        return True
    return None if tier is None or use_case is None or listed is None else False


def _intake(record: Record) -> tuple[JSON, JSON]:
    match record.stated.get("intake"):
        case dict() as intake:
            classification = intake.get("classification")
            tier = classification.get("tier") if isinstance(classification, dict) else None
            return tier, intake.get("use_case")
    return None, None


def _facts(record: Record) -> Iterator[Reason]:
    if derived_prohibition(record):
        yield Reason("prohibited-use-case", None, ())


def _failures(proofs: Proofs, statuses: Sequence[Proof]) -> Iterator[Reason]:
    """The failing claims; an observation is never a violation."""
    for proof in statuses:
        predicate = proofs.contracts.predicate_of(proof.claim)
        if proof.claim.state != FAIL or (predicate is not None and predicate.polarity == "observation"):
            continue
        if proof.decider.kind not in (DETERMINISTIC, HUMAN):
            reason = "semantic-only-failure"
        elif proof.lacks:
            reason = "unproven-failure"
        else:
            reason = "undeclared-predicate" if predicate is None else "proven-failure"
        yield Reason(reason, proof.claim.id, (*proof.claim.evidence, *proof.claim.counterevidence))


def _views(record: Record) -> Iterator[Reason]:
    for view in objects(record.stated.get("views")):
        value = view.get("value")
        if "floor" in view and (value is None or Decimal(str(value)) < Decimal(str(view["floor"]))):
            reason = "no-value" if value is None else "below-floor"
            yield Reason(reason, str(view["id"]), ids(view["refs"]))
