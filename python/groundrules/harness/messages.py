"""The lines of the agent protocol, version 1 (chapter *Agent protocol*)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules import strictjson
from groundrules.documents import first_departure
from groundrules.errors import ReadError, bare, show
from groundrules.harness.outcomes import Faulty, Refused
from groundrules.harness.task import DOCUMENT_NAME
from groundrules.strictjson import pointer

if TYPE_CHECKING:
    from groundrules.harness.task import Task
    from groundrules.strictjson import JSON

VERSION = 1


def invoke(task: Task) -> bytes:
    """The first line to an agent: all that it gets."""
    message: dict[str, JSON] = {
        "v": VERSION,
        "op": "invoke",
        "request": task.request_text.decode(),
        "input_ref": task.input_ref,
        "input_hash": task.input_hash,
        "input_canonicalisation": task.input_canonicalisation,
        "traceparent": task.traceparent,
    }
    return _line(message if task.grant is None else message | {"grant": task.grant})


@dataclass(frozen=True, slots=True)
class Result:
    """An agent's last line: its result and its spans, as texts."""

    result: bytes
    spans: list[bytes]


@dataclass(frozen=True, slots=True)
class Question:
    """What an agent asks the conductor for: the members of its line."""

    members: dict[str, JSON]

    @property
    def seq(self) -> int:
        """Its number."""
        seq = self.members["seq"]
        assert isinstance(seq, int | float)  # noqa: S101 - by the schema, which takes 1.0 for an integer
        return int(seq)


def read(line: bytes) -> Result | Question:
    """A line of an agent.

    Raises:
        Faulty: ``agent.malformed-message``: it is none of the protocol.
    """
    try:
        message = strictjson.loads(line)
    except ReadError as error:
        raise Faulty("agent.malformed-message", f"{error.detail} [{error.code}]") from None
    _mind_shape(message)
    departure = first_departure(message, "agent-message")
    if departure is not None:
        path, detail = departure
        place = f"at {bare(pointer(path))}: " if path else ""
        raise Faulty("agent.malformed-message", f"{place}{detail}")
    match message:
        case {"op": "result", "result": str(result), "spans": [*spans]}:
            return Result(result.encode(), [str(span).encode() for span in spans])
        case dict():
            return Question(message)
    raise AssertionError(message)  # pragma: no cover - by the schema


_MEMBERS = {
    "retrieve": (
        {"seq", "snapshot_ref", "source_id", "canonicalisation"},
        {"seq", "retriever", "query", "canonicalisation"},
    ),
    "delegate": ({"seq", "grant", "agent_id", "input"},),
    "result": ({"result", "spans"},),
}
"""The members that a line of each operation may have besides ``op``, in each of its forms."""


def _mind_shape(message: JSON) -> None:
    """Refuse the commonest mistakes by their name, and a list that is none of texts before a schema walks through it.

    Raises:
        Faulty: ``agent.malformed-message``.
    """
    if not isinstance(message, dict):
        raise Faulty("agent.malformed-message", "it is no object")
    forms = _MEMBERS.get(str(message.get("op")))
    if forms is None:
        raise Faulty("agent.malformed-message", f"op is none of {', '.join(_MEMBERS)}")
    form = forms[-1] if "retriever" in message else forms[0]
    foreign, missing = message.keys() - form - {"op"}, form - {"canonicalisation"} - message.keys()
    if foreign or missing:
        told = [*(f"{show(name)} is not known here" for name in sorted(foreign)[:3])]
        told += [f"the member {name} is missing" for name in sorted(missing)]
        raise Faulty("agent.malformed-message", ", ".join(told))
    spans = message.get("spans", [])
    if not isinstance(spans, list) or not all(isinstance(text, str) for text in spans):
        raise Faulty("agent.malformed-message", "spans is no list of texts")


def answer(task: Task, question: Question) -> bytes:
    """The line that answers a question: what the conductor did, or why it did not."""
    try:
        value = _value(task, question.members)
    except Refused as refusal:
        error: JSON = {"code": refusal.code, "detail": refusal.detail}
        return _line({"op": "reply", "seq": question.seq, "ok": False, "error": error})
    text = json.dumps(value, ensure_ascii=False)
    return _line({"op": "reply", "seq": question.seq, "ok": True, "value": text})


def _value(task: Task, members: dict[str, JSON]) -> JSON:
    name = str(members.get("canonicalisation", DOCUMENT_NAME))
    match members:
        case {"snapshot_ref": str(snapshot_ref), "source_id": str(source_id)}:
            return task.retrieve(snapshot_ref, source_id, name)
        case {"retriever": str(retriever), "query": str(query)}:
            return [*task.query(retriever, _text(query, "retrieve.malformed"), name)]
        case {"grant": str(grant), "agent_id": str(agent_id), "input": str(text)}:
            return task.delegate(agent_id, _text(text, "delegate.malformed-input"), grant)
    raise AssertionError(members)  # pragma: no cover - by the schema


def _text(text: str, code: str) -> JSON:
    try:
        return strictjson.loads(text.encode())
    except ReadError as error:
        raise Refused(code, f"it is no strict JSON text: {error.detail} [{error.code}]") from None


def _line(message: dict[str, JSON]) -> bytes:
    return json.dumps(message).encode() + b"\n"
