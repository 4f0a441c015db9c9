"""The pyjson form against its definition, written here a second time from the chapter alone."""

import json
import sys
from decimal import ROUND_FLOOR, Context, Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from groundrules import CanonicalError, canonicalise, loads
from samples import values

NAME = "dd-json-document-v1"
_WIDE = Context(prec=800)
_ESCAPES = {0x22: '\\"', 0x5C: "\\\\", 0x08: "\\b", 0x0C: "\\f", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"}


def defined(value):
    """The text of a value by the chapter's sentences."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return integer_digits(value)
        case float():
            return float_by_definition(value)
        case str():
            return string_by_definition(value)
        case list():
            return "[" + ",".join(defined(element) for element in value) + "]"
    members = sorted(value.items(), key=lambda member: [ord(character) for character in member[0]])
    return "{" + ",".join(string_by_definition(name) + ":" + defined(inner) for name, inner in members) + "}"


def integer_digits(value):
    digits, rest = [], abs(value)
    while rest or not digits:
        rest, digit = divmod(rest, 10)
        digits.append("0123456789"[digit])
    return ("-" if value < 0 else "") + "".join(reversed(digits))


def string_by_definition(text):
    written = []
    for character in text:
        point = ord(character)
        if point in _ESCAPES:
            written.append(_ESCAPES[point])
        elif point < 0x20:
            written.append("\\u00" + "0123456789abcdef"[point >> 4] + "0123456789abcdef"[point & 15])
        else:
            written.append(character)
    return '"' + "".join(written) + '"'


def float_by_definition(value):
    if value == 0:
        return "-0.0" if str(value).startswith("-") else "0.0"
    sign, magnitude = ("-", -value) if value < 0 else ("", value)
    digits, n = shortest(magnitude)
    if -4 < n <= 16:
        padded = digits.ljust(n, "0") if n > 0 else digits
        whole, fraction = (padded[:n], padded[n:]) if n > 0 else ("0", "0" * -n + padded)
        return f"{sign}{whole}.{fraction or '0'}"
    exponent = n - 1
    tail = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def shortest(magnitude):
    """The fewest digits that read back, the closest of those (on a tie the even one), and the power of ten."""
    exact = Decimal(magnitude)
    n = exact.adjusted() + 1
    for count in range(1, 18):
        unit = Decimal(1).scaleb(n - count)
        below = exact.quantize(unit, rounding=ROUND_FLOOR, context=_WIDE)
        candidates = [text for text in (below, below + unit) if float(text) == magnitude]
        if candidates:
            closest = min(candidates, key=lambda text: (abs(text - exact), text.as_tuple().digits[-1] % 2))
            return "".join(map(str, closest.as_tuple().digits)).rstrip("0"), closest.adjusted() + 1
    raise AssertionError(magnitude)


@settings(max_examples=2000)
@given(values)
@example({"\U0001f600": 1, "\ue000": 2})
@example(
    [
        1e16,
        9999999999999998.0,
        1e15,
        1e-4,
        9.999e-5,
        5e-324,
        -0.0,
        1.7976931348623157e308,
        2.0**60,
        2.0**-24,
        562949953421312.75,
        562949953421312.25,
    ]
)
def test_the_octets_are_the_defined_ones(value):
    """What json.dumps writes is what the chapter's sentences say, character for character."""
    assert canonicalise(value, NAME) == defined(value).encode()


@settings(max_examples=3000)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_float_texts_are_the_defined_ones(value):
    """The notation of a double follows from its shortest digits alone."""
    assert canonicalise(value, NAME) == float_by_definition(value).encode()


@given(values)
def test_canonical_octets_are_a_fixed_point(value):
    """Reading canonical octets strictly and writing them again changes nothing."""
    octets = canonicalise(value, NAME)
    assert canonicalise(loads(octets), NAME) == octets


def test_the_form_is_that_of_a_plain_json_dumps():
    """The pyjson form is what a plain json.dumps call writes, so that old hashes stand."""
    value = {"b": [1, 1.0, None, True], "a": "é\u2028<", "": -0.0}
    expected = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert canonicalise(value, NAME) == expected


def test_a_lowered_digit_limit_of_the_interpreter_is_told():
    """An integer that this Python is set not to write is a typed refusal."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        with pytest.raises(CanonicalError, match="set_int_max_str_digits"):
            canonicalise(10**700, NAME)
    finally:
        sys.set_int_max_str_digits(before)
