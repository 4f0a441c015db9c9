"""The index of a store: a line a run, each with the digest of the line before it (store.index)."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from groundrules import strictjson
from groundrules.documents import validate
from groundrules.errors import ReadError, UsageError, Where
from groundrules.files import read_bytes
from groundrules.runs.layout import FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from groundrules.runs.writing import Files
    from groundrules.strictjson import JSON

INDEX: Final = "invocations.jsonl"
"""The name of the index in its store."""
FORMAT: Final = "invocation/1"
_CHUNK = 1 << 16
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
        FileNotFoundError: there is none.
        OSError: it cannot be read.
        UsageError: ``usage.not-a-file``.
    """
    with os.fdopen(_opened(path, os.O_RDONLY), "rb") as file:
        number = 0
        while (octets := file.readline(_LARGEST)).endswith(b"\n"):
            number += 1
            yield _line(number, octets)
        if len(octets) == _LARGEST:
            yield Line(number + 1, digest_of(octets), fault="it is longer than any line may be")


def _opened(path: Path, flags: int) -> int:
    """An index, opened without waiting for anybody; a pipe or a folder is none.

    Raises:
        OSError: it cannot be opened.
        UsageError: ``usage.not-a-file``.
    """
    handle = os.open(path, flags | os.O_NONBLOCK, 0o644)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise UsageError("usage.not-a-file", "it is no regular file", where=Where(file=str(path)), remedy="put it right")


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
    told: dict[str, str] = {name: str(files[name]) for name in FILES if name in files}
    line = Line(number, digest, str(entry["invocation_id"]), told, None if previous is None else str(previous))
    if octets != line_of(str(line.invocation_id), told, line.previous):
        return Line(number, digest, fault="it is not written as a store writes it")
    return line


def append(path: Path, invocation_id: str, files: Mapping[str, str], on: Callable[[str], None]) -> str:
    """Append a line for a run to an index that nobody else writes meanwhile; a part of a line is taken off first.

    Returns:
        The digest of the new line: the head of the index.

    Raises:
        OSError: it cannot be written; the index is then as it was.
    """
    handle = _opened(path, os.O_RDWR | os.O_CREAT)
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


def has_torn_tail(path: Path) -> bool:
    """Whether something stands after the last line feed.

    Raises:
        OSError: it cannot be read.
    """
    handle = _opened(path, os.O_RDONLY)
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
    end = _feed_before(handle, os.lseek(handle, 0, os.SEEK_END))
    if end is None:
        return 0, None
    before = _feed_before(handle, end)
    start = 0 if before is None else before + 1
    pin = hashlib.sha256()
    for offset in range(start, end, _CHUNK):
        pin.update(os.pread(handle, min(_CHUNK, end - offset), offset))
    return end + 1, pin.hexdigest()


def _feed_before(handle: int, end: int) -> int | None:
    """Where the last line feed stands before an offset, or None; every octet is looked at once."""
    while end > 0:
        start = max(end - _CHUNK, 0)
        found = os.pread(handle, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found
        end = start
    return None


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
