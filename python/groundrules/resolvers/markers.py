"""Typed markers: texts that are known by their form, and where there is one by their checksum (resolve.markers)."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
_EMAIL = re.compile(
    rf"(?<!{_ATOM}){_ATOM}{{1,64}}(?:\.{_ATOM}{{1,64}}){{0,20}}@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,20}[A-Za-z]{2,63}(?![A-Za-z0-9-])"
)
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_IPV4 = re.compile(rf"(?<![0-9.])(?:{_OCTET}\.){{3}}{_OCTET}(?![0-9]|\.[0-9])")
_DIGIT_GROUPS = re.compile(r"[0-9]+(?:[ -][0-9]+)*")
_GROUP = re.compile(r"[0-9A-Z]+")
_IBAN_START = re.compile(r"(?<![0-9A-Z])[A-Z]{2}[0-9]{2}")
_IBAN_GROUPS = re.compile(r"[0-9A-Z]+(?: [0-9A-Z]+){0,34}")
_CARD_DIGITS = range(13, 20)
_IBAN_CHARACTERS = range(15, 35)
_TEN = 10
_NINETY_SEVEN = 97


def marked(text: str, marker: str) -> Iterator[tuple[int, int]]:
    """Where each marker of a kind begins and ends, in code points and in order.

    Args:
        text: where to look.
        marker: ``email``, ``iban``, ``credit-card`` or ``ipv4``.
    """
    return _MARKERS[marker](text)


def _emails(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _EMAIL.finditer(text))


def _addresses(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _IPV4.finditer(text))


def _cards(text: str) -> Iterator[tuple[int, int]]:
    """Whole groups of digits, apart by one space or hyphen, 13 to 19 in all, that satisfy the Luhn check."""
    for run in _DIGIT_GROUPS.finditer(text):
        groups = [(run.start() + group.start(), run.start() + group.end()) for group in _GROUP.finditer(run[0])]
        yield from _windows(text, groups, _CARD_DIGITS, _luhn)


def _ibans(text: str) -> Iterator[tuple[int, int]]:
    """Whole groups of capitals and digits, apart by one space, that satisfy the check of ISO 13616."""
    for start in _IBAN_START.finditer(text):
        run = _IBAN_GROUPS.match(text, start.start())
        assert run is not None  # noqa: S101 - it begins like its start
        near = itertools.islice(_GROUP.finditer(run[0]), _IBAN_CHARACTERS.stop)
        groups = [(start.start() + group.start(), start.start() + group.end()) for group in near]
        yield from _opening(text, groups, _IBAN_CHARACTERS, _mod_97)


def _windows(
    text: str, groups: list[tuple[int, int]], sizes: range, holds: Callable[[str], bool]
) -> Iterator[tuple[int, int]]:
    """Every choice of groups that follow each other, of a size, of which something holds."""
    for first in range(len(groups)):
        yield from _opening(text, groups[first : first + sizes.stop], sizes, holds)


def _opening(
    text: str, groups: list[tuple[int, int]], sizes: range, holds: Callable[[str], bool]
) -> Iterator[tuple[int, int]]:
    """The same of those that begin with the first group."""
    written = ""
    for start, end in groups:
        written += text[start:end]
        if len(written) >= sizes.stop:
            break
        if len(written) in sizes and holds(written):
            yield groups[0][0], end


def _luhn(digits: str) -> bool:
    total = 0
    for position, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (2 if position % 2 else 1)
        total += doubled - 9 if doubled >= _TEN else doubled
    return total % _TEN == 0


def _mod_97(written: str) -> bool:
    turned = written[4:] + written[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % _NINETY_SEVEN == 1


_MARKERS: dict[str, Callable[[str], Iterator[tuple[int, int]]]] = {
    "email": _emails,
    "iban": _ibans,
    "credit-card": _cards,
    "ipv4": _addresses,
}
