"""Times read strictly and kept as integers."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules.times import microseconds, parse_rfc3339

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
zones = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=zones)  # noqa: DTZ001 - zones are drawn


@given(moments, st.integers(0, 999), st.integers(6, 9))
def test_a_time_is_the_one_that_datetime_reads(moment, nanoseconds, digits):
    """Any offset and any number of fraction digits give the same instant as the standard library, to the nanosecond."""
    fraction = f"{moment.microsecond:06}{nanoseconds:03}"[:digits]
    offset = moment.strftime("%z")
    text = f"{moment:%Y-%m-%dT%H:%M:%S}".rjust(19, "0") + f".{fraction}{offset[:3]}:{offset[3:5]}"
    expected = (moment.replace(microsecond=0) - _EPOCH) // timedelta(microseconds=1) * 1000 + int(
        fraction.ljust(9, "0")
    )
    assert parse_rfc3339(text) == expected


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.000000001Z", 1),
        ("1969-12-31T23:59:59.9Z", -100_000_000),
        ("2026-02-28T23:30:00-00:30", 1_772_323_200 * 10**9),
        ("2024-02-29T00:00:00.5+14:00", (1_709_164_800 - 14 * 3600) * 10**9 + 500_000_000),
    ],
)
def test_known_times(text, nanoseconds):
    """Epoch, fractions, times before the epoch, offsets across a day, a leap day."""
    assert parse_rfc3339(text) == nanoseconds


@pytest.mark.parametrize(
    "text",
    [
        *("2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "2026-01-01t00:00:00Z", "2026-01-01T00:00:00z"),
        *("2026-W01-1", "20260101T000000Z", "2026-01-01T00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T23:59:60Z"),
        *("2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "0000-01-01T00:00:00Z", "2026-01-01T00:00:00+24:00"),
        *("2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234567890Z", "2026-01-01T00:00:00Z\n", "", "now"),
        *("٢٠٢٦-01-01T00:00:00Z", "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+01:60", "+2026-01-01T00:00:00Z"),
    ],
)
def test_other_notations_are_no_times(text):
    """Other forms of ISO 8601, leap seconds, days that do not exist and digits of other scripts are refused."""
    assert parse_rfc3339(text) is None


@given(st.integers())
def test_rule_time_is_floored(nanoseconds):
    """Microseconds are floored, before the epoch too, so that equal stored times are equal live times."""
    assert microseconds(nanoseconds) * 1000 <= nanoseconds < (microseconds(nanoseconds) + 1) * 1000
