"""One copy, proven: its octets are hashed and read in one pass, and every later look at it is hashed again."""

from __future__ import annotations

import hashlib
import threading
from itertools import chain
from typing import TYPE_CHECKING

from groundrules import strictjson
from groundrules.errors import ConfigurationError, ReadError, Where
from groundrules.sources.table import Row, Table
from groundrules.strictjson import LIMITS

if TYPE_CHECKING:
    import io
    from collections.abc import Iterable, Iterator

    from groundrules.sources.listing import Entry
    from groundrules.strictjson import JSON

_CHUNK = 1024 * 1024
_SPACE = b" \t\r\n"
_PIN_ANEW = "restore the copy, or pin it anew with groundrules sources pin"


class Proof:
    """A copy whose octets match its pin (sources.pin, sources.records)."""

    def __init__(self, entry: Entry, handle: io.BufferedIOBase) -> None:
        """Read a copy from its start to its end.

        Args:
            entry: the copy's entry in the list.
            handle: the file, open at its start; the proof keeps it and closes it.

        Raises:
            ConfigurationError: the copy is not the one pinned, or a record of it is refused.
            UsageError: ``usage.machine``: there is no room for the table of its records.
        """
        self.entry = entry
        self._handle = handle
        self._lock = threading.Lock()
        self._records: dict[str, JSON] | None = None
        self._broken: ConfigurationError | None = None
        self._table = Table()
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    def record(self, source_id: str) -> JSON:
        """The record with this id, or None where the copy holds none (sources.files).

        Raises:
            ConfigurationError: ``config.copy-changed``: the file is no longer the one that was proven.
        """
        if self._records is not None:
            return self._records.get(source_id)
        with self._lock:
            row = self._table.find(source_id)
            if row is None:
                return None
            self._handle.seek(row.offset)
            octets = self._handle.read(row.length)
        if hashlib.sha256(octets).digest() != row.digest:
            raise ConfigurationError(
                "config.copy-changed",
                "the copy changed after its pin was proven",
                where=Where(file=self.entry.path),
                remedy="keep the copy as it is while it is in use",
            )
        return strictjson.loads(octets)

    def close(self) -> None:
        """Let go of the file and the table."""
        self._handle.close()
        self._table.close()

    def _read(self) -> None:
        """Hash and read the whole file; that it is another file is told before whatever is wrong with its text."""
        pin = hashlib.sha256()
        chunks = self._chunks(pin)
        fault: ConfigurationError | None = None
        try:
            self._read_text(chunks)
        except ConfigurationError as error:
            fault = error
        for _ in chunks:  # the rest of a refused text is hashed all the same
            pass
        if self._broken is not None:
            raise self._broken
        if pin.hexdigest() != self.entry.sha256:
            detail = f"the copy hashes to {pin.hexdigest()}, its pin is {self.entry.sha256}"
            raise ConfigurationError("config.pin-mismatch", detail, remedy=_PIN_ANEW)
        if fault is not None:
            raise fault

    def _chunks(self, pin: hashlib._Hash) -> Iterator[bytes]:
        """The octets of the file, hashed as they go by; ends early, and says why, where they cannot be had."""
        most, read = self.entry.octets, 0
        while True:
            try:
                chunk = self._handle.read(_CHUNK)
            except OSError as error:
                reason = (error.strerror or "unknown reason").lower()
                self._broken = ConfigurationError("config.copy-unreadable", f"the copy cannot be read: {reason}")
                return
            if not chunk:
                return
            pin.update(chunk)
            read += len(chunk)
            if most is not None and read > most:
                detail = f"the copy has more than the {most} bytes that are listed"
                self._broken = ConfigurationError("config.copy-too-long", detail, remedy=_PIN_ANEW)
                return
            yield chunk

    def _read_text(self, chunks: Iterator[bytes]) -> None:
        """Read the copy in its form (sources.form)."""
        is_array, text = _form(chunks)
        if is_array:
            self._read_array(text)
        else:
            self._read_lines(text)

    def _read_array(self, chunks: Iterable[bytes]) -> None:
        listed = _array(chunks)
        places = [(self._id(record, Where(pointer=f"/{index}")), index) for index, record in enumerate(listed)]
        self._records = {}
        for source_id, index in places:
            if source_id in self._records:
                raise _doubled(Where(pointer=f"/{index}"))
            self._records[source_id] = listed[index]
        if not listed:
            raise _empty()

    def _read_lines(self, chunks: Iterable[bytes]) -> None:
        for number, offset, octets in _lines(chunks):
            source_id = self._id(_record(octets, number), Where(line=number))
            self._table.add(Row(number, source_id, offset, len(octets), hashlib.sha256(octets).digest()))
        again = self._table.index()
        if again is not None:
            raise _doubled(Where(line=again))
        if not self._table.rows:
            raise _empty()

    def _id(self, record: JSON, where: Where) -> str:
        source_id = record.get(self.entry.id_field) if isinstance(record, dict) else None
        if isinstance(source_id, str):
            return source_id
        raise ConfigurationError(
            "config.record-id",
            "a record is no object with a string for its id",
            where=where,
            remedy="check id_field, and give every record an id",
        )


