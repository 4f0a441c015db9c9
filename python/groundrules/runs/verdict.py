"""The verdict of a run: four words, never combined (verdicts.run)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from groundrules.findings import Finding, as_lines, cap

if TYPE_CHECKING:
    from groundrules.runs.reading import Unreadable
    from groundrules.strictjson import JSON
    from groundrules.verdict import ContractVerdict, GroundingVerdict, SourceVerdict


_NAMED = 8
"""How many missing things the head line names."""


class FilesStatus(StrEnum):
    """Whether the files of one run agree."""

    AGREE = "agree"
    DISAGREE = "disagree"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class FilesVerdict:
    """Whether the files of one run agree (rules I1 to I4 and D4).

    Attributes:
        findings: in the order of the rules.
        missing: what is not there, by name, each once.
        unreadable: the files that are there and cannot be read.
    """

    findings: tuple[Finding, ...] = ()
    missing: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()

    @property
    def status(self) -> FilesStatus:
        """Disagree with any finding, else unchecked where something is missing."""
        if self.findings:
            return FilesStatus.DISAGREE
        return FilesStatus.UNCHECKED if self.missing or self.unreadable else FilesStatus.AGREE

    def as_dict(self) -> dict[str, JSON]:
        """The verdict as data."""
        listed, omitted = cap(self.findings)
        return {
            "status": self.status.value,
            "findings": [finding.as_dict() for finding in listed],
            "missing": [*self.missing],
            "unreadable": [file.as_dict() for file in self.unreadable],
            "omitted": {**omitted},
        }

    def lines(self) -> list[str]:
        """The verdict as text."""
        shown = self.status.upper() if self.findings else self.status.value
        more = f" and {len(self.missing) - _NAMED} more" if len(self.missing) > _NAMED else ""
        missing = f" (missing: {', '.join(self.missing[:_NAMED])}{more})" if self.missing else ""
        return [f"files: {shown}{missing}", *as_lines(self.findings), *(f"  {file}" for file in self.unreadable)]


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """The four verdicts of one stored run.

    Attributes:
        recorded: the stored verdicts as data, by the names ``grounding`` and ``sources``, where they are repeated
            and were not computed again; None where they were.
    """

    contract: ContractVerdict
    files: FilesVerdict
    grounding: GroundingVerdict
    sources: SourceVerdict
    recorded: dict[str, JSON] | None = None

    @property
    def words(self) -> dict[str, str]:
        """The four words, by the name of their verdict."""
        return {
            "contract": self.contract.status.value,
            "files": self.files.status.value,
            "grounding": self.grounding.status.value,
            "sources": self.sources.status.value,
        }

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of all findings of all four verdicts, each once, sorted."""
        lists = (self.contract.findings, self.files.findings, self.grounding.findings, self.sources.findings)
        return tuple(sorted({finding.code for findings in lists for finding in findings}))

    def as_dict(self) -> dict[str, JSON]:
        """The verdict as data."""
        return {
            "format": "run-verdict/1",
            "invocation_id": self.grounding.invocation_id,
            "profile": self.grounding.profile,
            "contract": self.contract.as_dict(),
            "files": self.files.as_dict(),
            "grounding": self.grounding.as_dict(),
            "sources": self.sources.as_dict(),
            "recorded": self.recorded,
        }

    def lines(self) -> list[str]:
        """The verdict as text: four lines, and under each what belongs to it."""
        recorded = self.recorded or {}
        return [
            *self.contract.lines(),
            *self.files.lines(),
            *self.grounding.lines(),
            *_recorded(recorded.get("grounding"), "findings"),
            *self.sources.lines(),
            *_recorded(recorded.get("sources"), "violations"),
        ]


def _recorded(verdict: JSON, findings: str) -> list[str]:
    """A stored verdict that is repeated, as one line."""
    match verdict:
        case {"status": str(status), **rest}:
            listed = rest.get(findings)
            entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
            found = sorted({str(entry["code"]) for entry in entries})
            codes = f" ({', '.join(found)})" if found else ""
            return [f"  recorded and not computed again: {status}{codes}"]
    return []
