"""Locks between processes: held by the kernel, so that none outlives the process that took it."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from groundrules.errors import UsageError

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Taken(Exception):  # noqa: N818 - it names the state, which is no error of the one who asks
    """Somebody else holds the lock."""


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock, waiting for it; its file stays.

    Raises:
        OSError: the file cannot be opened.
        UsageError: ``usage.machine``: the system has no such locks.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _lock(handle, wait=True)
        yield
    finally:
        _let_go(handle)


@contextlib.contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Hold a lock that is somebody's mark: its file is there while it is held, and after a crash.

    Raises:
        Taken: it is held, by this process or another.
        OSError: the file cannot be made.
    """
    handle = _claim(path)
    try:
        yield
        path.unlink(missing_ok=True)
    finally:
        _let_go(handle)


def _let_go(handle: int) -> None:
    """Close a descriptor that somebody in this process may have closed already."""
    with contextlib.suppress(OSError):
        os.close(handle)


def _claim(path: Path) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(handle, wait=False)
            if _is_still(handle, path):
                return handle
        except BlockingIOError:
            os.close(handle)
            raise Taken from None
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _lock(handle: int, *, wait: bool) -> None:
    if sys.platform == "win32":  # pragma: no cover - nothing else to lock with
        raise UsageError("usage.machine", "a store is written on systems with POSIX locks only")
    fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_still(handle: int, path: Path) -> bool:
    """Whether a file that was opened is the one that stands there now; another holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
