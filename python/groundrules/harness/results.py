"""What an agent answers: its result, held to its schema before anything is made of it (agent.result)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groundrules import strictjson
from groundrules.documents import first_departure
from groundrules.errors import CanonicalError, ReadError, bare
from groundrules.harness.outcomes import Fault, Faulty
from groundrules.runs.writing import page
from groundrules.strictjson import pointer
from groundrules.trace import read_trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundrules.strictjson import JSON


@dataclass(slots=True)
class Answer:
    """What came of running an agent.

    Attributes:
        result: of ``schemas/agent-result.json``, or None where there is a fault.
        spans: texts of spans as the agent sent them, each certain to be read.
        fault: why there is no result.
    """

    result: dict[str, JSON] | None = None
    spans: list[bytes] = field(default_factory=list)
    fault: Fault | None = None


def parse_result(text: bytes) -> dict[str, JSON]:
    """A result that came as a JSON text.

    Raises:
        Faulty: ``agent.malformed-result``.
    """
    try:
        return _held(strictjson.loads(text))
    except ReadError as error:
        raise Faulty("agent.malformed-result", f"{error.detail} [{error.code}]") from None


def copied_result(value: object, limit: int) -> dict[str, JSON]:
    """A result that came as a Python value, as a copy that nobody else holds.

    Raises:
        Faulty: ``agent.malformed-result``; ``agent.output-limit``.
    """
    try:
        text = page(value)  # type: ignore[arg-type]  # it refuses what is no JSON value
    except (CanonicalError, ReadError) as error:
        raise Faulty("agent.malformed-result", f"{error.detail} [{error.code}]") from None
    if len(text) > limit:
        raise Faulty("agent.output-limit", f"the result has {len(text)} bytes")
    return parse_result(text)


def _held(value: JSON) -> dict[str, JSON]:
    departure = first_departure(value, "agent-result")
    if departure is not None:
        path, detail = departure
        place = f"at {bare(pointer(path))}: " if path else ""
        raise Faulty("agent.malformed-result", f"{place}{detail}")
    assert isinstance(value, dict)  # noqa: S101 - by its schema
    return value


def readable_spans(texts: Sequence[bytes], most: int) -> tuple[list[bytes], Fault | None]:
    """The span texts of an agent that a reader of the trace will read, and a fault where there are others.

    Args:
        texts: one a span, or a message with many.
        most: how many spans the trace has room for.
    """
    kept: list[bytes] = []
    fault: Fault | None = None
    for index, text in enumerate(texts):
        try:
            number = _spans_in(text)
        except ReadError as error:
            fault = fault or Fault("agent.malformed-span", f"span {index}: {error.detail} [{error.code}]")
            continue
        most -= number
        if most < 0:
            return kept, Fault("agent.too-many-spans", f"span {index} is one too many")
        kept.append(text)
    return kept, fault


def _spans_in(text: bytes) -> int:
    if b"\n" in text:
        raise ReadError("read.not-a-trace", "its text has a line feed", stage="parse")
    return len(read_trace(text))
