"""Whether a store's index and its runs agree (store.agrees)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.errors import UsageError, Where, show
from groundrules.runs import index
from groundrules.runs.layout import FILES
from groundrules.runs.reading import LARGEST_TRACE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from groundrules.runs.index import Line
    from groundrules.runs.store import RunStore
    from groundrules.strictjson import JSON


@dataclass(frozen=True, slots=True)
class StoreFinding:
    """One thing in which index and runs do not agree.

    Attributes:
        code: ``store.*``.
        place: the line of the index, or the run.
        detail: one clause.
    """

    code: str
    place: str
    detail: str

    def as_dict(self) -> dict[str, JSON]:
        """The finding as data."""
        return {"code": self.code, "at": self.place, "detail": self.detail}

    def __str__(self) -> str:
        """The finding as one line."""
        return f"{self.place}: {self.detail} [{self.code}]"


def check_store(store: RunStore, *, anchor: str | None = None) -> tuple[list[StoreFinding], str | None]:
    """Hold the index of a store to its runs, and to itself.

    Args:
        store: the store.
        anchor: a head of the index that somebody kept; the index may only have grown since.

    Returns:
        What was found: lines in their order, then runs by id; and the head of the index, None where it is empty.

    Raises:
        UsageError: ``usage.no-store``.
    """
    stored = store.ids()
    with store.still():
        pass  # whoever gave a run its name has entered it now
    found, listed, heads, head = _of_index(store)
    for invocation_id in stored:
        found += _foreign(invocation_id, store.folder / invocation_id)
    found += [
        StoreFinding("store.not-indexed", invocation_id, "the run stands in no line of the index")
        for invocation_id in stored
        if invocation_id not in listed
    ]
    if anchor is not None and anchor not in heads:
        detail = "no line of the index has the digest that was kept: it was cut or written anew"
        found.append(StoreFinding("store.anchor-lost", index.INDEX, detail))
    return found, head


def _of_index(store: RunStore) -> tuple[list[StoreFinding], set[str], set[str], str | None]:
    """What is to be said of the index: findings, the runs that it lists, the digest of every line, and of the last.

    Raises:
        UsageError: ``usage.not-a-file``, ``usage.unreadable``.
    """
    found: list[StoreFinding] = []
    listed: set[str] = set()
    head: str | None = None
    heads: set[str] = set()
    for line in _lines(store.index):
        found += _of_line(line, head, listed, store.folder)
        head = line.digest
        heads.add(line.digest)
        if line.invocation_id is not None:
            listed.add(line.invocation_id)
    if _is_torn(store):
        found.append(StoreFinding("store.torn-line", index.INDEX, "its last line has no end; the next run mends it"))
    return found, listed, heads, head


def _is_torn(store: RunStore) -> bool:
    """Whether the last line has no end, while nobody is writing it."""
    with store.still():
        return store.index.is_file() and index.has_torn_tail(store.index)


def _lines(path: Path) -> Iterator[Line]:
    try:
        yield from index.read_index(path)
    except FileNotFoundError:
        return
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise UsageError("usage.unreadable", f"it cannot be read: {reason}", where=Where(file=str(path))) from None


def _of_line(line: Line, head: str | None, listed: set[str], folder: Path) -> Iterator[StoreFinding]:
    place = f"{index.INDEX}, line {line.number}"
    if line.invocation_id is None or line.files is None:
        yield StoreFinding("store.malformed-line", place, line.fault)
        return
    if line.previous != head:
        yield StoreFinding("store.chain-broken", place, "it does not follow from the line before it")
    if line.invocation_id in listed:
        yield StoreFinding("store.listed-twice", place, "an earlier line lists the same run")
    run = folder / line.invocation_id
    if not run.is_dir():
        yield StoreFinding("store.run-missing", line.invocation_id, "the index lists it, and it is not there")
        return
    for name in FILES:
        stated, actual = line.files.get(name), _digest(run / name)
        if stated != actual:
            detail = f"{name} is not the file that the index lists"
            yield StoreFinding("store.file-differs", line.invocation_id, detail)


def _foreign(invocation_id: str, run: Path) -> Iterator[StoreFinding]:
    """What stands in a run's folder and is no file of a run."""
    for entry in sorted(os.scandir(run), key=lambda entry: entry.name):
        if entry.name not in FILES:
            detail = f"{show(entry.name)} is no file of a run"
        elif entry.is_symlink():
            detail = f"{entry.name} is a link, and what it leads to can change"
        else:
            continue
        yield StoreFinding("store.foreign-file", invocation_id, detail)


def _digest(path: Path) -> str | None:
    """The digest of a file, or None where there is none that can be read."""
    try:
        return index.file_digest(path, LARGEST_TRACE)
    except UsageError:
        return None
