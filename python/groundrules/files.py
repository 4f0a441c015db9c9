"""Reading and writing files at the edge: bounded, regular files only, whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path

from groundrules.errors import UsageError, Where
from groundrules.strictjson import LIMITS

STANDARD_INPUT = "-"
"""The file name that stands for standard input."""


def read_bytes(name: str, *, limit: int = LIMITS.document) -> bytes:
    """The octets of a file, or of standard input for ``-``.

    At most one octet more than ``limit`` is read, so that the reader can tell that there are more.

    Raises:
        UsageError: ``usage.no-file``, ``usage.not-a-file`` (a folder, a pipe, a device) or ``usage.unreadable``.
    """
    try:
        if name == STANDARD_INPUT:
            if sys.stdin is None:
                raise UsageError("usage.unreadable", "standard input is closed", where=Where(file=name))
            return sys.stdin.buffer.read(limit + 1)
        mode = os.stat(name).st_mode  # noqa: PTH116 - a str keeps the caller's spelling in messages
        if not stat.S_ISREG(mode):
            kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
            raise UsageError(
                "usage.not-a-file",
                f"it is {kind}",
                where=Where(file=name),
                remedy="name a file, or pipe the text in and name '-'",
            )
        with open(name, "rb") as file:  # noqa: PTH123
            return file.read(limit + 1)
    except FileNotFoundError:
        raise UsageError(
            "usage.no-file", "there is no such file", where=Where(file=name), remedy="check the name"
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "the name is not usable"
        raise UsageError("usage.unreadable", f"it cannot be read: {reason.lower()}", where=Where(file=name)) from None


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old octets or the new ones, never a part; a link stays one.

    Raises:
        UsageError: ``usage.unwritable``; also for a folder, a device or a pipe, which are left as they are.
    """
    named, path = path, Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        raise UsageError("usage.unwritable", "it is no regular file", where=Where(file=str(named)))
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o644)  # noqa: PTH101
            os.replace(temporary, path)  # noqa: PTH105
        except BaseException:
            os.unlink(temporary)  # noqa: PTH108
            raise
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise UsageError("usage.unwritable", f"it cannot be written: {reason}", where=Where(file=str(named))) from None
