"""Where the records of a copy stand: a table on disk as soon as it is large, so that memory stays flat."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_AT_ONCE = 4096
"""How many rows are gathered before they are written."""


@dataclass(frozen=True, slots=True)
class Row:
    """Where one record stands.

    Attributes:
        line: its line, from 1.
        source_id: its id.
        offset: octets before it.
        length: its octets.
        digest: SHA-256 of its octets, 32 octets.
    """

    line: int
    source_id: str
    offset: int
    length: int
    digest: bytes


class Table:
    """The records of one copy by id. Ids are kept as octets, so that they are compared exactly."""

    def __init__(self) -> None:
        """Open an empty table: in memory at first, in a file without a name when it grows."""
        self.rows = 0
        self._waiting: list[tuple[int, bytes, int, int, bytes]] = []
        self._database = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._database.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192; PRAGMA temp_store = FILE;"
            "CREATE TABLE record (line INTEGER PRIMARY KEY, id BLOB, offset INTEGER, length INTEGER, digest BLOB);"
            "BEGIN"
        )

    def add(self, row: Row) -> None:
        """Enter a record; its line is larger than that of any before it.

        Raises:
            UsageError: ``usage.machine``: there is no room.
        """
        self._waiting.append((row.line, row.source_id.encode(), row.offset, row.length, row.digest))
        self.rows += 1
        if len(self._waiting) == _AT_ONCE:
            self._write()

    def index(self) -> int | None:
        """Make the records findable.

        Returns:
            The first line whose id stands on an earlier line too, or None where every id stands once.

        Raises:
            UsageError: ``usage.machine``: there is no room.
        """
        self._write()
        with _room():
            self._database.execute("CREATE INDEX by_id ON record (id)")
            self._database.execute("COMMIT")
            found: tuple[int | None] = self._database.execute(
                "SELECT min(again.line) FROM (SELECT id, line, lag(id) OVER (ORDER BY id, line) AS before FROM record)"
                " AS again WHERE again.id = again.before"
            ).fetchone()
        return found[0]

    def find(self, source_id: str) -> Row | None:
        """The record with an id, or None."""
        wanted = source_id.encode("utf-8", "surrogatepass")
        query = "SELECT line, offset, length, digest FROM record WHERE id = ?"
        found = self._database.execute(query, (wanted,)).fetchone()
        return None if found is None else Row(found[0], source_id, *found[1:])

    def close(self) -> None:
        """Let go of the table; its file goes with it."""
        self._database.close()

    def _write(self) -> None:
        with _room():
            self._database.executemany("INSERT INTO record VALUES (?, ?, ?, ?, ?)", self._waiting)
        self._waiting.clear()


@contextmanager
def _room() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise UsageError(
            "usage.machine",
            f"the table of a copy's records could not be kept: {error}",
            remedy="make room in the folder for temporary files",
        ) from None
