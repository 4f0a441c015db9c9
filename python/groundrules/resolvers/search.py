"""One search of one text: all matches, each with how it was found (resolve.search)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from groundrules.resolvers.markers import marked
from groundrules.resolvers.transformations import (
    Piece,
    base64_runs,
    entities_decoded,
    folded,
    normalised,
    percent_decoded,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundrules.strictjson import JSON


LISTED_MATCHES = 1000
"""How many matches of one question are listed."""


@dataclass(frozen=True, slots=True, order=True)
class Match:
    """Where something was found.

    Attributes:
        start: where it begins, in code points of the text as it stands.
        end: where it ends; half-open.
        anchor: ``exact``, ``casefold`` or ``computed``.
        transformation: what was done to the text where the anchor is ``computed``, else "".
    """

    start: int
    end: int
    anchor: str
    transformation: str = ""


def matches(text: str, search: Mapping[str, JSON]) -> list[Match]:
    """All matches, overlapping ones too, in the order of where they begin, then of where they end.

    Of more than are ever listed not all are looked for.

    Args:
        text: the text as it stands.
        search: of ``schemas/question.json#/$defs/search``.
    """
    match search:
        case {"mode": "marker", "marker": str(marker)}:
            found = {Match(start, end, "exact") for start, end in marked(text, marker)}
        case {"mode": "exact", "value": str(value)}:
            found = {Match(at, at + len(value), "exact") for at in islice(_places(text, value), LISTED_MATCHES + 1)}
        case {"mode": "casefold", "value": str(value)}:
            found = {
                Match(at, at + len(value), "casefold")
                for at in islice(_places(folded(text), folded(value)), LISTED_MATCHES + 1)
            }
        case {"mode": "normalised", "value": str(value)}:
            wanted = "".join(piece.text for piece in normalised(value))
            spans = islice(_spans(normalised(text), wanted), LISTED_MATCHES + 1)
            found = {Match(*span, "computed", "nfc-white-space") for span in spans}
        case {"value": str(value), "encodings": [*encodings]}:
            found = {
                Match(*span, "computed", str(encoding))
                for encoding in encodings
                for pieces in _decodings(text, str(encoding))
                for span in islice(_spans(pieces, value, only_changed=True), LISTED_MATCHES + 1)
            }
        case _:  # pragma: no cover - by the schema
            raise AssertionError(search)
    return sorted(found)


def _decodings(text: str, encoding: str) -> Iterator[list[Piece]]:
    match encoding:
        case "percent":
            yield percent_decoded(text)
        case "html":
            yield entities_decoded(text)
        case _:
            yield from base64_runs(text)


def _places(text: str, value: str) -> Iterator[int]:
    at = text.find(value)
    while at >= 0:
        yield at
        at = text.find(value, at + 1)


def _spans(pieces: list[Piece], value: str, *, only_changed: bool = False) -> Iterator[tuple[int, int]]:
    """The parts of the original that a value is in after rewriting; those where a piece was changed, if asked."""
    owner = [index for index, piece in enumerate(pieces) for _ in piece.text]
    for at in _places("".join(piece.text for piece in pieces), value):
        first, last = owner[at], owner[at + len(value) - 1]
        if not only_changed or any(piece.changed for piece in pieces[first : last + 1]):
            yield pieces[first].start, pieces[last].end
