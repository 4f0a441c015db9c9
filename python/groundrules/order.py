"""Document order: where a value stands in a document, so that findings can be told in the order a reader meets them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundrules.strictjson import JSON


class DocumentOrder:
    """A sort key for paths into one document: the index among its siblings, level by level.

    A container comes before its members; the part of a path that the document does not have is left out.
    """

    def __init__(self, document: JSON) -> None:
        self._document = document
        self._members: dict[int, dict[str, int]] = {}

    def __call__(self, path: Iterable[str | int]) -> tuple[int, ...]:
        """The key of one path."""
        places: list[int] = []
        value: Any = self._document
        for step in path:
            if isinstance(value, dict) and step in value:
                places.append(self._index(value, str(step)))
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                places.append(step)
            else:
                break
            value = value[step]
        return tuple(places)

    def _index(self, container: dict[str, JSON], name: str) -> int:
        """The index of a member, from a table made once for each object."""
        if id(container) not in self._members:
            self._members[id(container)] = {member: index for index, member in enumerate(container)}
        return self._members[id(container)][name]
