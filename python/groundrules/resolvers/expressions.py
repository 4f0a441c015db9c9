"""What the two expression languages share: their limits, and how a departure from a grammar is told."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NoReturn

from groundrules.canonical import pyjson
from groundrules.canonical.domain import survey
from groundrules.errors import CanonicalError, SchemaError, Where
from groundrules.strictjson import pointer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from groundrules.strictjson import JSON

COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
"""The comparisons of both languages by their words; the two sides are of one type."""

DEEPEST = 32
"""Levels of nesting of an expression, brackets of lists and objects alike."""
LONGEST = 2000
"""Characters of an expression in its pyjson form, which is also how it stands in a ref."""


def admit(expression: JSON, path: tuple[str | int, ...]) -> str:
    """The pyjson form of an expression within the limits; ``path`` is where it stands.

    Raises:
        SchemaError: ``schema.expression``: it is no JSON, too deep or too long.
    """
    try:
        survey(expression)
    except CanonicalError as error:
        malformed(error.detail, path)
    pending = [(expression, 1)]
    while pending:
        value, level = pending.pop()
        if isinstance(value, dict | list):
            if level > DEEPEST:
                malformed(f"it nests deeper than {DEEPEST} levels", path)
            pending.extend((inner, level + 1) for inner in (value.values() if isinstance(value, dict) else value))
    written = pyjson.encode(expression).decode()
    if len(written) > LONGEST:
        malformed(f"it has more than {LONGEST} characters", path)
    return written


def malformed(detail: str, path: tuple[str | int, ...]) -> NoReturn:
    """Refuse an expression at a place of it.

    Raises:
        SchemaError: ``schema.expression``.
    """
    where = Where(pointer=pointer(path))
    raise SchemaError("schema.expression", detail, where=where, remedy="see the chapter Resolvers")
