"""How the command line speaks: exit codes, one line an error, data with --json."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
from enum import IntEnum
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

if TYPE_CHECKING:
    from groundrules.errors import GroundrulesError

AsJson = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]
"""The option every command that reports has."""

InputFile = Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")]
"""The argument of commands that read one document."""


class Exit(IntEnum):
    """The exit codes of every command (conformance.exit-codes)."""

    GOOD = 0
    FAILED = 1
    UNUSABLE = 2
    UNCHECKED = 3
    NOTHING_RUN = 4
    INTERRUPTED = 130


def print_line(text: str) -> None:
    """One line of text on standard output."""
    _print(text, sys.stdout)


def print_json(data: object) -> None:
    """Data on standard output, in ASCII so that no terminal can alter it."""
    _print(json.dumps(data, indent=2), sys.stdout)


def print_error(error: GroundrulesError, *, as_json: bool) -> None:
    """One error: a line on standard error, or an object on standard output. A stream that is gone is told nothing."""
    with contextlib.suppress(OSError):
        if as_json:
            print_json({"error": error.as_dict()})
        else:
            _print(f"groundrules: {error}", sys.stderr)


def write_octets(octets: bytes, stream: TextIO | None) -> None:
    """All of the octets.

    An unbuffered stream may take a part of what it is given and say so; the rest is given to it again.

    Raises:
        OSError: the stream is closed, or takes no more.
    """
    if stream is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    stream.flush()
    rest = memoryview(octets)
    while rest:
        rest = rest[stream.buffer.write(rest) :]
    stream.flush()


def _print(text: str, stream: TextIO | None) -> None:
    """A line on a stream; what its encoding cannot show is escaped."""
    encoding = stream.encoding if stream else "utf-8"
    write_octets(f"{text}\n".encode(encoding or "utf-8", "backslashreplace"), stream)
