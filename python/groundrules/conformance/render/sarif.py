"""The findings of ``verify/1`` as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import groundrules
from groundrules.catalogue import catalogue
from groundrules.errors import bare, escaped
from groundrules.runs.layout import ENVELOPE, SPANS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.strictjson import JSON

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_FINDINGS: Final = (
    ("contract", "findings"),
    ("files", "findings"),
    ("grounding", "findings"),
    ("sources", "violations"),
)
"""The four verdicts of a run, in their order, and where each has its findings."""


@dataclass(frozen=True, slots=True)
class _Result:
    """One finding of one run; ``location`` is a location of SARIF."""

    rule: str
    message: str
    location: dict[str, JSON]


def sarif(verify: dict[str, JSON]) -> str:
    """The findings of all runs as one run of SARIF; text that ends with one line feed.

    What is no finding and must not look like none is told as a notification: a run or a file that cannot be read, and
    findings that a verdict does not list.

    Args:
        verify: of the format ``verify/1``, as ``groundrules verify RUN... --json`` prints it.
    """
    results: list[_Result] = []
    notifications: list[str] = []
    for run in _objects(verify["runs"]):
        match run:
            case {"run": str(folder), "verdict": dict(verdicts)}:
                results += _results(folder, verdicts)
                notifications += _not_listed(folder, verdicts)
            case {"run": str(folder), "error": {"code": str(code), "detail": str(detail)}}:
                notifications.append(f"{bare(folder)}: {detail} [{code}]")
            case _:  # pragma: no cover - verify prints no other entry
                raise AssertionError(run)
    rules = sorted({result.rule for result in results}, key=[rule.id for rule in catalogue().rules].index)
    invocation: dict[str, JSON] = {
        "executionSuccessful": not verify["unusable"],
        "toolExecutionNotifications": [{"level": "error", "message": _message(told)} for told in notifications],
    }
    run_of_sarif: dict[str, JSON] = {
        "tool": {"driver": _driver(rules)},
        "invocations": [invocation],
        "results": [_result(result, rules.index(result.rule)) for result in results],
        "columnKind": "unicodeCodePoints",
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run_of_sarif]}, indent=2) + "\n"


def _driver(rules: list[str]) -> JSON:
    descriptors: list[JSON] = []
    for rule in catalogue().rules:
        if rule.id in rules:
            shown = f"Shows: {rule.shows} Does not show: {rule.does_not_show}"
            descriptors.append(
                {
                    "id": rule.id,
                    "shortDescription": _message(rule.title),
                    "fullDescription": _message(shown),
                    "help": _message(shown),
                    "defaultConfiguration": {"level": "error"},
                    "properties": {"requirement": rule.requirement},
                }
            )
    return {"name": "groundrules", "version": groundrules.__version__, "rules": descriptors}


def _result(result: _Result, index: int) -> JSON:
    return {
        "ruleId": result.rule,
        "ruleIndex": index,
        "level": "error",
        "message": _message(result.message),
        "locations": [result.location],
    }


def _message(told: str) -> dict[str, JSON]:
    """A message of SARIF that shows a text as it is.

    Braces are doubled, since single ones hold places (3.11.5). Between a bracket and a parenthesis goes a space, since
    the two are a link, also to a viewer that heeds no backslash (3.11.6).
    """
    return {"text": escaped(told).replace("{", "{{").replace("}", "}}").replace("](", "] (")}


def _results(folder: str, verdicts: dict[str, JSON]) -> Iterator[_Result]:
    for name, member in _FINDINGS:
        for finding in _objects(_object(verdicts[name])[member]):
            yield _finding(folder, finding)


def _finding(folder: str, finding: dict[str, JSON]) -> _Result:
    match finding:
        case {"rule": str(rule), "code": str(code), "at": dict(at), "detail": str(detail)}:
            return _Result(rule, f"{detail} [{code}]", _location(folder, at))
    raise AssertionError(finding)  # pragma: no cover - the schema makes every finding match


def _location(folder: str, at: dict[str, JSON]) -> dict[str, JSON]:
    """Where a finding is: the file of the run, and the place in it (verdicts.finding)."""
    match at:
        case {"span": int(number), "span_id": span_id}:
            name = f"span number {number + 1}" if span_id is None else str(span_id)
            return _place(folder, SPANS, {"fullyQualifiedName": name, "kind": "span"})
        case {"pointer": str(pointer), **rest}:
            logical: dict[str, JSON] = {"fullyQualifiedName": pointer, "kind": "value"}
            return _place(folder, str(rest.get("file", ENVELOPE)), logical if pointer else None)
    raise AssertionError(at)  # pragma: no cover - the schema makes every place match


def _place(folder: str, file: str, logical: dict[str, JSON] | None) -> dict[str, JSON]:
    place: dict[str, JSON] = {"physicalLocation": {"artifactLocation": {"uri": _uri(folder, file)}}}
    return place if logical is None else place | {"logicalLocations": [logical]}


def _uri(folder: str, file: str) -> str:
    """The URI of a file of a run: relative where the folder is named so, else of the scheme ``file``."""
    path = Path(folder, file)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()), safe="/")


def _not_listed(folder: str, verdicts: dict[str, JSON]) -> Iterator[str]:
    """The files of a run that cannot be read, and how many findings of each rule its verdicts do not list."""
    for file in _objects(_object(verdicts["files"])["unreadable"]):
        yield f"{bare(folder)}: {file['file']}: {file['detail']} [{file['code']}]"
    for name, _ in _FINDINGS:
        for rule, number in _object(_object(verdicts[name])["omitted"]).items():
            if rule != "note":
                yield f"{bare(folder)}: and {number} more of {rule}"


def _object(value: JSON) -> dict[str, JSON]:
    assert isinstance(value, dict)  # noqa: S101 - the schema of the verdict says so
    return value


def _objects(value: JSON) -> list[dict[str, JSON]]:
    assert isinstance(value, list)  # noqa: S101 - the schema of the verdict says so
    return [_object(item) for item in value]
