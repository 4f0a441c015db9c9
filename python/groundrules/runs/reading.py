"""Reading a stored run: what is there, what is missing, what cannot be read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from groundrules import strictjson
from groundrules.errors import GroundrulesError, ReadError, UsageError, Where
from groundrules.files import read_bytes
from groundrules.runs.layout import DOCUMENTS, ENVELOPE, FILES, SPANS, TEXTS
from groundrules.trace import read_trace

if TYPE_CHECKING:
    from groundrules.strictjson import JSON
    from groundrules.trace import SpanRecord

LARGEST_TRACE = 1024 * 1024 * 1024
"""How many octets a trace may have."""
LARGEST = strictjson.LIMITS.document
"""How many octets any other file may have."""

ChildReader = Callable[[str], bytes | None]
"""Gives the octets of a stored child envelope by invocation id, or None where the store has none."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that is there and cannot be read.

    Attributes:
        file: its name in the run, or of a child's envelope in the store.
        code: the code of the refusal.
        detail: one clause, with the place.
    """

    file: str
    code: str
    detail: str

    def as_dict(self) -> dict[str, JSON]:
        """The file as data."""
        return {"file": self.file, "code": self.code, "detail": self.detail}

    def __str__(self) -> str:
        """The file as one line."""
        return f"{self.file}: {self.detail} [{self.code}]"


def _no_child(_invocation_id: str) -> bytes | None:
    return None


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as it was read.

    Attributes:
        documents: the JSON documents that are there, by file name.
        spans: the trace, or None where it is missing or unreadable.
        texts: the text forms that are there, by file name, as octets.
        unreadable: the files that are there and cannot be read, in their order.
        child: how a stored child envelope is had.
    """

    documents: Mapping[str, JSON]
    spans: list[SpanRecord] | None
    texts: Mapping[str, bytes]
    unreadable: tuple[Unreadable, ...] = ()
    child: ChildReader = field(default=_no_child)

    @property
    def missing(self) -> list[str]:
        """The files that are not there."""
        there = {*self.documents, *self.texts, *(file.file for file in self.unreadable)}
        if self.spans is not None:
            there.add(SPANS)
        return [file for file in FILES if file not in there]


def parse_run(files: Mapping[str, bytes | GroundrulesError], child: ChildReader = _no_child) -> StoredRun:
    """Read a run from the octets of its files.

    Args:
        files: by file name, the octets, or why they could not be had; what is not in it is missing.
        child: how a stored child envelope is had.
    """
    documents: dict[str, JSON] = {}
    texts: dict[str, bytes] = {}
    spans: list[SpanRecord] | None = None
    unreadable: list[Unreadable] = []
    for name in FILES:
        content = files.get(name)
        try:
            if isinstance(content, GroundrulesError):
                raise content
            if content is None:
                continue
            if name == SPANS:
                spans = read_trace(content)
            elif name in DOCUMENTS:
                documents[name] = strictjson.loads(content)
            else:
                texts[name] = content
        except GroundrulesError as error:
            unreadable.append(told(name, error))
    return StoredRun(documents, spans, texts, tuple(unreadable), child)


def told(name: str, error: GroundrulesError) -> Unreadable:
    """A refused file, with the place in it."""
    where = Where(line=error.where.line, offset=error.where.offset, pointer=error.where.pointer)
    place = f"{where}: " if str(where) else ""
    return Unreadable(name, error.code, f"{place}{error.detail}")


def read_run(folder: str | Path) -> StoredRun:
    """Read the run that a folder holds (runs.layout).

    Args:
        folder: the run's folder; its child runs are looked for beside it.

    Raises:
        UsageError: ``usage.not-a-run``: there is no such folder, or no file of a run is in it.
    """
    place = Path(os.path.abspath(folder))  # noqa: PTH100 - a link to a run stands where the link stands
    names = FILES if os.path.isdir(place) else ()  # noqa: PTH112 - it takes any name without an error
    files = {name: content for name in names if (content := _content(place / name, name)) is not None}
    if not files:
        raise UsageError(
            "usage.not-a-run",
            "no file of a run is there",
            where=Where(file=str(folder)),
            remedy=f"name a folder that holds {ENVELOPE}; a store's runs are the folders in it",
        )
    return parse_run(files, lambda invocation_id: _child(place.parent / invocation_id / ENVELOPE))


def _content(path: Path, name: str) -> bytes | GroundrulesError | None:
    try:
        octets = read_bytes(str(path), limit=LARGEST_TRACE if name == SPANS else LARGEST)
    except UsageError as error:
        return None if error.code == "usage.no-file" else error
    if name in TEXTS and len(octets) > LARGEST:
        return ReadError("read.document-too-large", "the text is larger than any text may be", stage="decode")
    return octets


def _child(path: Path) -> bytes | None:
    try:
        return read_bytes(str(path))
    except UsageError as error:
        if error.code == "usage.no-file":
            return None
        raise
