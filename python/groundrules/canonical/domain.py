"""Which Python values are JSON documents: exactly those that strict reading can yield, and nothing is coerced.

A tuple, an integer as a member name or a subclass of ``str`` would be written by an encoder as something it is not,
and its hash could never be reproduced from the bytes. So it is refused instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NoReturn

from groundrules.errors import CanonicalError, Where
from groundrules.strictjson import JSON, LIMITS, pointer

_Path = tuple["_Path", str | int] | None
_LARGEST_INTEGER = 10**LIMITS.number
LARGEST_SAFE = 2**53 - 1
"""The largest magnitude at which doubles tell integers apart; what jcs-safe admits."""


@dataclass(slots=True)
class Survey:
    """What one walk over a document found.

    Attributes:
        has_float: a float stands somewhere.
        has_large_integer: an integer beyond 2^53 - 1 in magnitude stands somewhere.
    """

    has_float: bool = False
    has_large_integer: bool = False


def survey(document: JSON) -> Survey:
    """Admit a value as a JSON document, in one walk without recursion.

    Args:
        document: any Python value; dict, list, str, int, float, bool and None, by exact type, are JSON.

    Raises:
        CanonicalError: ``canon.not-json`` with the pointer of a part that strict reading could not have yielded:
            another type, a float that is not finite, a lone surrogate, an integer of more digits than a number
            literal has, or nesting over the limit (which a cycle always reaches).
    """
    found = Survey()
    pending: list[tuple[JSON, int, _Path]] = [(document, 1, None)]
    while pending:
        value, level, path = pending.pop()
        kind = type(value)
        if kind is str:
            _admit_text(value, path)  # type: ignore[arg-type]  # the exact type was just tested
        elif kind is int:
            _admit_integer(value, path, found)  # type: ignore[arg-type]
        elif kind is float:
            _admit_float(value, path, found)  # type: ignore[arg-type]
        elif kind is dict or kind is list:
            if level > LIMITS.depth:
                _refuse(f"the nesting goes deeper than {LIMITS.depth} levels", path)
            pending.extend(_children(value, level + 1, path))  # type: ignore[arg-type]
        elif kind is not bool and value is not None:
            _refuse(f"a Python {kind.__name__} is not a JSON value", path)
    return found


def _children(container: dict[str, JSON] | list[JSON], level: int, path: _Path) -> list[tuple[JSON, int, _Path]]:
    if isinstance(container, list):
        return [(value, level, (path, index)) for index, value in enumerate(container)]
    for name in container:
        if type(name) is not str:
            _refuse(f"a member name is a Python {type(name).__name__}, not a string", path)
        _admit_text(name, path)
    return [(value, level, (path, name)) for name, value in container.items()]


def _admit_text(text: str, path: _Path) -> None:
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            _refuse("a string holds half of a surrogate pair", path)


def _admit_integer(value: int, path: _Path, found: Survey) -> None:
    if not -LARGEST_SAFE <= value <= LARGEST_SAFE:
        found.has_large_integer = True
        if not -_LARGEST_INTEGER < value * (10 if value < 0 else 1) < _LARGEST_INTEGER:
            _refuse(f"an integer has a literal of more than {LIMITS.number} characters", path)


def _admit_float(value: float, path: _Path, found: Survey) -> None:
    found.has_float = True
    if not math.isfinite(value):
        _refuse("a float that is not finite is not a JSON number", path)


def _refuse(detail: str, path: _Path) -> NoReturn:
    steps: list[str | int] = []
    while path is not None:
        path, step = path
        steps.append(step)
    raise CanonicalError(
        "canon.not-json",
        detail,
        stage="canonicalise",
        where=Where(pointer=pointer(reversed(steps))),
        remedy="pass a value that strict reading yields",
    )
