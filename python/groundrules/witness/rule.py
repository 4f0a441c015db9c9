"""The witness rule: which evidence can prove what an agent did (rules W3 and W4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from groundrules.findings import Finding, Place, as_data, as_lines
from groundrules.witness.record import read_record
from groundrules.witness.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundrules.strictjson import JSON
    from groundrules.witness.record import Record, Ref

_Call: TypeAlias = "tuple[str, tuple[int, int] | None]"
"""A source type, and turn and call index where both are stated."""


def is_compatible(kind: str, source_type: str) -> bool:
    """Whether evidence of a kind can come from a type of source at all."""
    return source_type in vocabulary().kinds[kind].compatible_source_types


def can_prove(kind: str, source_type: str, *, paired: bool = False) -> bool:
    """Whether evidence of a kind from a type of source can prove agent behaviour (witness.can-prove).

    Args:
        kind: a kind of the vocabulary.
        source_type: a source type of the vocabulary.
        paired: the claims that cite it also cite what its source type requires.
    """
    source = vocabulary().source_types[source_type]
    may = vocabulary().kinds[kind].can_prove_agent_behaviour and source.may_witness and is_compatible(kind, source_type)
    return may and (source.witness_requires is None or paired)


def stored_flags(record: Record) -> dict[str, bool]:
    """For every ref by its id whether it can prove agent behaviour (witness.stored-flag).

    Where two refs have one id the flag is true only if it is true of both.
    """
    calls: dict[str, list[_Call]] = {}
    for ref in record.refs:
        calls.setdefault(ref.id, []).append((ref.source_type, ref.call))
    citing: dict[str, list[frozenset[_Call]]] = {}
    for claim in record.claims:
        brought = frozenset(call for ref_id in claim.evidence for call in calls.get(ref_id, ()))
        for ref_id in claim.cited:
            citing.setdefault(ref_id, []).append(brought)
    flags: dict[str, bool] = {}
    for ref in record.refs:
        flags[ref.id] = _flag(ref, citing.get(ref.id, [])) and flags.get(ref.id, True)
    return flags


def _flag(ref: Ref, citing: list[frozenset[_Call]]) -> bool:
    """The flag of a ref; of each claim that cites it, which calls and results its evidence brings."""
    required = vocabulary().source_types[ref.source_type].witness_requires
    paired = (
        required is not None
        and ref.call is not None
        and bool(citing)
        and all((required, ref.call) in brought for brought in citing)
    )
    return can_prove(ref.kind, ref.source_type, paired=paired)


@dataclass(frozen=True, slots=True)
class WitnessVerdict:
    """What a record's evidence may prove, and what its producer got wrong (verdicts of evaluation records).

    Attributes:
        flags: by ref id, whether it can prove agent behaviour.
        witnessing: the ids of the refs that can and whose anchor witnesses, sorted.
        findings: in the order of the rules, each in document order.
    """

    flags: Mapping[str, bool]
    witnessing: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def status(self) -> str:
        """``failed`` with any finding, else ``passed``."""
        return "failed" if self.findings else "passed"

    def as_dict(self) -> dict[str, JSON]:
        """The verdict as data."""
        return {
            "format": "witness/1",
            "status": self.status,
            "flags": {**self.flags},
            "witnessing": [*self.witnessing],
            **as_data(self.findings, ()),
        }

    def lines(self) -> list[str]:
        """The verdict as text."""
        can = sum(self.flags.values())
        counted = f"{len(self.flags)} refs, {can} can prove agent behaviour, {len(self.witnessing)} witness"
        return [
            f"witness: {self.status.upper() if self.findings else self.status} ({counted})",
            *as_lines(self.findings),
        ]


def check_witness(document: JSON | Record) -> WitnessVerdict:
    """Compute what a record's evidence may prove, and hold its producer to it.

    Args:
        document: of ``schemas/evaluation-record.json``, or what :func:`read_record` made of it.

    Raises:
        SchemaError: ``schema.evaluation-record``.
    """
    record = read_record(document)
    flags = stored_flags(record)
    anchors = vocabulary().witnessing_anchors
    witnessing = {ref.id for ref in record.refs if flags[ref.id] and ref.anchor in anchors}
    return WitnessVerdict(flags, tuple(sorted(witnessing)), tuple(_findings(record, flags)))


def _findings(record: Record, flags: Mapping[str, bool]) -> Iterator[Finding]:
    for ref in record.refs:
        if not is_compatible(ref.kind, ref.source_type):
            detail = f"{ref.kind} does not come from {ref.source_type}"
            yield Finding("w3.incompatible", Place(f"/refs/{ref.index}"), detail)
    for ref in record.refs:
        if ref.stated_flag is not None and ref.stated_flag != flags[ref.id]:
            detail = f"the producer says {str(ref.stated_flag).lower()}, computed is {str(flags[ref.id]).lower()}"
            yield Finding("w4.flag-differs", Place(f"/refs/{ref.index}/can_prove_agent_behaviour"), detail)
