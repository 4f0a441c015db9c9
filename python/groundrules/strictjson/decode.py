"""From octets to text: UTF-8 and nothing else (strict JSON, encoding)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.errors import ReadError, Where

if TYPE_CHECKING:
    from groundrules.strictjson.values import Limits

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xfe\xff", b"\xff\xfe")


def decode(data: bytes, limits: Limits) -> str:
    """Decode the octets of one JSON text.

    Raises:
        ReadError: stage ``decode``: the text is over the size limit, begins with a byte-order mark, is UTF-16 or
            UTF-32, or holds an octet sequence that is not UTF-8. Tested in this order: size, other encoding, mark,
            UTF-8.
    """
    if len(data) > limits.document:
        raise _refusal(
            "read.document-too-large",
            f"the text has more than {limits.document} bytes",
            None,
            "split it, or read it as JSON Lines",
        )
    if data.startswith(_UTF16_MARKS) or 0 in data[:2]:
        raise _refusal("read.other-encoding", "the text is UTF-16 or UTF-32", 0, "save it as UTF-8")
    if data.startswith(_UTF8_MARK):
        raise _refusal("read.byte-order-mark", "the text begins with a byte-order mark", 0, "remove the mark")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        octets = data[error.start : error.start + 4].hex(" ")
        where = Where(line=data.count(b"\n", 0, error.start) + 1, offset=error.start)
        raise ReadError(
            "read.invalid-utf8",
            f"the bytes {octets} are not UTF-8",
            stage="decode",
            where=where,
            remedy="save the text as UTF-8",
        ) from None


def _refusal(code: str, detail: str, offset: int | None, remedy: str) -> ReadError:
    return ReadError(code, detail, stage="decode", where=Where(offset=offset), remedy=remedy)
