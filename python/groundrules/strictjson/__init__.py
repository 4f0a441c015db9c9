"""The one door through which JSON enters: strict reading of octets (chapter *Strict JSON*).

:func:`loads` accepts exactly the RFC 8259 texts that are UTF-8, hold no duplicate name, no lone surrogate and no
number that overflows, and stay within the limits. Everything else is a :class:`~groundrules.errors.ReadError` with a
permanent code and a place; no other exception escapes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groundrules.errors import ReadError
from groundrules.strictjson import fast, reference
from groundrules.strictjson.decode import decode
from groundrules.strictjson.values import JSON, LIMITS, Limits, pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["JSON", "LIMITS", "Limits", "lines", "loads", "pointer"]


def loads(data: bytes, *, limits: Limits = LIMITS) -> JSON:
    """Read one JSON text strictly.

    Args:
        data: the octets of the whole text.
        limits: depth, length of a number literal and size; the normative ones unless a caller narrows them.

    Returns:
        The value: dict, list, str, int, float, bool or None, and no other type. ``1`` is an int, ``1.0`` and ``1e0``
        are floats, ``-0`` is the int 0.

    Raises:
        ReadError: the text is refused; see the table of codes in the chapter.
    """
    text = decode(data, limits)
    try:
        try:
            return fast.read(data, text, limits)
        except fast.Doubt:
            return reference.read(text, limits)
    except MemoryError:
        raise ReadError(
            "read.out-of-memory", "there is not enough memory to hold this document", stage="parse"
        ) from None


def lines(data: bytes, *, limits: Limits = LIMITS) -> Iterator[tuple[int, JSON]]:
    r"""Read JSON Lines: one strict JSON text a line, split on ``\n`` and on nothing else.

    A last line feed ends the last line and begins no other. Raw U+2028 and U+0085 inside a string are data.

    Args:
        data: the octets of the whole file.
        limits: applied to each line for itself.

    Yields:
        The line number, from 1, and the line's value.

    Raises:
        ReadError: a line is refused (an empty one is ``read.empty``); ``where.line`` is its number in the file.
    """
    number, start = 0, 0
    while start < len(data):
        number += 1
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        try:
            value = loads(data[start:end], limits=limits)
        except ReadError as error:
            within = error.where.offset
            error.where = replace(error.where, line=number, offset=None if within is None else start + within)
            raise
        yield number, value
        start = end + 1
