"""Comparing an answer with what a vector expects (conformance.results)."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from groundrules.errors import bare, show

if TYPE_CHECKING:
    from groundrules.conformance.builtin import Answer
    from groundrules.conformance.vectors import Vector
    from groundrules.strictjson import JSON


_COMPARED = (
    "stage",
    "status",
    "words",
    "canonical_b64",
    "digest",
    "codes",
    "notes",
    "items",
    "missing",
    "unreadable",
    "verified",
    "unresolved",
    "skipped",
    "copies",
    "flags",
    "witnessing",
    "checks",
    "deciders",
    "proven",
    "effect",
    "because",
    "attaches",
    "answer",
    "findings",
)


class Outcome(StrEnum):
    """What a vector says of an implementation (chapter *Adapter protocol*). Only ``pass`` is conformance."""

    PASS = "pass"  # noqa: S105 - a verdict, not a secret
    FAIL = "fail"
    WRONG_REASON = "wrong-reason"
    XFAIL = "xfail"
    XPASS = "xpass"
    SKIPPED = "skipped"
    NOT_APPLICABLE = "not-applicable"
    TIMEOUT = "timeout"
    CRASH = "crash"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one vector; ``detail`` says where the answer departs, "" on a pass."""

    id: str
    outcome: Outcome
    detail: str = ""


def score(vector: Vector, answer: Answer) -> Result:
    """Score one answer.

    The verdict comes first: another one is a failure. A refusal at another stage or with other codes is right for the
    wrong reason. What an answer to a positive vector computed is compared octet by octet, stage by stage.
    """
    if "skipped" in answer and "verdict" not in answer:
        return Result(vector.id, Outcome.SKIPPED, bare(str(answer["skipped"])))
    if "verdict" not in answer:
        return Result(vector.id, Outcome.ERROR, f"the answer has no verdict: {_short(answer)}")
    if answer["verdict"] != vector.expect["verdict"]:
        wanted = vector.expect["verdict"]
        return Result(vector.id, Outcome.FAIL, f"expected {wanted}, came {bare(_told(answer))}")
    differs = Outcome.WRONG_REASON if vector.is_negative else Outcome.FAIL
    detail = _first_difference(vector, answer)
    return Result(vector.id, differs if detail else Outcome.PASS, detail)


def _first_difference(vector: Vector, answer: Answer) -> str:
    for name, wanted in _in_order(vector).items():
        came = _member(answer, name)
        if _comparable(name, came) != _comparable(name, wanted):
            return f"{name.replace('/', ' ')}: expected {_legible(name, wanted)}, came {_legible(name, came)}"
    return ""


def _in_order(vector: Vector) -> dict[str, JSON]:
    """What is compared, earliest stage first, so that the first difference names the stage that diverged."""
    stages: dict[str, JSON] = {f"stages/{name}": value for name, value in vector.stages.items()}
    names = sorted(vector.expect.keys() - {"verdict", "canonical_length"}, key=_COMPARED.index)
    return stages | {name: vector.expect[name] for name in names}


def _member(answer: Answer, name: str) -> JSON:
    value: JSON = answer
    for step in name.split("/"):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _comparable(name: str, value: JSON) -> JSON:
    """A value with its lists of codes and of files as sorted sets (conformance.results)."""
    if name in ("codes", "notes", "missing", "unreadable") and isinstance(value, list):
        return [*sorted({str(code) for code in value})]
    if name == "answer":
        return json.dumps(value, sort_keys=True)  # 1, 1.0 and true are three things
    if name == "items" and isinstance(value, list):
        return [_comparable_item(item) for item in value]
    return value


def _comparable_item(item: JSON) -> JSON:
    if not isinstance(item, dict):
        return item
    return {name: _comparable(name, value) for name, value in item.items()}


def _legible(name: str, value: JSON) -> str:
    if name.endswith("_b64") and isinstance(value, str):
        try:
            return show(base64.b64decode(value, validate=True).decode("utf-8", "backslashreplace"))
        except ValueError:
            return f"{show(value)}, which is no base64"
    return _short(value)


def _short(value: JSON) -> str:
    return show(value) if isinstance(value, str) else bare(repr(value))


def _told(answer: Answer) -> str:
    return " ".join(str(answer[name]) for name in ("verdict", "reason", "stage", "codes") if name in answer)
