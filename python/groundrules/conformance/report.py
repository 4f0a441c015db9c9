"""A conformance report: what was answered, without time or place, and whether it still holds."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import groundrules
from groundrules.conformance.score import Outcome
from groundrules.documents import validate
from groundrules.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groundrules.conformance.runner import Answered
    from groundrules.conformance.vectors import Corpus, Vector
    from groundrules.strictjson import JSON

NON_CLAIMS: Final = (
    "The report shows answers to the vectors that were asked, and nothing of other inputs.",
    "A pass in lint or run does not show that an agent retrieved anything: the checks compare accounts.",
    "Whoever ran the kit made the report; nobody else has vouched for it.",
)
"""What a reader is not to conclude from a report."""

_SHARED = ("kit", "corpus", "set", "strength", "asked", "partial", "damaged", "unmatched")
"""What reports have in common that are put together."""
_LONGEST = 4000
"""How many characters of a detail are kept."""

GREEN: Final = (Outcome.PASS, Outcome.XFAIL, Outcome.NOT_APPLICABLE)
"""The outcomes that leave a run green (conformance.red)."""


def build(
    answered: Sequence[Answered],
    asked: Sequence[Vector],
    corpus: Corpus,
    set_name: str | None,
    strength: str = "reasons",
) -> dict[str, JSON]:
    """The report of what implementations answered.

    Args:
        answered: one implementation each.
        asked: the vectors that were asked.
        corpus: the whole corpus.
        set_name: the set that was asked, or None.
        strength: ``reasons`` or ``verdict`` (conformance.strengths).
    """
    return {
        "format": "conformance-report/1",
        "kit": groundrules.__version__,
        "corpus": corpus.digest,
        "set": set_name,
        "strength": strength,
        "asked": len(asked),
        "implementations": [_implementation(one, {vector.id: vector.sha256 for vector in asked}) for one in answered],
        "does_not_claim": [*NON_CLAIMS],
    }


def _implementation(answered: Answered, pins: Mapping[str, str]) -> JSON:
    results: list[JSON] = []
    for result in answered.results:
        entry: dict[str, JSON] = {"id": result.id, "sha256": pins[result.id], "result": result.outcome.value}
        results.append(entry | ({"detail": result.detail[:_LONGEST]} if result.detail else {}))
    counts = Counter(result.outcome.value for result in answered.results)
    return {
        "implementation": {**answered.implementation},
        "kinds": [*answered.kinds],
        "features": [*answered.features],
        "counts": {**_counts(counts)},
        "strengths": {**_strengths(counts)},
        "results": results,
    }


def _counts(counts: Counter[str]) -> dict[str, int]:
    return {outcome.value: counts[outcome.value] for outcome in Outcome}


def _strengths(counts: Counter[str]) -> dict[str, int]:
    passed = counts[Outcome.PASS.value]
    return {"verdict": passed + counts[Outcome.WRONG_REASON.value], "reasons": passed}


def merged(reports: Sequence[dict[str, JSON]]) -> dict[str, JSON]:
    """One report of the implementations of several, with the first one's kit, corpus and set.

    Raises:
        UsageError: ``usage.not-a-report``: they are of different corpora or sets.
    """
    first = reports[0]
    implementations: list[JSON] = []
    for report in reports:
        if any(report.get(name) != first.get(name) for name in _SHARED):
            remedy = "ask all implementations the same vectors at the same strength"
            detail = "the reports are of different corpora, sets, vectors or strengths"
            raise UsageError("usage.not-a-report", detail, remedy=remedy)
        listed = report["implementations"]
        implementations += listed if isinstance(listed, list) else []
    return first | {"implementations": implementations}


def departures(report: JSON, corpus: Corpus, members: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Why a report does not hold against a corpus, one clause each.

    Args:
        report: any JSON value.
        corpus: the corpus it is held to.
        members: the ids of each set, with their pins.
    """
    faults = validate(report, "conformance-report")
    if faults or not isinstance(report, dict):
        yield from (f"at {fault.pointer or 'its top'}: {fault.detail}" for fault in faults)
        return
    if report["corpus"] != corpus.digest:
        yield f"it is of the corpus {report['corpus']}, and this one is {corpus.digest}"
    if report["set"] is not None and report["set"] not in members:
        yield f"it names the set {report['set']}, which is not there"
    if report["kit"] == groundrules.__version__ and report["does_not_claim"] != [*NON_CLAIMS]:
        yield "it does not say what this kit says that it does not claim"
    for name, what in (("damaged", "a damaged corpus"), ("unmatched", "expected failures without a vector")):
        if name in report:
            yield f"it tells of {what}"
    known = {vector.id: vector for vector in corpus.vectors}
    wanted = set(members.get(str(report["set"]), known)) - {v.id for v in corpus.vectors if v.status == "withdrawn"}
    implementations = report["implementations"]
    assert isinstance(implementations, list)  # noqa: S101 - by the schema
    told = [one for one in implementations if isinstance(one, dict)]
    if len({str(one["implementation"]) for one in told}) < len(told):
        yield "one implementation stands in it twice"
    for one in told:
        yield from _of_one(one, report, known, wanted)


