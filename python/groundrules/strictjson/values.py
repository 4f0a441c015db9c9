"""What strict reading yields, how much of it, and how a place in it is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
"""A JSON value. Integers and floats are kept apart: ``1`` reads as int, ``1.0`` and ``1e0`` as float."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The normative limits of one JSON text (strict JSON, limits).

    Attributes:
        depth: levels of nesting; a scalar alone has none, ``[]`` has one.
        number: characters of one number literal.
        document: octets of the whole text.
    """

    depth: int = 64
    number: int = 1100
    document: int = 64 * 1024 * 1024


LIMITS = Limits()
"""The limits every conforming implementation applies."""


def pointer(path: Iterable[str | int]) -> str:
    """The JSON Pointer (RFC 6901) of a path of member names and indexes."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
