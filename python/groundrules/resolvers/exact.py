"""Exact numbers: whole numbers, decimals and fractions as texts, and no binary fraction (resolve.numbers)."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from groundrules.canonical.domain import LARGEST_SAFE

if TYPE_CHECKING:
    from groundrules.strictjson import JSON

_LONGEST = 1300
"""How many characters a number may have: as many as the longest that is written."""
_MOST_DIGITS = 640
"""How many digits a numeral in it may have, leading zeros aside: what every interpreter converts."""
_LARGEST_EXPONENT = 400
LARGEST_BITS = 2048
"""How many bits the numerator or the denominator of a result may have."""
_DECIMAL = re.compile(r"(?P<whole>-?(?:0|[1-9][0-9]*))(?:\.(?P<places>[0-9]+))?(?:[eE](?P<exponent>[+-]?[0-9]{1,6}))?")
_RATIO = re.compile(r"(?P<numerator>-?(?:0|[1-9][0-9]*))/(?P<denominator>[1-9][0-9]*)")
_TEN = 10


class TooLargeError(ArithmeticError):
    """A number is beyond the bounds of exact arithmetic."""


def read_number(value: JSON) -> Fraction | None:
    """The number that a value states: a whole number, or a text in decimals or as a fraction.

    Args:
        value: any JSON value; a binary fraction and a truth value state none.

    Returns:
        None where it states no number.

    Raises:
        TooLargeError: it has more than 1 300 characters, a numeral of more than 640 digits, an exponent beyond 400 in
            magnitude, or more than 2 048 bits.
    """
    match value:
        case bool():
            return None
        case int():
            return bounded(Fraction(value))
        case str():
            return _written(value)
    return None


def write_number(number: Fraction) -> int | str:
    """A number as JSON: whole, else a decimal where it ends, else a fraction in lowest terms.

    A whole number beyond 2^53 - 1 is a text. A decimal whose digits make a number of more than 2 048 bits is written
    as a fraction.
    """
    if number.denominator == 1:
        return number.numerator if abs(number.numerator) <= LARGEST_SAFE else str(number.numerator)
    twos, fives, rest = 0, 0, number.denominator
    while rest % 2 == 0:
        twos, rest = twos + 1, rest // 2
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    if rest > 1:
        return f"{number.numerator}/{number.denominator}"
    places = max(twos, fives)
    scaled = abs(number.numerator) * _TEN**places // number.denominator
    if scaled.bit_length() > LARGEST_BITS:
        return f"{number.numerator}/{number.denominator}"
    digits = str(scaled).rjust(places + 1, "0")
    return f"{'-' if number < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def bounded(number: Fraction) -> Fraction:
    """The number itself.

    Raises:
        TooLargeError: its numerator or its denominator has more than 2 048 bits.
    """
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > LARGEST_BITS:
        raise TooLargeError
    return number


def _written(text: str) -> Fraction | None:
    ratio, decimal = _RATIO.fullmatch(text), _DECIMAL.fullmatch(text)
    if ratio is None and decimal is None:
        return None
    if len(text) > _LONGEST:
        raise TooLargeError
    if ratio is not None:
        return bounded(Fraction(_numeral(ratio["numerator"]), _numeral(ratio["denominator"])))
    assert decimal is not None  # noqa: S101 - it is one of the two
    exponent, places = int(decimal["exponent"] or 0), decimal["places"] or ""
    if abs(exponent) > _LARGEST_EXPONENT:
        raise TooLargeError
    return bounded(_numeral(decimal["whole"] + places) * Fraction(_TEN) ** (exponent - len(places)))


def _numeral(written: str) -> int:
    """A numeral with its sign."""
    digits = written.removeprefix("-").lstrip("0")
    if len(digits) > _MOST_DIGITS:
        raise TooLargeError
    return int(digits or "0") * (-1 if written.startswith("-") else 1)
