"""The verdicts: data first, and the text made of them in one place (chapter *Verdicts*)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from groundrules.errors import bare
from groundrules.findings import Finding, as_data, as_lines, cap

if TYPE_CHECKING:
    from groundrules.strictjson import JSON

_NAMED = 5
"""How many unresolved items a head line names."""


class ContractStatus(StrEnum):
    """What the contract says of an envelope."""

    VALID = "valid"
    INVALID = "invalid"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class ContractVerdict:
    """The contract's verdict on one envelope; ``checked`` is False where there was no envelope to read."""

    findings: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()
    checked: bool = True

    @property
    def status(self) -> ContractStatus:
        """Invalid with any finding."""
        if not self.checked:
            return ContractStatus.UNCHECKED
        return ContractStatus.INVALID if self.findings else ContractStatus.VALID

    def as_dict(self) -> dict[str, JSON]:
        """The verdict as data."""
        return {"format": "contract/1", "status": self.status.value, **as_data(self.findings, self.notes)}

    def lines(self) -> list[str]:
        """The verdict as text: a head line, then one line a finding and a note."""
        number = len(self.findings)
        told = f"INVALID ({number} finding{'' if number == 1 else 's'})" if number else self.status.value
        return [f"contract: {told}", *as_lines(self.findings, self.notes)]


class GroundingStatus(StrEnum):
    """What the grounding linter says of a run. ``passed`` proves no retrieval."""

    PASSED = "passed"
    FAILED = "failed"
    WITHHELD = "withheld"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class GroundingVerdict:
    """The grounding linter's verdict on one run (verdicts.grounding).

    Attributes:
        status: passed, failed or withheld; unchecked where the run could not be read.
        mode: the mode whose rules were applied, or None.
        profile: the span profile that was used, or None where nothing was judged.
        invocation_id: the envelope's, or None where it is ill-formed.
        judged_hash: ``dd-envelope-json-v1`` hash of the envelope, or None where there is none.
        counts: spans by class: ``retrieval``, ``model_call``; and ``delegation`` records.
        findings: every finding in fixed order; more than are listed in the data and text forms.
        notes: what changes no verdict.
    """

    status: GroundingStatus
    mode: str | None = None
    profile: str | None = None
    invocation_id: str | None = None
    judged_hash: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the findings that are listed, each once, sorted."""
        return tuple(sorted({finding.code for finding in cap(self.findings)[0]}))

    def as_dict(self) -> dict[str, JSON]:
        """The verdict as data, the form of ``grounding.json``."""
        return {
            "format": "grounding/1",
            "invocation_id": self.invocation_id,
            "judged_hash": self.judged_hash,
            "mode": self.mode,
            "profile": self.profile,
            "status": self.status.value,
            "counts": {**self.counts},
            **as_data(self.findings, self.notes),
        }

    def lines(self) -> list[str]:
        """The verdict as text, the form of ``grounding.txt``."""
        head = grounding_head(self.status, self.mode)
        return [f"{head}{self._counted()}", *as_lines(self.findings, self.notes)]

    def _counted(self) -> str:
        """What was counted, in brackets; "" where nothing was."""
        retrievals, calls, children = (self.counts.get(name, 0) for name in ("retrieval", "model_call", "delegation"))
        spans = [f"{count} {name}" for count, name in ((retrievals, "retrieval"), (calls, "model-call")) if count]
        told = [f"{', '.join(spans)} span{'' if retrievals + calls == 1 else 's'}"] if spans else []
        if children:
            told.append(f"{children} delegation{'' if children == 1 else 's'}")
        return f" ({', '.join(told)})" if told else ""


def grounding_head(status: str, mode: str | None) -> str:
    """The head line of a grounding verdict, without what is counted (verdicts.text)."""
    shown = status.upper() if status == GroundingStatus.FAILED else str(status)
    return f"grounding: {shown} [{mode or 'no mode'}]"


class SourceStatus(StrEnum):
    """What pinned copies say of an envelope's evidence (sources.verdict)."""

    VERIFIED = "verified"
    UNRESOLVED = "unresolved"
    FAILED = "failed"
    NOTHING = "nothing-to-check"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class Strictness:
    """What is asked beyond the rules; it only tightens (sources.profile).

    Attributes:
        require_content: evidence without content violates S3.
        require_resolved: an unresolved item makes a command end with exit code 3; no verdict changes.
    """

    require_content: bool = False
    require_resolved: bool = False

    def __or__(self, other: Strictness) -> Strictness:
        """What either of two asks for."""
        return Strictness(
            self.require_content or other.require_content, self.require_resolved or other.require_resolved
        )

    def as_dict(self) -> dict[str, JSON]:
        """The profile as data."""
        return {"require_content": self.require_content, "require_resolved": self.require_resolved}


