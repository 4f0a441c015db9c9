"""Small parts for whoever talks to another program: the end of what it complained, how it ended, how a text begins."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque

from groundrules.errors import bare

_SHOWN = 120
_BEGUN = 60


class Complaints:
    """Reads a program's standard error to its end, so that it never blocks, and keeps the last of it."""

    def __init__(self, stream: int) -> None:
        """Begin to read.

        Args:
            stream: a descriptor; it is duplicated, and the copy closed at its end.
        """
        self._kept: deque[bytes] = deque(maxlen=8)
        self._thread = threading.Thread(target=self._read, args=(os.dup(stream),), daemon=True)
        self._thread.start()

    def last(self, seconds: float) -> str:
        """The last line, escaped and at most 120 characters of it, as far as it comes within some seconds; or ""."""
        self._thread.join(seconds)
        said = b"".join(self._kept).decode("utf-8", "backslashreplace").strip().rpartition("\n")[2]
        return bare(said[-_SHOWN:])

    def _read(self, stream: int) -> None:
        while part := os.read(stream, 4096):
            self._kept.append(part)
        os.close(stream)


def ending(status: int) -> str:
    """How a program ended, by its exit status: negative for a signal."""
    if status >= 0:
        return f"status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"


def beginning(octets: bytes | bytearray) -> str:
    """The beginning of what a program wrote, fit for a message."""
    return bare(bytes(octets[:_BEGUN]).decode("utf-8", "backslashreplace"))
