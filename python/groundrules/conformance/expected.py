"""Expected failures: listed with their reasons, and strict both ways (conformance.xfail)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from groundrules import strictjson
from groundrules.conformance.score import Outcome, Result
from groundrules.documents import validate
from groundrules.errors import ConfigurationError, ReadError, UsageError, Where
from groundrules.files import read_bytes
from groundrules.sources.plainyaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Expected:
    """One entry of the list.

    Attributes:
        pattern: of ids, with ``*``, ``?`` and ``[…]``.
        reason: why it fails.
        issue: where it is followed up, or "".
    """

    pattern: str
    reason: str
    issue: str = ""


def read_expected(file: str) -> tuple[Expected, ...]:
    """Read a list of expected failures, JSON where its name ends in ``.json``, else YAML.

    Raises:
        UsageError: ``usage.expected``: it is none; or the file cannot be read.
    """
    data = read_bytes(file)
    try:
        document = strictjson.loads(data) if file.lower().endswith(".json") else read_yaml(data)
    except (ReadError, ConfigurationError) as error:
        where = Where(file=file, line=error.where.line)
        raise UsageError("usage.expected", error.detail, where=where, remedy=error.remedy) from None
    for finding in validate(document, "expected-failures"):
        where = Where(file=file, pointer=finding.pointer)
        remedy = "each entry has an id pattern and a reason; see schemas/expected-failures.json"
        raise UsageError("usage.expected", finding.detail, where=where, remedy=remedy)
    match document:
        case {"expected_failures": [*entries]}:
            return tuple(
                Expected(str(entry["id"]), str(entry["reason"]), str(entry.get("issue", "")))
                for entry in entries
                if isinstance(entry, dict)
            )
    raise AssertionError(file)  # pragma: no cover - by the schema


def apply(
    results: Iterable[Result], expected: Sequence[Expected], *, by_verdict: bool = False
) -> tuple[list[Result], list[Expected]]:
    """The results with expected failures marked, and the entries that match no vector.

    A wrong answer can be expected; none at all (a crash, a timeout, an error, ``not-applicable``) is left as it is.

    Args:
        results: of one implementation.
        expected: the list; the first entry that matches gives the reason.
        by_verdict: a refusal for the wrong reason is a pass (conformance.strengths).
    """
    marked, met = [], set()
    for result in results:
        matching = [entry for entry in expected if fnmatchcase(result.id, entry.pattern)]
        met.update(matching)
        marked.append(_marked(result, matching[0], by_verdict=by_verdict) if matching else result)
    return marked, [entry for entry in expected if entry not in met]


def _marked(result: Result, entry: Expected, *, by_verdict: bool) -> Result:
    passes = (Outcome.PASS, Outcome.WRONG_REASON) if by_verdict else (Outcome.PASS,)
    if result.outcome in passes:
        return replace(result, outcome=Outcome.XPASS, detail=f"it was expected to fail: {entry.reason}")
    if result.outcome not in (Outcome.FAIL, Outcome.WRONG_REASON):
        return result
    return replace(result, outcome=Outcome.XFAIL, detail=f"{result.outcome.value}, as expected: {entry.reason}")
