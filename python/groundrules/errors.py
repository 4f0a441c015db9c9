"""Every error groundrules raises, and how one line of text is made of it.

    GroundrulesError
    ├── UsageError           a file that cannot be opened, an option that makes no sense
    ├── ReadError            the octets are not one strict JSON text (stages decode and parse)
    ├── CanonicalError       a document has no canonical bytes under a name (stages project and canonicalise)
    │   └── UnknownNameError      the name is not registered
    ├── SchemaError          a document does not have the shape of its kind (stage schema)
    ├── ConfigurationError   a list of copies, a copy that it pins, or an agent cannot be used (stage configuration)
    ├── RequestError         a request that no run is made of (stage request)
    └── KitError             the kit's own schemas, vectors or catalogue are damaged (stage kit)

An error is data first: ``code`` (permanent, listed in ``spec/rules.json``), ``stage``, ``where``, ``detail`` (what is
wrong) and ``remedy`` (what to do). Its text is made from these once, by :func:`str`, and never spans two lines.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Self

SHOWN_CHARACTERS = 120
"""How many characters of a foreign text a message may repeat."""


def show(text: str, *, limit: int = SHOWN_CHARACTERS) -> str:
    """Foreign text made fit for one line of a message: quoted, escaped and capped.

    Characters that do not print (controls, bidirectional marks, lone surrogates) are written as escapes. A text of
    more than ``limit`` characters is replaced by its length and the SHA-256 of its UTF-8 form.
    """
    if len(text) > limit:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return f"<{len(text)} characters, sha256 {digest}>"
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped(quoted)}"'


def bare(text: str) -> str:
    """Foreign text as :func:`show` makes it fit, without the quotes: for names of files, ids and places."""
    return show(text) if len(text) > SHOWN_CHARACTERS else escaped(text)


def escaped(text: str) -> str:
    """Text of any length with every character that does not print written as an escape."""
    return "".join(_printable(character) for character in text)


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    return f"\\u{{{ord(character):x}}}"


@dataclass(frozen=True, slots=True)
class Where:
    """A place: which file, which line of it, which octet, which JSON value.

    Attributes:
        file: the file's name as the caller gave it, or None.
        line: line number from 1, counted in line feeds, or None.
        offset: octets before the place, from the start of the text, or None.
        pointer: JSON Pointer (RFC 6901) of the value, or None; "" is the whole document.
    """

    file: str | None = None
    line: int | None = None
    offset: int | None = None
    pointer: str | None = None

    def __str__(self) -> str:
        """The known parts, outermost first, for the head of a message."""
        parts = []
        if self.file is not None:
            parts.append(bare(self.file))
        if self.line is not None:
            parts.append(f"line {self.line}")
        if self.offset is not None:
            parts.append(f"byte {self.offset}")
        if self.pointer:
            parts.append(f"at {bare(self.pointer)}")
        return ", ".join(parts)


class GroundrulesError(Exception):
    """The root of the tree. Catch this one to catch them all.

    Args:
        code: the permanent dotted code, for instance ``read.duplicate-name``.
        detail: what is wrong, one clause without a full stop.
        stage: the step that refused, for instance ``parse``.
        where: the place, as far as it is known.
        remedy: what to do about it, or "".
    """

    def __init__(self, code: str, detail: str, *, stage: str, where: Where | None = None, remedy: str = "") -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.stage = stage
        self.where = where or Where()
        self.remedy = remedy

    def __str__(self) -> str:
        """One line: where, what, what to do, and the code."""
        place = str(self.where)
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{place + ': ' if place else ''}{self.detail}{remedy} [{self.code}]"

    def in_file(self, file: str) -> Self:
        """Say which file the place is in; returns the same error, ready to raise."""
        self.where = replace(self.where, file=file)
        return self

    def as_dict(self) -> dict[str, str | int]:
        """The error as data, the members that are known only."""
        place = {
            "file": self.where.file,
            "line": self.where.line,
            "offset": self.where.offset,
            "pointer": self.where.pointer,
        }
        told = {"code": self.code, "stage": self.stage, "detail": self.detail, "remedy": self.remedy or None}
        return {name: value for name, value in (told | place).items() if value is not None}


class UsageError(GroundrulesError):
    """The command line or a file named on it cannot be used."""

    def __init__(self, code: str, detail: str, *, where: Where | None = None, remedy: str = "") -> None:
        super().__init__(code, detail, stage="usage", where=where, remedy=remedy)


class ReadError(GroundrulesError):
    """The octets are not one strict JSON text. Stage ``decode`` or ``parse``; codes ``read.*``."""


class CanonicalError(GroundrulesError):
    """A document lies outside the domain of a canonicalisation. Codes ``canon.*``."""


class UnknownNameError(CanonicalError):
    """The canonicalisation is not registered (code ``canon.unknown-name``)."""


class SchemaError(GroundrulesError):
    """A document does not have the shape of its kind; ``where.pointer`` names the first offence."""

    def __init__(self, code: str, detail: str, *, where: Where | None = None, remedy: str = "") -> None:
        super().__init__(code, detail, stage="schema", where=where, remedy=remedy)


class ConfigurationError(GroundrulesError):
    """A list of copies, a copy that it pins, or an agent's specification cannot be used. Codes ``config.*``."""

    def __init__(self, code: str, detail: str, *, where: Where | None = None, remedy: str = "") -> None:
        super().__init__(code, detail, stage="configuration", where=where, remedy=remedy)


class RequestError(GroundrulesError):
    """A caller asks for what no run is made of; nothing is stored. Codes ``request.*``."""

    def __init__(self, code: str, detail: str, *, where: Where | None = None, remedy: str = "") -> None:
        super().__init__(code, detail, stage="request", where=where, remedy=remedy)


class KitError(GroundrulesError):
    """The kit's own data cannot be used; the fault lies in the installation, not in what is judged."""

    def __init__(self, code: str, detail: str, *, where: Where | None = None, remedy: str = "") -> None:
        super().__init__(code, detail, stage="kit", where=where, remedy=remedy)
