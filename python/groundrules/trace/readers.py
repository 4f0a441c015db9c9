"""The strict streaming readers of the two wire forms (trace.lines, trace.forms)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from groundrules import strictjson
from groundrules.errors import ReadError, Where
from groundrules.trace import otlp, tojson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.strictjson import JSON
    from groundrules.trace.spans import SpanRecord

MOST_SPANS = 100_000
"""How many spans a trace may have (trace.limit)."""


def read_trace(data: bytes) -> list[SpanRecord]:
    """Read a trace in either form.

    Args:
        data: the octets of the file: one JSON text a line, or one text over many lines.

    Returns:
        The spans in file order. A span that is malformed in itself carries its faults; it is not refused here.

    Raises:
        ReadError: a text is refused, is no span in either form, holds a base64 id, or there are too many spans.
    """
    spans: list[SpanRecord] = []
    for line, text in _texts(data.rstrip(b" \t\r\n")):
        try:
            for span in _spans(text, len(spans)):
                if len(spans) == MOST_SPANS:
                    _refuse("read.too-many-spans", f"the trace has more than {MOST_SPANS} spans", "split the run")
                spans.append(span)
        except ReadError as error:
            error.where = replace(error.where, line=line)
            raise
    if not spans:
        _refuse("read.not-a-trace", "the trace holds no span", "export at least the root span")
    return spans


def _texts(data: bytes) -> Iterator[tuple[int, JSON]]:
    first, feed, _ = data.partition(b"\n")
    try:
        strictjson.loads(first)
    except ReadError:
        if not feed:
            raise
        yield 1, strictjson.loads(data)
    else:
        yield from strictjson.lines(data)


def _spans(text: JSON, index: int) -> Iterator[SpanRecord]:
    match text:
        case {"resourceSpans": resources}:
            yield from otlp.spans(resources, index)
        case dict() if "context" in text:
            yield tojson.span(text, index)
        case _:
            _refuse(
                "read.not-a-trace",
                "it is neither a to_json span (with context) nor an OTLP/JSON message (with resourceSpans)",
                "export the trace in one of the two forms",
            )


def _refuse(code: str, detail: str, remedy: str) -> NoReturn:
    raise ReadError(code, detail, stage="parse", where=Where(), remedy=remedy)
