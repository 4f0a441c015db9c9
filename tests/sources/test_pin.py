"""The entry that pins a copy."""

import json

import pytest

from groundrules.errors import ConfigurationError, UsageError
from groundrules.sources.pin import entry_of


def lines(*records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


@pytest.mark.parametrize(
    ("octets", "name"),
    [
        (lines({"n": 1, "kind": "a", "id": "x"}, {"id": "y", "kind": "a"}), "id"),
        (lines({"title": "t", "id": "x"}, {"id": "y"}), "id"),
        (b'[{"b": "1", "a": "2"}]', "b"),
    ],
)
def test_the_id_is_the_first_member_that_can_be(tmp_path, octets, name):
    """A string in every record, another in each."""
    path = tmp_path / "copy"
    path.write_bytes(octets)
    entry = entry_of(path, None, ["s"])
    assert (entry["id_field"], entry["bytes"], entry["path"]) == (name, len(octets), str(path))


@pytest.mark.parametrize("octets", [lines({"a": "x"}, {"a": "x"}), lines({"a": 1}), lines("x"), lines({"a": "x"}, [])])
def test_where_no_member_can_be_the_id(tmp_path, octets):
    """It is said, and nothing is guessed."""
    path = tmp_path / "copy"
    path.write_bytes(octets)
    with pytest.raises(UsageError, match=r"usage\.no-id-field"):
        entry_of(path, None, ["s"])


def test_a_chosen_member_is_proven(tmp_path):
    """A member that was named and does not fit is refused with its reason and line."""
    path = tmp_path / "copy"
    path.write_bytes(lines({"a": "x", "b": "1"}, {"a": "x", "b": "2"}))
    assert entry_of(path, "b", ["s"])["id_field"] == "b"
    with pytest.raises(ConfigurationError, match=r"line 2: an earlier record has the same id.*duplicate-id"):
        entry_of(path, "a", ["s"])


@pytest.mark.parametrize(
    ("octets", "code"),
    [(b"", "no-record"), (b"{", "record-unreadable"), (b"[1", "record-unreadable"), (b"[]", "no-record")],
)
def test_a_copy_that_cannot_be_loaded_is_not_pinned(tmp_path, octets, code):
    """The entry would be refused by the first command that used it."""
    path = tmp_path / "copy"
    path.write_bytes(octets)
    with pytest.raises(ConfigurationError, match=code):
        entry_of(path, None, ["s"])
    with pytest.raises(UsageError, match=r"none: there is no such file; check the name \[usage\.no-file\]"):
        entry_of(tmp_path / "none", None, ["s"])


def test_an_entry_that_no_list_could_hold_is_not_printed(tmp_path):
    """A name that is not UTF-8, a reference that is empty or stands twice, an id without a name."""
    path = tmp_path / "copy"
    path.write_bytes(lines({"": "x", "a": "y"}))
    assert entry_of(path, None, ["s"])["id_field"] == "a"
    with pytest.raises(UsageError, match=r"is not UTF-8, and no list can hold it"):
        entry_of(tmp_path / "\udcff", None, ["s"])
    for refs, code in ((["\ud800"], "unreadable"), ([""], "schema"), (["s", "s"], "duplicate-reference")):
        with pytest.raises((UsageError, ConfigurationError), match=code):
            entry_of(path, None, refs)
