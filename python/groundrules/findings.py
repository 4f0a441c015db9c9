"""Findings and notes: where something is, what it is, and the text made of it in one place."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.errors import bare

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundrules.strictjson import JSON

LISTED_FINDINGS = 1000
"""How many findings of one rule a verdict lists (lint.order)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a finding is: a place in the envelope or another file, or a span (verdicts.finding).

    Attributes:
        pointer: JSON Pointer into the envelope, or into ``file``; None for a span.
        span: index of the span in the file from 0, or None.
        span_id: the span's normalised id, or None where it has none.
        file: the file of the run that the pointer is into, or None for the envelope that is judged.
    """

    pointer: str | None = None
    span: int | None = None
    span_id: str | None = None
    file: str | None = None

    def as_dict(self) -> dict[str, JSON]:
        """The place as data."""
        if self.span is not None:
            return {"span": self.span, "span_id": self.span_id}
        named: dict[str, JSON] = {} if self.file is None else {"file": self.file}
        return named | {"pointer": self.pointer}

    def __str__(self) -> str:
        """The place as text."""
        if self.span is not None:
            return f"span {self.span_id}" if self.span_id else f"span number {self.span + 1}"
        if self.file is not None:
            file = bare(self.file)
            return f"{file} at {bare(self.pointer)}" if self.pointer else file
        return bare(self.pointer or "the envelope")


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


def cap(findings: Iterable[Finding]) -> tuple[list[Finding], dict[str, int]]:
    """At most :data:`LISTED_FINDINGS` of each rule, and how many of each were left out."""
    seen: Counter[str] = Counter()
    listed = []
    for finding in findings:
        seen[finding.rule] += 1
        if seen[finding.rule] <= LISTED_FINDINGS:
            listed.append(finding)
    return listed, {rule or "note": n - LISTED_FINDINGS for rule, n in seen.items() if n > LISTED_FINDINGS}


def as_data(findings: Sequence[Finding], notes: Sequence[Finding]) -> dict[str, JSON]:
    """The members ``findings``, ``notes`` and ``omitted`` of a verdict as data."""
    listed, omitted = cap(findings)
    told, more = cap(notes)
    return {
        "findings": [finding.as_dict() for finding in listed],
        "notes": [note.as_dict() for note in told],
        "omitted": {**omitted, **more},
    }


def as_lines(findings: Sequence[Finding], notes: Sequence[Finding] = ()) -> list[str]:
    """A line for each finding and note, two spaces in, and one for each number of those that are not listed."""
    listed, omitted = cap(findings)
    told, more = cap(notes)
    left_out = (omitted | more).items()
    rest = [f"  and {number} more of {'the notes' if rule == 'note' else rule}" for rule, number in left_out]
    return [*(f"  {finding}" for finding in (*listed, *told)), *rest]
