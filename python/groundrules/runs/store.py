"""A store: runs side by side, each written whole, and an index that only grows (chapter *Store*)."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from groundrules.citations import is_invocation_id
from groundrules.errors import RequestError, UsageError, Where
from groundrules.files import write_whole
from groundrules.runs import index
from groundrules.runs.layout import FILES
from groundrules.runs.locks import Taken, claimed, locked
from groundrules.runs.reading import LARGEST_TRACE
from groundrules.runs.writing import write_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from groundrules.runs.writing import Files

_MARKS = ".running"
_LOCK = ".lock"


def _on(_step: str) -> None:
    """What is done at a step: nothing."""


class RunStore:
    """A folder of stored runs. Several processes may use one store at once.

    Attributes:
        folder: where the runs stand, each in a folder named for its invocation id; an absolute path.
    """

    def __init__(self, folder: str | Path, *, on: Callable[[str], None] = _on) -> None:
        """Name a store; nothing is read or written yet.

        Args:
            folder: the store; :meth:`prepare` makes it.
            on: called with the name of every step of a run's life when it is done; for tests that stop there.
        """
        self.folder = Path(folder).absolute()
        self._on = on

    @property
    def index(self) -> Path:
        """The file of the index."""
        return self.folder / index.INDEX

    def prepare(self) -> None:
        """Make the store where there is none, and clear up after processes that died in the middle (store.crash).

        Raises:
            UsageError: ``usage.unwritable``.
        """
        with self._writing():
            (self.folder / _MARKS).mkdir(parents=True, exist_ok=True)
            marks = [mark for mark in (self.folder / _MARKS).iterdir() if is_invocation_id(mark.name)]
        for mark in sorted(marks):
            with contextlib.suppress(Taken, OSError), claimed(mark):  # what is amiss with one stops no start
                self._clear_up(mark.name)

    @contextlib.contextmanager
    def reserved(self, invocation_id: str) -> Iterator[None]:
        """Keep an invocation id for one run, among all processes that use the store (store.reserved).

        Raises:
            RequestError: ``request.running``, ``request.reused``.
            UsageError: ``usage.unwritable``.
        """
        with contextlib.ExitStack() as stack:
            try:
                with self._writing():
                    stack.enter_context(claimed(self.folder / _MARKS / invocation_id))
            except Taken:
                raise _refused("request.running", "a run with this invocation id is under way") from None
            if os.path.lexists(self.folder / invocation_id):
                with self._writing():
                    self._clear_up(invocation_id)
                    (self.folder / _MARKS / invocation_id).unlink()
                raise _refused("request.reused", "a run with this invocation id is stored already")
            self._on("reserved")
            yield
            self._on("finished")

    def write(self, invocation_id: str, files: Files) -> tuple[Path, str]:
        """Store a run under its id, which is reserved, and enter it in the index.

        Returns:
            Its folder, and the head of the index: the digest of its last line.

        Raises:
            UsageError: ``usage.run-exists``; ``usage.unwritable``: nothing was stored, or where the place is the
                index, the run was stored and will be entered at the next start.
        """
        told = index.digests(files)
        with contextlib.ExitStack() as held:  # the folder gets its name and its line while nobody else looks
            folder = write_files(
                self.folder / invocation_id, files, self._on, lambda: held.enter_context(locked(self.folder / _LOCK))
            )
            with self._writing(self.index):
                head = index.append(self.index, invocation_id, told, self._on)
        self._on("indexed")
        return folder, head

    @contextlib.contextmanager
    def still(self) -> Iterator[None]:
        """Keep others from naming runs and writing the index meanwhile, where this process may; nothing is written."""
        with contextlib.ExitStack() as held:
            if (self.folder / _LOCK).is_file():
                with contextlib.suppress(OSError):
                    held.enter_context(locked(self.folder / _LOCK))
            yield

    def ids(self) -> list[str]:
        """The invocation ids of the runs that are stored, oldest first.

        Raises:
            UsageError: ``usage.no-store``.
        """
        try:
            return sorted(entry.name for entry in os.scandir(self.folder) if _is_run(entry))
        except OSError as error:
            raise UsageError(
                "usage.no-store",
                f"it is no store: {(error.strerror or 'it cannot be read').lower()}",
                where=Where(file=str(self.folder)),
                remedy="name a folder in which groundrules run stored something",
            ) from None

    def reindex(self) -> str | None:
        """Write the index anew from the runs that are stored; the old one is kept beside it (store.rebuilt).

        Returns:
            The new head, or None where nothing is stored.

        Raises:
            UsageError: ``usage.no-store``, ``usage.unwritable``; a file of a run cannot be read.
        """
        self.ids()
        with self._writing(self.index), locked(self.folder / _LOCK):
            head, lines = None, []
            for invocation_id in self.ids():
                if files := self._files(invocation_id):
                    lines.append(index.line_of(invocation_id, files, head))
                    head = index.digest_of(lines[-1])
            if self.index.is_file():
                with self.index.open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
                shutil.copyfile(self.index, self.folder / f"{index.INDEX}.{digest[:16]}")
            write_whole(self.index, b"".join(lines))
        return head

    def _clear_up(self, invocation_id: str) -> None:
        """What a process left of a run when it died: parts go, and what is whole is entered in the index."""
        for part in self.folder.glob(f".{invocation_id}.*.partial"):
            shutil.rmtree(part)
        if not (self.folder / invocation_id).is_dir():
            return
        with contextlib.suppress(UsageError), locked(self.folder / _LOCK):  # what cannot be read, verifying tells
            if not self._is_indexed(invocation_id):
                index.append(self.index, invocation_id, self._files(invocation_id), _on)

    def _is_indexed(self, invocation_id: str) -> bool:
        try:
            return any(line.invocation_id == invocation_id for line in index.read_index(self.index))
        except FileNotFoundError:
            return False

    def _files(self, invocation_id: str) -> dict[str, str]:
        """The digests of the files that a run's folder holds."""
        folder = self.folder / invocation_id
        there = [name for name in FILES if (folder / name).is_file()]
        return {name: index.file_digest(folder / name, LARGEST_TRACE) for name in there}

    @contextlib.contextmanager
    def _writing(self, place: Path | None = None) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            where = Where(file=str(place or self.folder))
            raise UsageError(
                "usage.unwritable", f"it cannot be written: {reason}", where=where, remedy="make room, or name another"
            ) from None


def _is_run(entry: os.DirEntry[str]) -> bool:
    return is_invocation_id(entry.name) and entry.is_dir()


def _refused(code: str, detail: str) -> RequestError:
    return RequestError(code, detail, where=Where(pointer="/invocation_id"), remedy="take a fresh invocation id")
