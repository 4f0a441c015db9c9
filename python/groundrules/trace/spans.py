"""One span as the rules see it, whatever form it came in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from groundrules.errors import ReadError
from groundrules.times import microseconds

if TYPE_CHECKING:
    from groundrules.strictjson import JSON

SPAN_DIGITS = 16
TRACE_DIGITS = 32
_HEX = re.compile(r"(?:0x)?([0-9a-fA-F]+)")
_BASE64 = re.compile(r"(?=.{12}\Z|.{24}\Z)[A-Za-z0-9+/]+={1,2}")


class Status(StrEnum):
    """The status of a span."""

    UNSET = "unset"
    OK = "ok"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is malformed about a span: a G0 code and one clause."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class SpanRecord:
    """One span.

    Attributes:
        index: its position in the file, from 0.
        name: its name, "" where it has none.
        span_id: 16 lower-case hex digits, or None where malformed or missing.
        parent_id: the same of its parent, or None for none.
        trace_id: 32 lower-case hex digits, or None where malformed or missing.
        start_ns: nanoseconds since 1970, or None where malformed or missing.
        end_ns: the same of its end.
        status: unset, ok or error.
        attributes: name to value; {} where malformed.
        faults: what is malformed, in the order of the catalogue.
    """

    index: int
    name: str
    span_id: str | None
    parent_id: str | None
    trace_id: str | None
    start_ns: int | None
    end_ns: int | None
    status: Status
    attributes: dict[str, JSON]
    faults: tuple[Fault, ...] = ()

    @property
    def start_us(self) -> int | None:
        """Rule time of the start."""
        return None if self.start_ns is None else microseconds(self.start_ns)

    @property
    def end_us(self) -> int | None:
        """Rule time of the end."""
        return None if self.end_ns is None else microseconds(self.end_ns)


def normal_id(value: JSON, digits: int) -> str | None:
    """An id in normal form, or None where it is malformed (trace.ids).

    Raises:
        ReadError: ``read.base64-id``: it is base64, which generic protobuf JSON writes.
    """
    if not isinstance(value, str):
        return None
    if _BASE64.fullmatch(value):
        raise ReadError(
            "read.base64-id",
            "an id is base64, as generic protobuf JSON writes it; OTLP/JSON has hexadecimal ids",
            stage="parse",
            remedy="export the trace with an OTLP/JSON exporter",
        )
    match = _HEX.fullmatch(value)
    if match is None or len(match[1]) > digits or not match[1].strip("0"):
        return None
    return match[1].lower().rjust(digits, "0")