def first_record(handle: io.BufferedIOBase) -> JSON:
    """The first record of a copy that is open at its start.

    Raises:
        ConfigurationError: there is none, or it cannot be read.
    """
    is_array, text = _form(iter(lambda: handle.read(_CHUNK), b""))
    records = _array(text) if is_array else (_record(octets, number) for number, _, octets in _lines(text))
    for record in records:
        return record
    raise _empty()


def _form(chunks: Iterator[bytes]) -> tuple[bool, Iterable[bytes]]:
    """Whether the octets are an array, and all of them again (sources.form)."""
    head = b""
    for chunk in chunks:
        head += chunk
        if head.strip(_SPACE) or len(head) > LIMITS.document:
            break
    return head.lstrip(_SPACE).startswith(b"["), chain([head], chunks)


def _array(chunks: Iterable[bytes]) -> list[JSON]:
    """The records of an array copy; no more is gathered than shows that it is too large."""
    text = bytearray()
    for chunk in chunks:
        text += chunk
        if len(text) > LIMITS.document:
            break
    try:
        listed = strictjson.loads(bytes(text))
    except ReadError as error:
        raise _unreadable(error, error.where.line) from None
    assert isinstance(listed, list)  # noqa: S101 - it begins with a bracket
    return listed


def _record(octets: bytes, line: int) -> JSON:
    try:
        return strictjson.loads(octets)
    except ReadError as error:
        raise _unreadable(error, line) from None


def _lines(chunks: Iterable[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """The lines of a stream: number from 1, offset of the first octet, octets without the line feed.

    Of a line that is longer than any text may be no more is kept than shows it.
    """
    number, offset, length = 1, 0, 0
    pending: list[bytes] = []
    for chunk in chunks:
        start = 0
        while (feed := chunk.find(b"\n", start)) >= 0:
            pending.append(chunk[start:feed])
            yield number, offset, b"".join(pending)
            offset += length + feed - start + 1
            number, length, pending, start = number + 1, 0, [], feed + 1
        if length <= LIMITS.document:
            pending.append(chunk[start:])
        length += len(chunk) - start
    if length:
        yield number, offset, b"".join(pending)


def _unreadable(error: ReadError, line: int | None) -> ConfigurationError:
    return ConfigurationError(
        "config.record-unreadable",
        f"a text is refused: {error.detail} [{error.code}]",
        where=Where(line=line),
        remedy="mend the copy at its source and pin it anew",
    )


def _doubled(where: Where) -> ConfigurationError:
    return ConfigurationError(
        "config.duplicate-id",
        "an earlier record has the same id",
        where=where,
        remedy="keep one of the two, and pin the copy anew",
    )


def _empty() -> ConfigurationError:
    return ConfigurationError("config.no-record", "the copy holds no record", remedy="check which file was pinned")
