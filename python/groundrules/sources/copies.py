"""Copies: each opened once, proven to match its pin and read in one pass, and looked up by one held handle."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Self

from groundrules.errors import ConfigurationError, Where
from groundrules.sources.listing import Listing, read_listing
from groundrules.sources.proof import Proof
from groundrules.verdict import Strictness

if TYPE_CHECKING:
    import io
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from groundrules.sources.listing import Entry


class Copies:
    """The copies of a list, ready to be looked up. Close it, or use it in a ``with`` statement.

    Attributes:
        listing: the list.
    """

    def __init__(self, listing: Listing, proofs: Mapping[int, Proof]) -> None:
        """Hold the proofs of the entries of a list, by their index."""
        self.listing = listing
        self._proofs = proofs
        self._by_ref = {ref: index for index, entry in enumerate(listing.entries) for ref in entry.snapshot_refs}

    @property
    def profile(self) -> Strictness:
        """How strict a check by these copies is."""
        return self.listing.profile

    def index(self, snapshot_ref: str) -> int | None:
        """The index of the entry that lists a reference, or None."""
        return self._by_ref.get(snapshot_ref)

    def proof(self, index: int) -> Proof | None:
        """The copy of an entry, or None where it was not fetched."""
        return self._proofs.get(index)

    def close(self) -> None:
        """Let go of every file."""
        for proof in self._proofs.values():
            proof.close()

    def __enter__(self) -> Self:
        """The copies themselves."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close them."""
        self.close()


NO_COPIES = Copies(Listing((), Strictness(), Path()), {})
"""No copies: every item that is not skipped is unresolved."""


def load_copies(file: str | Path) -> Copies:
    """Read a list of copies and prove every copy that it pins (chapter *Source check*).

    Args:
        file: the list, JSON where its name ends in ``.json``, else YAML.

    Raises:
        UsageError: the list cannot be read.
        ReadError: the list is no strict JSON text.
        ConfigurationError: the list or a copy is refused.
    """
    listing = read_listing(str(file))
    return open_copies(listing, lambda entry: open_copy(listing.folder / str(entry.path)))


def open_copies(listing: Listing, opened: Callable[[Entry], io.BufferedIOBase | None]) -> Copies:
    """Prove every copy of a list.

    Args:
        listing: the list.
        opened: gives the file of an entry that has a path, open at its start, or None where there is none.

    Raises:
        ConfigurationError: a copy is refused.
        UsageError: ``usage.machine``: there is no room for the table of its records.
    """
    with contextlib.ExitStack() as stack:
        proofs: dict[int, Proof] = {}
        for index, entry in enumerate(listing.entries):
            if entry.path is None:
                continue
            try:
                handle = opened(entry)
                if handle is None:
                    raise _missing()
                proofs[index] = proof = Proof(entry, handle)
            except ConfigurationError as error:
                raise error.in_file(entry.path) from None
            stack.callback(proof.close)
        stack.pop_all()
        return Copies(listing, proofs)


def _missing() -> ConfigurationError:
    remedy = "put the copy there, or take it off the list"
    return ConfigurationError("config.copy-missing", "there is no such file", remedy=remedy)


def open_copy(path: Path) -> io.BufferedReader:
    """A regular file, open for reading.

    Raises:
        ConfigurationError: ``config.copy-missing``, ``config.copy-unreadable``.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise _missing() from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "the name is not usable"
        raise _unreadable(reason.lower()) from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _unreadable("it is not a regular file")
    return os.fdopen(handle, "rb")


def _unreadable(reason: str) -> ConfigurationError:
    return ConfigurationError(
        "config.copy-unreadable", f"the copy cannot be read: {reason}", remedy="list a regular file", where=Where()
    )
