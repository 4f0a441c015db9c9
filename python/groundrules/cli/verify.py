"""``verify``: the four verdicts of stored runs."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Annotated

import typer

from groundrules.cli.render import AsJson, Exit, print_json, print_line
from groundrules.cli.sources import CopiesFile, RequireContent, RequireResolved
from groundrules.errors import GroundrulesError, UsageError, bare
from groundrules.runs import RunVerdict, verify_run
from groundrules.sources import NO_COPIES, load_copies
from groundrules.strictjson import JSON
from groundrules.trace import profile_named
from groundrules.verdict import Strictness

_MANY = 100
"""Above this number of runs a bar shows how far the command has come."""

_WORDS = {
    "contract": ("valid", "invalid", "unchecked"),
    "files": ("agree", "disagree", "unchecked"),
    "grounding": ("passed", "failed", "withheld", "unchecked"),
    "sources": ("verified", "unresolved", "failed", "nothing-to-check", "unchecked"),
}
_FAILED = {"invalid", "disagree", "failed"}
_UNCHECKED = {"unchecked", "withheld"}


def verify(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Folders of stored runs.")],
    copies: CopiesFile = None,
    profile: Annotated[
        str | None, typer.Option("--profile", metavar="NAME", help="Override the traces' span profile: dd or genai.")
    ] = None,
    require_resolved: RequireResolved = False,
    require_content: RequireContent = False,
    as_json: AsJson = False,
) -> int:
    """Check stored runs again: contract, files, grounding, sources. Passing proves no retrieval."""
    if profile is not None:
        profile_named(profile)
    strictness = Strictness(require_content, require_resolved)
    report = Report(as_json=as_json, several=len(runs) > 1)
    tell_all(report, runs, copies, profile=profile, strictness=strictness)
    report.close()
    return report.exit_code


def tell_all(
    report: Report, runs: list[str], copies: str | None, *, profile: str | None = None, strictness: Strictness
) -> None:
    """Verify runs one after the other, and tell each."""
    with load_copies(copies) if copies is not None else contextlib.nullcontext(NO_COPIES) as held:
        for run in shown_runs(runs):
            try:
                report.add(run, verify_run(run, held, profile=profile, strictness=strictness))
            except UsageError as error:
                report.refuse(run, error)


class Report:
    """What is told of the runs, and how the command ends."""

    def __init__(self, *, as_json: bool, several: bool) -> None:
        self._as_json = as_json
        self._several = several
        self._entries: list[JSON] = []
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in _WORDS}
        self._runs = 0
        self._unusable = 0
        self._is_unresolved = False

    def add(self, run: str, verdict: RunVerdict) -> None:
        """Tell one run."""
        self._runs += 1
        for name, word in verdict.words.items():
            self._counts[name][word] += 1
        self._unusable += bool(verdict.files.unreadable)
        self._is_unresolved |= verdict.sources.profile.require_resolved and bool(verdict.sources.unresolved)
        if self._as_json:
            self._entries.append({"run": run, "verdict": verdict.as_dict()})
            return
        if self._several:
            print_line(bare(run))
        for line in verdict.lines():
            print_line(line)

    def refuse(self, run: str, error: GroundrulesError) -> None:
        """Tell a run that cannot be read at all."""
        self._unusable += 1
        if self._as_json:
            self._entries.append({"run": run, "error": {**error.as_dict()}})
        elif self._several:
            print_line(f"{error}")
        else:
            raise error

    def close(self, more: dict[str, JSON] | None = None) -> None:
        """Tell what concerns all runs, and in the data what else there is to tell."""
        summary: dict[str, JSON] = {name: {**counts} for name, counts in self._counts.items()}
        if self._as_json:
            print_json(
                {
                    "format": "verify/1",
                    "runs": self._entries,
                    "summary": summary,
                    "unusable": self._unusable,
                    **(more or {}),
                }
            )
        elif self._several:
            unusable = f", {self._unusable} unusable" if self._unusable else ""
            print_line(f"verify: {self._runs} run{'' if self._runs == 1 else 's'}{unusable}")
            for name, words in _WORDS.items():
                told = [f"{self._counts[name][word]} {word}" for word in words if self._counts[name][word]]
                print_line(f"  {name:<9} {', '.join(told) or 'none'}")

    @property
    def exit_code(self) -> Exit:
        """By the table of exit codes (conformance.exit-codes)."""
        words = {word for counts in self._counts.values() for word in counts}
        if words & _FAILED:
            return Exit.FAILED
        if self._unusable:
            return Exit.UNUSABLE
        return Exit.UNCHECKED if words & _UNCHECKED or self._is_unresolved else Exit.GOOD


def shown_runs(runs: list[str]) -> Iterable[str]:
    """The runs, with a bar on a terminal's standard error where there are many."""
    if len(runs) <= _MANY or not sys.stderr.isatty():
        return runs
    from rich.console import Console  # noqa: PLC0415 - most calls have few runs
    from rich.progress import track  # noqa: PLC0415

    return track(runs, description="verify", console=Console(stderr=True), transient=True)
