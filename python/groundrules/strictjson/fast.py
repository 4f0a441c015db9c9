"""The fast reader: CPython's own scanner, allowed to say yes but never to say no.

Its answer counts only where every refusal of the reference reader is ruled out by checks that run in linear time and
mostly in C. Whatever is in doubt raises :class:`Doubt`, and the reference reader decides.
"""

from __future__ import annotations

import functools
import json
import json.scanner
import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundrules.strictjson.values import JSON, Limits

_OPENERS = (b"[", b"{")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_PAIR = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_QUOTED = re.compile(rb'"[^"]*+"')
_NOT_STRUCTURE = bytes(octet for octet in range(256) if octet not in b'"[]{}')
_ONE_BRACKET = bytes.maketrans(b"{}", b"[]")
_NUMBER_OCTETS = b"-+.0123456789eE"
_DIGITS_ONLY = bytes(0x30 if octet in _NUMBER_OCTETS else 0x20 for octet in range(256))


class Doubt(Exception):  # noqa: N818 - it is not an error: it hands the decision over
    """The fast reader cannot vouch for this text."""


def read(data: bytes, text: str, limits: Limits) -> JSON:
    """Read one JSON text, or raise Doubt.

    Args:
        data: the octets.
        text: the same, decoded.
        limits: the limits on depth and number literals.

    Raises:
        Doubt: the text is malformed, breaks a limit, or cannot be told from one that does.
    """
    if not _IS_CPYTHON_SCANNER or _may_be_too_deep(data, limits.depth):
        raise Doubt
    if b"\\u" in data and _holds_lone_surrogate(data):
        raise Doubt
    try:
        decoder = _measuring(limits.number) if _may_hold_long_number(data, limits.number) else _DECODER
        return decoder.decode(text)  # type: ignore[no-any-return]  # the decoder's hooks make it a JSON value
    except (ValueError, RecursionError):
        raise Doubt from None


_IS_CPYTHON_SCANNER = None not in (
    getattr(json.scanner, "c_make_scanner", None),
    getattr(json.decoder, "c_scanstring", None),
)
"""The scanner in C is the one whose grammar is known; the one in Python takes digits of other scripts."""


def _unique(members: list[tuple[str, JSON]]) -> dict[str, JSON]:
    value = dict(members)
    if len(value) != len(members):
        raise Doubt
    return value


def _finite(literal: str) -> float:
    value = float(literal)
    if math.isinf(value):
        raise Doubt
    return value


def _refuse_token(_token: str) -> JSON:
    raise Doubt


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refuse_token)


@functools.cache
def _measuring(longest: int) -> json.JSONDecoder:
    """The decoder for texts with long runs of digits, which may stand in strings: it measures every number."""

    def integer(literal: str) -> int:
        if len(literal) > longest:
            raise Doubt
        return int(literal)

    def real(literal: str) -> float:
        if len(literal) > longest:
            raise Doubt
        return _finite(literal)

    return json.JSONDecoder(
        object_pairs_hook=_unique, parse_int=integer, parse_float=real, parse_constant=_refuse_token
    )


def _may_be_too_deep(data: bytes, depth: int) -> bool:
    """False only where the brackets outside strings nest at most ``depth`` levels.

    Strings are dropped first; then each round removes every innermost pair of brackets, one level a round.
    """
    if sum(data.count(opener) for opener in _OPENERS) <= depth:
        return False
    plain = data.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in data else data
    quotes_and_brackets = plain.translate(None, _NOT_STRUCTURE).replace(b'""', b"")
    brackets = _QUOTED.sub(b"", quotes_and_brackets).translate(_ONE_BRACKET)
    for _ in range(depth):
        brackets = brackets.replace(b"[]", b"")
    return bool(brackets)


def _may_hold_long_number(data: bytes, longest: int) -> bool:
    """False only where no run of number characters is longer than ``longest``."""
    return len(data) > longest and b"0" * (longest + 1) in data.translate(_DIGITS_ONLY)


def _holds_lone_surrogate(data: bytes) -> bool:
    """True where a surrogate escape has no partner. Escaped backslashes and whole pairs are blanked out first."""
    if not _SURROGATE.search(data):
        return False
    return bool(_SURROGATE.search(_PAIR.sub(b"__", data.replace(b"\\\\", b"__"))))
