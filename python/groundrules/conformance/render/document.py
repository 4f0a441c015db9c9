"""A conformance report as every renderer takes it: typed, by family, and how it stands."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from groundrules.conformance.score import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groundrules.strictjson import JSON


GREEN: Final = (Outcome.PASS, Outcome.XFAIL, Outcome.NOT_APPLICABLE)
"""The outcomes that leave a run green (conformance.red)."""


class Standing(IntEnum):
    """How an implementation stands (conformance.red); the greater, the worse."""

    ALL = 0
    APPLICABLE = 1
    RED = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """The result of one vector; ``detail`` is "" where there is none."""

    id: str
    sha256: str
    outcome: Outcome
    detail: str

    @property
    def family(self) -> str:
        """The first part of the id."""
        return self.id.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Implementation:
    """What one implementation answered.

    Attributes:
        about: ``name`` and ``version``, and where known ``language`` and ``url``; all of it foreign text.
        kinds: the kinds it answers.
        features: the optional features it has.
        strengths: how many vectors pass by verdict alone, and with the right reasons.
        entries: sorted by id.
        by_verdict: a refusal for the wrong reason was good enough (conformance.strengths).
        at_best: how it can stand: not well where a part was asked, red where the corpus or a list was damaged.
    """

    about: dict[str, str]
    kinds: tuple[str, ...]
    features: tuple[str, ...]
    strengths: tuple[int, int]
    entries: tuple[Entry, ...]
    by_verdict: bool = False
    at_best: Standing = Standing.ALL

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.about['name']} {self.about['version']}"

    @property
    def passes(self) -> str:
        """How many vectors pass at each strength, as a report states it (conformance.strengths)."""
        verdict, reasons = self.strengths
        return f"{reasons} with the right reasons, {verdict} by verdict alone"

    @property
    def counts(self) -> Counter[Outcome]:
        """How many results of each kind, counted from the results and not taken from what is stated."""
        return Counter(entry.outcome for entry in self.entries)

    @property
    def families(self) -> dict[str, Counter[Outcome]]:
        """How many results of each kind, by family; the families sorted."""
        told: dict[str, Counter[Outcome]] = {family: Counter() for family in sorted({e.family for e in self.entries})}
        for entry in self.entries:
            told[entry.family][entry.outcome] += 1
        return told

    def standing(self, asked: int) -> Standing:
        """How it stands where so many vectors were asked; one that passes none of them is red (conformance.red)."""
        counts = self.counts
        passed = counts[Outcome.PASS] + (counts[Outcome.WRONG_REASON] if self.by_verdict else 0)
        green = passed + counts[Outcome.XFAIL]
        if not passed or asked != len(self.entries):
            return Standing.RED
        if green == asked:
            return self.at_best
        is_green = green + counts[Outcome.NOT_APPLICABLE] == asked
        return max(Standing.APPLICABLE, self.at_best) if is_green else Standing.RED


@dataclass(frozen=True, slots=True)
class Report:
    """A conformance report; the members are those of ``schemas/conformance-report.json``."""

    kit: str
    corpus: str
    set: str | None
    asked: int
    implementations: tuple[Implementation, ...]
    does_not_claim: tuple[str, ...]
    partial: bool = False
    troubles: tuple[str, ...] = ()


def read(report: dict[str, JSON]) -> Report:
    """A report as the renderers take it.

    Args:
        report: of ``schemas/conformance-report.json``; whoever calls has validated it.
    """
    match report:
        case {
            "kit": str(kit),
            "corpus": str(corpus),
            "set": (str() | None) as name,
            "strength": strength,
            "asked": int(asked),
            "implementations": [*implementations],
            "does_not_claim": [*claims],
            **rest,
        }:
            troubles = tuple(_troubles(rest))
            partial = "partial" in rest
            at_best = Standing.RED if troubles else Standing.APPLICABLE if partial else Standing.ALL
            by_verdict = strength == "verdict"
            read_ones = tuple(_implementation(one, by_verdict=by_verdict, at_best=at_best) for one in implementations)
            return Report(kit, corpus, name, asked, read_ones, tuple(map(str, claims)), partial, troubles)
    raise AssertionError(report)  # pragma: no cover - the schema makes every report match


def _troubles(rest: dict[str, JSON]) -> Iterator[str]:
    """What a report tells of a damaged corpus and of expected failures that match nothing."""
    damaged, unmatched = rest.get("damaged", []), rest.get("unmatched", [])
    for error in [entry for entry in damaged if isinstance(entry, dict)] if isinstance(damaged, list) else ():
        place = f"{error['file']}: " if "file" in error else ""
        yield f"damaged: {place}{error['detail']} [{error['code']}]"
    for pattern in unmatched if isinstance(unmatched, list) else ():
        yield f"unmatched: the expected failure {pattern} is none"


def _implementation(one: JSON, *, by_verdict: bool, at_best: Standing) -> Implementation:
    match one:
        case {
            "implementation": dict(about),
            "kinds": [*kinds],
            "features": [*features],
            "strengths": {"verdict": int(verdict), "reasons": int(reasons)},
            "results": [*results],
        }:
            return Implementation(
                {name: str(value) for name, value in about.items()},
                tuple(map(str, kinds)),
                tuple(map(str, features)),
                (verdict, reasons),
                tuple(map(_entry, results)),
                by_verdict,
                at_best,
            )
    raise AssertionError(one)  # pragma: no cover - the schema makes every implementation match


def _entry(result: JSON) -> Entry:
    match result:
        case {"id": str(name), "sha256": str(sha256), "result": str(outcome), **rest}:
            return Entry(name, sha256, Outcome(outcome), str(rest.get("detail", "")))
    raise AssertionError(result)  # pragma: no cover - the schema makes every result match


def columns(counts: Counter[Outcome]) -> list[Outcome]:
    """The outcomes a table has a column for: pass, fail, and what else occurs, in the order of the protocol."""
    return [outcome for outcome in Outcome if counts[outcome] or outcome in (Outcome.PASS, Outcome.FAIL)]


def departing(entries: Iterable[Entry]) -> dict[Outcome, list[Entry]]:
    """The entries that are no pass, by outcome: first what is red, each in the order of the protocol."""
    told: dict[Outcome, list[Entry]] = {outcome: [] for outcome in sorted(Outcome, key=GREEN.__contains__)}
    for entry in entries:
        told[entry.outcome].append(entry)
    return {outcome: listed for outcome, listed in told.items() if listed and outcome is not Outcome.PASS}


def by_detail(entries: Sequence[Entry]) -> dict[str, list[str]]:
    """The ids by their detail, so that what a thousand vectors share is told once."""
    told: dict[str, list[str]] = {}
    for entry in entries:
        told.setdefault(entry.detail, []).append(entry.id)
    return told


def clipped(text: str, limit: int = 600) -> str:
    """The first ``limit`` characters of a text, and how many it has where that is more."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
