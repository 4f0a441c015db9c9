"""The OTLP/JSON form: ``resourceSpans[].scopeSpans[].spans[]`` with typed attribute values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.errors import ReadError
from groundrules.trace.builder import SpanBuilder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.strictjson import JSON
    from groundrules.trace.spans import SpanRecord

_STATUSES: dict[JSON, str] = {
    0: "unset",
    1: "ok",
    2: "error",
    "STATUS_CODE_UNSET": "unset",
    "STATUS_CODE_OK": "ok",
    "STATUS_CODE_ERROR": "error",
}
_DIGITS = re.compile(r"(-?)0*([0-9]{1,20})")
_NON_FINITE = ("NaN", "Infinity", "-Infinity")


class _Malformed(Exception):  # noqa: N818 - it never leaves this module
    """An attribute list or value does not have its form."""


def spans(resources: JSON, index: int) -> Iterator[SpanRecord]:
    """Every span of one message.

    Args:
        resources: the value of ``resourceSpans``.
        index: the position of the first span in the file.

    Raises:
        ReadError: ``read.not-a-trace`` where the nesting is not the form's, or ``read.base64-id``.
    """
    for resource in _objects(resources):
        for scope in _objects(resource.get("scopeSpans", [])):
            for span in _objects(scope.get("spans", [])):
                yield _span(span, index)
                index += 1


def _objects(value: JSON) -> Iterator[dict[str, JSON]]:
    elements = value if isinstance(value, list) else [value]
    for element in elements:
        if not isinstance(element, dict) or not isinstance(value, list):
            raise ReadError(
                "read.not-a-trace",
                "a part of an OTLP/JSON message is no list of objects",
                stage="parse",
                remedy="export the trace again",
            )
        yield element


def _span(span: dict[str, JSON], index: int) -> SpanRecord:
    builder = SpanBuilder(index)
    builder.name(span.get("name"))
    parent = span.get("parentSpanId")
    builder.ids(span.get("spanId"), span.get("traceId"), None if _is_no_parent(parent) else parent)
    start, end = span.get("startTimeUnixNano"), span.get("endTimeUnixNano")
    builder.times(_time(start), _time(end) or None, ended=end is not None and _time(end) != 0)
    status = span.get("status", {})
    builder.status(status.get("code", 0) if isinstance(status, dict) else None, _STATUSES)
    try:
        attributes = _attributes(span.get("attributes", []))
    except _Malformed:
        attributes = None
    builder.attributes(attributes)
    return builder.build()


def _is_no_parent(value: JSON) -> bool:
    return value is None or (isinstance(value, str) and not value.removeprefix("0x").strip("0"))


def _time(value: JSON) -> int | None:
    if isinstance(value, str):
        value = None if value.startswith("-") else _integer(value)
    return value if type(value) is int and 0 <= value < 2**64 else None


def _attributes(value: JSON) -> dict[str, JSON]:
    if not isinstance(value, list):
        raise _Malformed
    attributes: dict[str, JSON] = {}
    for entry in value:
        match entry:
            case {"key": str(key), "value": dict(typed), **rest} if not rest and key not in attributes:
                attributes[key] = _value(typed)
            case _:
                raise _Malformed
    return attributes


def _value(typed: dict[str, JSON]) -> JSON:
    """The one typed value of an attribute. Octets stay an object, so that they are never taken for text."""
    match typed:
        case {"stringValue": str(text), **rest} if not rest:
            return text
        case {"boolValue": bool(flag), **rest} if not rest:
            return flag
        case {"intValue": str(digits), **rest} if not rest:
            return _within_64_bits(_integer(digits))
        case {"intValue": int(number), **rest} if not rest and type(number) is int:
            return _within_64_bits(number)
        case {"doubleValue": (int() | float()) as number, **rest} if not rest and not isinstance(number, bool):
            return _double(number)
        case {"doubleValue": str(word), **rest} if not rest and word in _NON_FINITE:
            return word
        case {"arrayValue": dict(array), **rest} if not rest:
            return _array(array)
        case {"kvlistValue": dict(pairs), **rest} if not rest:
            return _attributes(_values(pairs))
        case {"bytesValue": str(octets), **rest} if not rest:
            return {"bytesValue": octets}
    raise _Malformed


def _integer(text: str) -> int | None:
    """An integer of at most twenty digits besides zeros in front, or None."""
    match = _DIGITS.fullmatch(text)
    return int(match[1] + match[2]) if match else None


def _double(number: float) -> float:
    """A number as a double; one that no double can hold is malformed."""
    try:
        return float(number)
    except OverflowError:
        raise _Malformed from None


def _within_64_bits(number: int | None) -> int:
    if number is None or not -(2**63) <= number < 2**63:
        raise _Malformed
    return number


def _values(container: dict[str, JSON]) -> JSON:
    """The values of an array or a map, which have no member beside them."""
    if container.keys() - {"values"}:
        raise _Malformed
    return container.get("values", [])


def _array(array: dict[str, JSON]) -> list[JSON]:
    values = _values(array)
    if not isinstance(values, list):
        raise _Malformed
    elements: list[JSON] = []
    for value in values:
        if not isinstance(value, dict):
            raise _Malformed
        elements.append(_value(value))
    return elements
