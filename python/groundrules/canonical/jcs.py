"""The jcs-safe form: RFC 8785 over the documents on which it keeps distinct doubles distinct, the sign of zero aside.

Members are sorted by UTF-16 code units, numbers are written as ECMAScript writes them. Every number, read as the
nearest double, stays within 2^53 - 1 in magnitude; noncharacters are refused (RFC 7493, section 2.1).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.canonical import pyjson
from groundrules.canonical.domain import LARGEST_SAFE
from groundrules.errors import CanonicalError, Where, show
from groundrules.strictjson import JSON, pointer

if TYPE_CHECKING:
    from groundrules.canonical.domain import Survey

_PLANES = "".join(f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(17))
_NONCHARACTER = re.compile(f"[\ufdd0-\ufdef{_PLANES}]")
_BEYOND_FAST_PATH = re.compile("[\ufdd0-\ufdef\ufffe\uffff\U00010000-\U0010ffff]")
_ESCAPED = re.compile(r'["\\\x00-\x1f]')
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_FIXED_FROM = 1e-6
"""ECMAScript writes smaller magnitudes in scientific notation."""
_FIXED_BELOW = 1e21
"""... and magnitudes from here on."""


def encode(value: JSON, survey: Survey) -> bytes:
    """The jcs-safe octets of a value.

    Where no number needs ECMAScript's notation and no name could sort otherwise, the two families write the same
    octets and the faster writer serves.

    Args:
        value: the value.
        survey: what :func:`groundrules.canonical.domain.survey` found in it.

    Raises:
        CanonicalError: ``canon.number-out-of-range`` or ``canon.noncharacter``, the first in canonical order.
    """
    if not survey.has_float and not survey.has_large_integer:
        octets = pyjson.encode(value)
        if not _BEYOND_FAST_PATH.search(octets.decode()):
            return octets
    pieces: list[str] = []
    _Writer(pieces).value(value)
    return "".join(pieces).encode("utf-8")


class _Writer:
    """The exact writer. Depth is bounded by the survey, so it may recurse."""

    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces
        self.path: list[str | int] = []

    def value(self, value: JSON) -> None:
        match value:
            case None:
                self.pieces.append("null")
            case bool():
                self.pieces.append("true" if value else "false")
            case int() | float():
                self.pieces.append(self.number(value))
            case str():
                self.pieces.append(self.string(value))
            case list():
                self.array(value)
            case _:
                self.object(value)

    def array(self, elements: list[JSON]) -> None:
        self.pieces.append("[")
        for index, element in enumerate(elements):
            if index:
                self.pieces.append(",")
            self.path.append(index)
            self.value(element)
            self.path.pop()
        self.pieces.append("]")

    def object(self, members: dict[str, JSON]) -> None:
        self.pieces.append("{")
        for index, name in enumerate(sorted(members, key=_utf16_units)):
            if index:
                self.pieces.append(",")
            self.path.append(name)
            self.pieces.append(self.string(name))
            self.pieces.append(":")
            self.value(members[name])
            self.path.pop()
        self.pieces.append("}")

    def string(self, text: str) -> str:
        found = _NONCHARACTER.search(text)
        if found:
            raise CanonicalError(
                "canon.noncharacter",
                f"a string holds the noncharacter U+{ord(found[0]):04X}, which I-JSON forbids",
                stage="canonicalise",
                where=Where(pointer=pointer(self.path)),
                remedy="remove the character",
            )
        return f'"{_ESCAPED.sub(_escape, text)}"'

    def number(self, value: float) -> str:
        if abs(value) > LARGEST_SAFE:
            raise CanonicalError(
                "canon.number-out-of-range",
                f"the number {show(str(value))} is beyond 2^53 - 1, where doubles cannot tell integers apart",
                stage="canonicalise",
                where=Where(pointer=pointer(self.path)),
                remedy="carry it as a string",
            )
        return str(value) if isinstance(value, int) else number_text(value)


def number_text(value: float) -> str:
    """A finite double as ECMAScript's Number::toString writes it (RFC 8785, section 3.2.2.3), over its whole range."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    leading_zeros = len(whole + fraction) - len(digits)
    point = len(whole) - leading_zeros + int(exponent or "0")
    digits = digits.rstrip("0")
    return sign + _lay_out(digits, point, abs(value))


def _lay_out(digits: str, point: int, magnitude: float) -> str:
    """The number 0.digits times ten to the power ``point``, in fixed or scientific notation."""
    if not _FIXED_FROM <= magnitude < _FIXED_BELOW:
        tail = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{digits[0]}{tail}e{point - 1:+d}"
    if point <= 0:
        return f"0.{'0' * -point}{digits}"
    if point >= len(digits):
        return digits + "0" * (point - len(digits))
    return f"{digits[:point]}.{digits[point:]}"


def _utf16_units(name: str) -> bytes:
    return name.encode("utf-16-be")


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return _SHORT_ESCAPES.get(character) or f"\\u{ord(character):04x}"