@dataclass(frozen=True, slots=True)
class Unresolved:
    """An evidence item that no listed copy can speak to.

    Attributes:
        ref: its source id.
        snapshot_ref: the copy that it names, or None.
        why: ``no-snapshot-ref``, ``not-listed`` or ``not-fetched`` (sources.unresolved).
    """

    ref: str
    snapshot_ref: str | None
    why: str

    def as_dict(self) -> dict[str, JSON]:
        """The item as data."""
        return {"ref": self.ref, "snapshot_ref": self.snapshot_ref, "why": self.why}

    def __str__(self) -> str:
        """The item as text."""
        fetched = ", not fetched" if self.why == "not-fetched" else ""
        copy = "no snapshot" if self.snapshot_ref is None else bare(self.snapshot_ref) + fetched
        return f"{bare(self.ref)} ({copy})"


@dataclass(frozen=True, slots=True)
class Consulted:
    """A copy that was consulted: those of its references that evidence names, and its pin."""

    snapshot_refs: tuple[str, ...]
    sha256: str

    def as_dict(self) -> dict[str, JSON]:
        """The copy as data."""
        return {"snapshot_refs": [*self.snapshot_refs], "sha256": self.sha256}


@dataclass(frozen=True, slots=True)
class SourceVerdict:
    """The source check's verdict on the evidence of one envelope (verdicts.sources).

    Attributes:
        judged_hash: ``dd-envelope-json-v1`` hash of the envelope, or None where there is none.
        profile: how strict the check was.
        copies: the copies that were consulted, in the order of the list.
        verified: source ids in the order of the items.
        unresolved: in the order of the items; never counted as verified.
        findings: the violations, in the order of the items.
        skipped: source ids in the order of the items.
        checked: False where there was no envelope to read.
    """

    judged_hash: str | None = None
    profile: Strictness = Strictness()
    copies: tuple[Consulted, ...] = ()
    verified: tuple[str, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()
    findings: tuple[Finding, ...] = ()
    skipped: tuple[str, ...] = ()
    checked: bool = True

    @property
    def status(self) -> SourceStatus:
        """One of the five words (sources.verdict)."""
        if not self.checked:
            return SourceStatus.UNCHECKED
        if self.findings:
            return SourceStatus.FAILED
        if self.unresolved:
            return SourceStatus.UNRESOLVED
        return SourceStatus.VERIFIED if self.verified else SourceStatus.NOTHING

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the violations that are listed, each once, sorted."""
        return tuple(sorted({finding.code for finding in cap(self.findings)[0]}))

    def as_dict(self) -> dict[str, JSON]:
        """The verdict as data, the form of ``sources.json``."""
        listed, omitted = cap(self.findings)
        return {
            "format": "sources/1",
            "judged_hash": self.judged_hash,
            "status": self.status.value,
            "profile": self.profile.as_dict(),
            "copies": [copy.as_dict() for copy in self.copies],
            "verified": [*self.verified],
            "unresolved": [item.as_dict() for item in self.unresolved],
            "violations": [finding.as_dict() for finding in listed],
            "skipped": [*self.skipped],
            "omitted": {**omitted},
        }

    def lines(self) -> list[str]:
        """The verdict as text, the form of ``sources.txt``."""
        head = sources_head(self.status, len(self.verified), len(self.unresolved), len(self.skipped))
        if self.unresolved:
            more = len(self.unresolved) - _NAMED
            named = ", ".join(map(str, self.unresolved[:_NAMED])) + (f" and {more} more" if more > 0 else "")
            head += f" (no independent copy: {named})"
        return [head, *as_lines(self.findings)]


def sources_head(status: str, verified: int, unresolved: int, skipped: int) -> str:
    """The head line of a source verdict, without the ids (verdicts.text)."""
    if status == SourceStatus.UNCHECKED:
        return "sources: unchecked"
    if status != SourceStatus.FAILED and not verified and not unresolved:
        return "sources: nothing to check"
    counted = ((verified, "verified"), (unresolved, "unresolved"), (skipped, "skipped"))
    told = [f"{number} {word}" for number, word in counted if number]
    return "sources: " + ", ".join(["FAILED", *told] if status == SourceStatus.FAILED else told)
