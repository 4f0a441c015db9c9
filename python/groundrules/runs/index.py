"""The index of a store: a line a run, each with the digest of the line before it (store.index)."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from groundrules import strictjson
from groundrules.documents import validate
from groundrules.errors import ReadError
from groundrules.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from groundrules.runs.writing import Files
    from groundrules.strictjson import JSON

INDEX: Final = "invocations.jsonl"
"""The name of the index in its store."""
FORMAT: Final = "invocation/1"
_LARGEST = 1 << 20
"""How many octets a line has at most; an honest one has fewer than a thousand."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an index.

    Attributes:
        number: from 1.
        digest: SHA-256 of its octets, without the line feed.
        invocation_id: of the run it tells, or None where the line is malformed.
        files: SHA-256 by file name.
        previous: the digest of the line before it that it states; None for the first.
        fault: why it is malformed, or "".
    """

    number: int
    digest: str
    invocation_id: str | None = None
    files: Mapping[str, str] | None = None
    previous: str | None = None
    fault: str = ""


def digests(files: Files) -> dict[str, str]:
    """The SHA-256 of every file of a run."""
    return {name: hashlib.sha256(octets).hexdigest() for name, octets in files.items()}


def line_of(invocation_id: str, files: Mapping[str, str], previous: str | None) -> bytes:
    """A line, with its line feed."""
    entry: JSON = {"format": FORMAT, "invocation_id": invocation_id, "files": {**files}, "previous": previous}
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def digest_of(line: bytes) -> str:
    """The digest of a line that ends in a line feed."""
    return hashlib.sha256(line[:-1]).hexdigest()


def read_index(path: Path) -> Iterator[Line]:
    """Every whole line of an index; of what follows the last line feed nothing is read.

    Raises:
        OSError: it cannot be read; FileNotFoundError where there is none.
    """
    with path.open("rb") as file:
        number = 0
        while (octets := file.readline(_LARGEST)).endswith(b"\n"):
            number += 1
            yield _line(number, octets)
        if len(octets) == _LARGEST:
            yield Line(number + 1, digest_of(octets), fault="it is longer than any line may be")


def _line(number: int, octets: bytes) -> Line:
    digest = digest_of(octets)
    try:
        entry = strictjson.loads(octets)
    except ReadError as error:
        return Line(number, digest, fault=error.detail)
    for finding in validate(entry, "store-entry"):
        return Line(number, digest, fault=finding.detail)
    assert isinstance(entry, dict)  # noqa: S101 - by its schema
    files, previous = entry["files"], entry["previous"]
    assert isinstance(files, dict)  # noqa: S101 - by its schema
    told = {name: str(digest) for name, digest in files.items()}
    return Line(number, digest, str(entry["invocation_id"]), told, None if previous is None else str(previous))


def append(path: Path, invocation_id: str, files: Mapping[str, str], on: Callable[[str], None]) -> str:
    """Append a line for a run to an index that nobody else writes meanwhile; a part of a line is taken off first.

    Returns:
        The digest of the new line: the head of the index.

    Raises:
        OSError: it cannot be written; the index is then as it was.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        end, head = _mended(handle)
        line = line_of(invocation_id, files, head)
        try:
            _write_all(handle, line[:1])
            on("index line begun")
            _write_all(handle, line[1:])
            os.fsync(handle)
        except BaseException:
            os.ftruncate(handle, end)
            raise
    finally:
        os.close(handle)
    return digest_of(line)


def head_of(path: Path) -> str | None:
    """The digest of the last whole line, or None where there is none.

    Raises:
        OSError: it cannot be read.
    """
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        return _last(handle)[1]
    finally:
        os.close(handle)


def has_torn_tail(path: Path) -> bool:
    """Whether something stands after the last line feed.

    Raises:
        OSError: it cannot be read.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        return _last(handle)[0] != os.lseek(handle, 0, os.SEEK_END)
    finally:
        os.close(handle)


def _mended(handle: int) -> tuple[int, str | None]:
    """Take off what a crash left of a line, and stand at the end: the length and the digest of the last line."""
    end, head = _last(handle)
    if end < os.lseek(handle, 0, os.SEEK_END):
        os.ftruncate(handle, end)
    os.lseek(handle, end, os.SEEK_SET)
    return end, head


def _last(handle: int) -> tuple[int, str | None]:
    """Where the last whole line ends, and its digest."""
    size = os.lseek(handle, 0, os.SEEK_END)
    start, tail = size, b""
    while start and tail.count(b"\n") < 2:  # noqa: PLR2004 - the end of the last line and of the one before it
        step = min(start, 1 << 16)
        start -= step
        tail = os.pread(handle, step, start) + tail
    whole, feed, torn = tail.rpartition(b"\n")
    if not feed:
        return 0, None
    return size - len(torn), hashlib.sha256(whole.rpartition(b"\n")[2]).hexdigest()


def _write_all(handle: int, octets: bytes) -> None:
    rest = memoryview(octets)
    while rest:
        rest = rest[os.write(handle, rest) :]


def file_digest(path: Path, limit: int) -> str:
    """The SHA-256 of a file of a run.

    Raises:
        UsageError: it cannot be read, or is no file.
    """
    return hashlib.sha256(read_bytes(str(path), limit=limit)).hexdigest()
