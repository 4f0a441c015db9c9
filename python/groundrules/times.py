"""Times as integers: RFC 3339 read strictly, nanoseconds kept, rules in microseconds (trace.times, trace.rule-time)."""

from __future__ import annotations

import re
from datetime import date

_RFC3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_EPOCH = date(1970, 1, 1).toordinal()
_NANOSECONDS = 10**9
_LAST_HOUR, _LAST_MINUTE = 23, 59


def parse_rfc3339(text: str) -> int | None:
    """Nanoseconds since 1970 of a time with offset and up to nine fraction digits, or None where it is none.

    Upper-case ``T`` and ``Z``, no leap second, no other notation of ISO 8601.
    """
    match = _RFC3339.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    fraction, sign, offset_hour, offset_minute = match.groups()[6:]
    shift = (int(offset_hour or 0), int(offset_minute or 0))
    if max(hour, shift[0]) > _LAST_HOUR or max(minute, second, shift[1]) > _LAST_MINUTE:
        return None
    try:
        days = date(year, month, day).toordinal() - _EPOCH
    except ValueError:
        return None
    seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
    seconds -= (1 if sign == "+" else -1) * (shift[0] * 60 + shift[1]) * 60
    return seconds * _NANOSECONDS + int((fraction or "").ljust(9, "0"))


def microseconds(nanoseconds: int) -> int:
    """Rule time: whole microseconds, floored."""
    return nanoseconds // 1000
