"""Findings, notes and verdicts: data first, and the text made of them in one place."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from groundrules.errors import bare

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundrules.strictjson import JSON

LISTED_FINDINGS = 1000
"""How many findings of one rule a verdict lists (lint.order)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a finding is: a place in the envelope, or a span.

    Attributes:
        pointer: JSON Pointer into the envelope, or None for a span.
        span: index of the span in the file from 0, or None.
        span_id: the span's normalised id, or None where it has none.
    """

    pointer: str | None = None
    span: int | None = None
    span_id: str | None = None

    def as_dict(self) -> dict[str, JSON]:
        """The place as data."""
        if self.span is None:
            return {"pointer": self.pointer}
        return {"span": self.span, "span_id": self.span_id}

    def __str__(self) -> str:
        """The place as text."""
        if self.span is None:
            return bare(self.pointer or "the envelope")
        return f"span {self.span_id}" if self.span_id else f"span number {self.span + 1}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding, or one note.

    Attributes:
        code: permanent dotted code; ``note.*`` for a note.
        at: where.
        detail: one clause; foreign text in it is escaped and capped.
    """

    code: str
    at: Place
    detail: str

    @property
    def rule(self) -> str:
        """The rule's id, or "" for a note."""
        prefix = self.code.partition(".")[0]
        return "" if prefix == "note" else prefix.upper()

    def as_dict(self) -> dict[str, JSON]:
        """The finding as data."""
        told: dict[str, JSON] = {"rule": self.rule} if self.rule else {}
        return told | {"code": self.code, "at": self.at.as_dict(), "detail": self.detail}

    def __str__(self) -> str:
        """The finding as one line."""
        return f"{self.at}: {self.detail} [{self.code}]"


class ContractStatus(StrEnum):
    """What the contract says of an envelope."""

    VALID = "valid"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class ContractVerdict:
    """The contract's verdict on one envelope."""

    findings: tuple[Finding, ...]
    notes: tuple[Finding, ...]

    @property
    def status(self) -> ContractStatus:
        """Invalid with any finding."""
        return ContractStatus.INVALID if self.findings else ContractStatus.VALID

    def as_dict(self) -> dict[str, JSON]:
        """The verdict as data."""
        return {
            "format": "contract/1",
            "status": self.status.value,
            "findings": [finding.as_dict() for finding in self.findings],
            "notes": [note.as_dict() for note in self.notes],
        }

    def lines(self) -> list[str]:
        """The verdict as text: a head line, then one line a finding and a note."""
        head = "contract: valid" if not self.findings else f"contract: INVALID ({_count(len(self.findings))})"
        return [head, *_indented(self.findings), *_indented(self.notes)]


class GroundingStatus(StrEnum):
    """What the grounding linter says of a run. ``passed`` proves no retrieval."""

    PASSED = "passed"
    FAILED = "failed"
    WITHHELD = "withheld"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class GroundingVerdict:
    """The grounding linter's verdict on one run.

    Attributes:
        status: passed, failed or withheld; unchecked where the run could not be read.
        mode: the mode whose rules were applied, or None.
        profile: the span profile that was used.
        invocation_id: the envelope's, or None where it is ill-formed.
        judged_hash: ``dd-envelope-json-v1`` hash of the envelope.
        counts: spans by class: ``retrieval``, ``model_call``; and ``delegation`` records.
        findings: every finding in fixed order; more than are listed in the data and text forms.
        notes: what changes no verdict.
    """

    status: GroundingStatus
    mode: str | None
    profile: str
    invocation_id: str | None
    judged_hash: str
    counts: dict[str, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()

    def as_dict(self) -> dict[str, JSON]:
        """The verdict as data, the form of ``grounding.json``."""
        listed, omitted = cap(self.findings)
        notes, more_notes = cap(self.notes)
        return {
            "format": "grounding/1",
            "invocation_id": self.invocation_id,
            "judged_hash": self.judged_hash,
            "mode": self.mode,
            "profile": self.profile,
            "status": self.status.value,
            "counts": {**self.counts},
            "findings": [finding.as_dict() for finding in listed],
            "notes": [note.as_dict() for note in notes],
            "omitted": {**omitted, **more_notes},
        }

    def lines(self) -> list[str]:
        """The verdict as text: a head line, then one line a finding and a note."""
        shown = self.status.upper() if self.status is GroundingStatus.FAILED else self.status.value
        head = f"grounding: {shown} [{self.mode or 'no mode'}]{self._counted()}"
        listed, omitted = cap(self.findings)
        notes, more_notes = cap(self.notes)
        more = [f"  and {count} more of {rule or 'notes'}" for rule, count in (omitted | more_notes).items()]
        return [head, *_indented(listed), *_indented(notes), *more]

    def _counted(self) -> str:
        """What was counted, in brackets; "" where nothing was."""
        retrievals, calls, children = (self.counts.get(name, 0) for name in ("retrieval", "model_call", "delegation"))
        spans = [f"{count} {name}" for count, name in ((retrievals, "retrieval"), (calls, "model-call")) if count]
        told = [f"{', '.join(spans)} span{'' if retrievals + calls == 1 else 's'}"] if spans else []
        if children:
            told.append(f"{children} delegation{'' if children == 1 else 's'}")
        return f" ({', '.join(told)})" if told else ""


def cap(findings: Iterable[Finding]) -> tuple[list[Finding], dict[str, int]]:
    """At most :data:`LISTED_FINDINGS` of each rule, and how many of each were left out."""
    seen: Counter[str] = Counter()
    listed = []
    for finding in findings:
        seen[finding.rule] += 1
        if seen[finding.rule] <= LISTED_FINDINGS:
            listed.append(finding)
    return listed, {rule or "note": n - LISTED_FINDINGS for rule, n in seen.items() if n > LISTED_FINDINGS}


def _indented(findings: Sequence[Finding]) -> list[str]:
    return [f"  {finding}" for finding in findings]


def _count(number: int) -> str:
    return f"{number} finding{'' if number == 1 else 's'}"
