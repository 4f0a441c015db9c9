"""Putting a span record together, fault by fault, in the order of the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.trace.spans import SPAN_DIGITS, TRACE_DIGITS, Fault, SpanRecord, Status, normal_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.strictjson import JSON


class SpanBuilder:
    """Collects the parts of one span and what is malformed about them (g0.span)."""

    def __init__(self, index: int) -> None:
        self._index = index
        self._name = ""
        self._span_id: str | None = None
        self._parent_id: str | None = None
        self._trace_id: str | None = None
        self._start: int | None = None
        self._end: int | None = None
        self._status = Status.UNSET
        self._attributes: dict[str, JSON] = {}
        self._faults: list[Fault] = []

    def name(self, value: JSON) -> None:
        """The name, a string."""
        if isinstance(value, str):
            self._name = value
        else:
            self._fault("g0.span-name", "the span has no name that is a string")

    def ids(self, span_id: JSON, trace_id: JSON, parent_id: JSON) -> None:
        """The three ids; a parent of None means none.

        Raises:
            ReadError: ``read.base64-id``.
        """
        self._span_id = normal_id(span_id, SPAN_DIGITS)
        self._trace_id = normal_id(trace_id, TRACE_DIGITS)
        self._parent_id = normal_id(parent_id, SPAN_DIGITS)
        if self._span_id is None:
            self._fault("g0.span-id", "the span id is missing or malformed")
        elif parent_id is not None and self._parent_id is None:
            self._fault("g0.span-id", "the parent id is malformed")
        if self._trace_id is None:
            self._fault("g0.trace-id", "the trace id is missing or malformed")

    def times(self, start: int | None, end: int | None, *, ended: bool) -> None:
        """Start and end in nanoseconds, None where malformed; ``ended`` where an end was given."""
        self._start, self._end = start, end
        if start is None or (ended and end is None):
            self._fault("g0.time", "a time of the span is missing or malformed")
        if not ended:
            self._fault("g0.unended-span", "the span has no end")
        if start is not None and end is not None and end < start:
            self._fault("g0.end-before-start", "the span ends before it starts")

    def status(self, value: JSON, names: Mapping[JSON, str]) -> None:
        """The status, by the names of its form."""
        known = isinstance(value, str | int) and not isinstance(value, bool) and value in names
        if known:
            self._status = Status(names[value])
        else:
            self._fault("g0.span-status", "the status of the span is none that exists")

    def attributes(self, value: dict[str, JSON] | None) -> None:
        """The attributes, or None where they do not have their form."""
        if value is None:
            self._fault("g0.attributes", "the attributes of the span do not have their form")
        else:
            self._attributes = value

    def build(self) -> SpanRecord:
        """The record."""
        return SpanRecord(
            self._index,
            self._name,
            self._span_id,
            self._parent_id,
            self._trace_id,
            self._start,
            self._end,
            self._status,
            self._attributes,
            tuple(self._faults),
        )

    def _fault(self, code: str, detail: str) -> None:
        self._faults.append(Fault(code, detail))
