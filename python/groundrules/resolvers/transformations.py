"""Texts rewritten for a search, each piece with where it came from (resolve.transformations).

A rewritten text is a list of pieces. A match in the rewritten text is the part of the original from where its first
piece begins to where its last one ends, so that offsets are always those of the original.
"""

from __future__ import annotations

import base64
import binascii
import html.entities
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

WHITE_SPACE = frozenset(
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""The characters with the property White_Space of Unicode."""

_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_ENTITY = re.compile(
    r"&(?:#0*(?P<decimal>[0-9]{1,7})|#[xX]0*(?P<hex>[0-9a-fA-F]{1,6})|(?P<name>[A-Za-z][A-Za-z0-9]{0,31}));"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_URL_SAFE = str.maketrans("-_", "+/")
_SURROGATES = range(0xD800, 0xE000)
_LAST = 0x10FFFF
_QUANTUM = 4


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a rewritten text.

    Attributes:
        text: what it reads after rewriting; may be of several characters.
        start: where it begins in the original, in code points.
        end: where it ends.
        changed: whether it was written otherwise.
    """

    text: str
    start: int
    end: int
    changed: bool = False


def folded(text: str) -> str:
    """A text with each character case-folded, and left as it is where its folding is not one character."""
    return "".join(folding if len(folding := character.casefold()) == 1 else character for character in text)


def normalised(text: str) -> list[Piece]:
    """A text in NFC, each run of white space one space."""
    pieces: list[Piece] = []
    for piece in _composed(text):
        if piece.text not in WHITE_SPACE:
            pieces.append(piece)
        elif pieces and pieces[-1].text == " ":
            pieces[-1] = Piece(" ", pieces[-1].start, piece.end, changed=True)
        else:
            pieces.append(Piece(" ", piece.start, piece.end, changed=True))
    return pieces


def percent_decoded(text: str) -> list[Piece]:
    """A text with its percent escapes read as UTF-8; those that are none stay as they stand."""
    return [*_decoded(text, _PERCENT, _escapes)]


def entities_decoded(text: str) -> list[Piece]:
    """A text with the character references of HTML replaced, those that end in a semicolon."""
    return [*_decoded(text, _ENTITY, _entity)]


def base64_runs(text: str) -> Iterator[list[Piece]]:
    """Each run of base64 that is UTF-8 when decoded, as one piece.

    A run is as long as it can be, of eight characters or more, in the standard or the URL-safe alphabet.
    """
    for run in _BASE64.finditer(text):
        body = run[0].rstrip("=")
        if {"+", "/"} & {*body} and {"-", "_"} & {*body}:
            continue
        try:
            octets = base64.b64decode(body.translate(_URL_SAFE) + "=" * (-len(body) % _QUANTUM), validate=True)
            yield [Piece(octets.decode(), run.start(), run.end(), changed=True)]
        except (binascii.Error, UnicodeDecodeError):
            continue


def _composed(text: str) -> Iterator[Piece]:
    """Pieces that NFC composes apart from each other."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or _parts(text, start, at):
            composed = unicodedata.normalize("NFC", text[start:at])
            yield Piece(composed, start, at, changed=composed != text[start:at])
            start = at


def _parts(text: str, start: int, at: int) -> bool:
    """Whether NFC leaves the character at a place apart from what stands between ``start`` and it."""
    character = text[at]
    if character.isascii():
        return True
    if unicodedata.combining(unicodedata.normalize("NFD", character)[0]):
        return False
    before = text[start:at]
    apart = unicodedata.normalize("NFC", before) + unicodedata.normalize("NFC", character)
    return unicodedata.normalize("NFC", before + character) == apart


def _decoded(text: str, pattern: re.Pattern[str], read: _Reading) -> Iterator[Piece]:
    at = 0
    for match in pattern.finditer(text):
        yield from _plain(text, at, match.start())
        yield from read(match)
        at = match.end()
    yield from _plain(text, at, len(text))


def _plain(text: str, start: int, end: int) -> Iterator[Piece]:
    return (Piece(text[at], at, at + 1) for at in range(start, end))


def _escapes(run: re.Match[str]) -> Iterator[Piece]:
    """The characters of a run of escapes, one at a time."""
    octets = bytes.fromhex(run[0].replace("%", ""))
    at = 0
    while at < len(octets):
        start = run.start() + 3 * at
        for length in range(1, 5):
            try:
                yield Piece(octets[at : at + length].decode(), start, start + 3 * length, changed=True)
            except UnicodeDecodeError:
                continue
            at += length
            break
        else:
            yield from _plain(run.string, start, start + 3)
            at += 1


def _entity(match: re.Match[str]) -> Iterator[Piece]:
    if match["name"]:
        text = html.entities.html5.get(match["name"] + ";")
    else:
        number = int(match["decimal"] or match["hex"], 10 if match["decimal"] else 16)
        text = chr(number) if 0 < number <= _LAST and number not in _SURROGATES else None
    if text is None:
        return _plain(match.string, match.start(), match.end())
    return iter([Piece(text, match.start(), match.end(), changed=True)])


if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    _Reading: TypeAlias = Callable[[re.Match[str]], Iterator[Piece]]