def _of_one(
    one: dict[str, JSON], report: dict[str, JSON], known: Mapping[str, Vector], wanted: set[str]
) -> Iterator[str]:
    stated, results = one["implementation"], one["results"]
    name = stated["name"] if isinstance(stated, dict) else ""
    entries = [entry for entry in results if isinstance(entry, dict)] if isinstance(results, list) else []
    ids = [str(entry["id"]) for entry in entries]
    if not entries or len(entries) != report["asked"] or sorted(set(ids)) != ids:
        yield f"{name}: the results are not {report['asked']} vectors, each once and sorted by id"
    if "partial" not in report and wanted - set(ids):
        yield f"{name}: {len(wanted - set(ids))} vectors that were to be asked are not in it"
    for entry in entries:
        vector = known.get(str(entry["id"]))
        if vector is None or vector.sha256 != entry["sha256"]:
            yield f"{name}: its {entry['id']} is not the vector of this corpus"
            continue
        if entry["id"] not in wanted:
            yield f"{name}: its {entry['id']} is not in the set"
        if (entry["result"] == Outcome.PASS.value) == ("detail" in entry):
            yield f"{name}: its {entry['id']} has a detail and is a pass, or neither"
        yield from (f"{name}: its {entry['id']} {fault}" for fault in _impossible(one, entry, vector))
    counts = Counter(str(entry["result"]) for entry in entries)
    if one["counts"] != _counts(counts):
        yield f"{name}: its counts are not those of its results"
    if one["strengths"] != _strengths(counts):
        yield f"{name}: its strengths are not those of its results"


def _impossible(one: dict[str, JSON], entry: dict[str, JSON], vector: Vector) -> Iterator[str]:
    """What no run of the kit could have found."""
    kinds, features = one["kinds"], one["features"]
    declared = isinstance(kinds, list) and isinstance(features, list) and vector.kind in kinds
    declared = declared and set(vector.features) <= set(map(str, features if isinstance(features, list) else ()))
    unheard = (Outcome.ERROR.value, Outcome.CRASH.value, Outcome.TIMEOUT.value)
    if (declared and entry["result"] == Outcome.NOT_APPLICABLE.value) or (
        not declared and entry["result"] not in (Outcome.NOT_APPLICABLE.value, *unheard)
    ):
        yield "does not fit the kinds that are declared"
    if entry["result"] == Outcome.WRONG_REASON.value and not vector.is_negative:
        yield "is refused for the wrong reason and is no refusal"


def is_green(answered: Answered, *, by_verdict: bool) -> bool:
    """Whether nothing an implementation answered is red (conformance.red, conformance.strengths)."""
    green = (*GREEN, Outcome.WRONG_REASON) if by_verdict else GREEN
    return all(result.outcome in green for result in answered.results)
