"""Copies on the disk: proven once, held by one handle, looked at again each time."""

import hashlib
import io
import json
import os
import sqlite3
import threading
from pathlib import Path

import pytest

from groundrules import check_sources, content_hash, load_copies
from groundrules.errors import ConfigurationError, ReadError, UsageError
from groundrules.sources import proof as proof_module
from groundrules.sources import table as table_module
from groundrules.sources.listing import Entry, read_listing
from groundrules.sources.proof import Proof, first_record

PADDING = "x" * 20_000  # so that no buffer holds the record that is looked at
RECORDS = [{"id": f"r{number}", "n": number} for number in range(10)]
WIDE = [record | {"padding": PADDING} for record in RECORDS]
WIDE_LINES = b"".join(json.dumps(record).encode() + b"\n" for record in WIDE)
LINES = b"".join(json.dumps(record).encode() + b"\n" for record in RECORDS)


def refusal(path):
    with pytest.raises(ConfigurationError) as caught:
        load_copies(path)
    return caught.value


def test_every_record_is_found_and_no_other(listed):
    """The ids of the copy are found exactly; anything else is not there."""
    with load_copies(listed(tides=LINES)) as copies:
        copy = copies.proof(copies.index("snapshot:tides"))
        assert [copy.record(record["id"]) for record in RECORDS] == RECORDS
        assert [copy.record(other) for other in ("", "r", "R1", "r10", "\ud800")] == [None] * 5
        assert copies.index("snapshot:locks") is None


def test_an_array_is_found_in_too(listed):
    """Records of an array are looked up like lines."""
    with load_copies(listed(tides=json.dumps(RECORDS).encode())) as copies:
        copy = copies.proof(0)
        assert (copy.record("r3"), copy.record("r99")) == (RECORDS[3], None)


def test_a_file_changed_after_its_proof_is_refused(listed, tmp_path):
    """A record is hashed again when it is looked at; the changed one is refused, the others are still good."""
    with load_copies(listed(tides=WIDE_LINES)) as copies:
        with (tmp_path / "tides.jsonl").open("r+b") as file:
            file.write(WIDE_LINES.replace(b'"n": 3,', b'"n": 4,'))
        copy = copies.proof(0)
        with pytest.raises(ConfigurationError, match=r"tides\.jsonl: .*config\.copy-changed"):
            copy.record("r3")
        assert copy.record("r5") == WIDE[5]


def test_a_file_cut_off_after_its_proof_is_refused(listed, tmp_path):
    """A record that is no longer there is a changed copy, not an absent record."""
    with load_copies(listed(tides=WIDE_LINES)) as copies:
        os.truncate(tmp_path / "tides.jsonl", 5)
        with pytest.raises(ConfigurationError, match="copy-changed"):
            copies.proof(0).record("r9")


def test_a_file_replaced_after_its_proof_is_not_seen(listed, tmp_path):
    """The handle is held: another file of the same name is another file."""
    with load_copies(listed(tides=LINES)) as copies:
        other = tmp_path / "other"
        other.write_bytes(b'{"id": "r1", "n": "forged"}\n')
        other.replace(tmp_path / "tides.jsonl")
        assert copies.proof(0).record("r1") == RECORDS[1]


def test_many_threads_look_up_at_once(listed):
    """A harness may check several runs at a time by one set of copies."""
    found = []
    with load_copies(listed(tides=LINES)) as copies:
        copy = copies.proof(0)

        def look():
            found.extend(copy.record(record["id"]) == record for _ in range(50) for record in RECORDS)

        threads = [threading.Thread(target=look) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [True] * 8 * 50 * 10


def test_what_is_no_file_is_refused(listed, tmp_path):
    """A missing file, a folder, a pipe and a name no system can have: one coded line each, and no hang."""
    path = listed(tides=LINES)
    copy = tmp_path / "tides.jsonl"
    copy.unlink()
    assert str(refusal(path)).startswith("tides.jsonl: there is no such file; ")
    copy.mkdir()
    assert refusal(path).code == "config.copy-unreadable"
    copy.rmdir()
    os.mkfifo(copy)
    assert refusal(path).code == "config.copy-unreadable"
    document = json.loads(path.read_text(encoding="utf-8"))
    for name, code in (("a\0b", "config.copy-unreadable"), ("tides.jsonl/x", "config.copy-unreadable")):
        document["sources"][0]["path"] = name
        path.write_text(json.dumps(document), encoding="utf-8")
        assert refusal(path).code == code


def test_a_link_is_followed_when_the_octets_match(listed, tmp_path):
    """The pin is what counts, not where the octets lie; a link elsewhere with other octets is refused."""
    path = listed(tides=LINES)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "tides.jsonl").rename(elsewhere / "real")
    (tmp_path / "tides.jsonl").symlink_to(elsewhere / "real")
    load_copies(path).close()
    (elsewhere / "real").write_bytes(LINES + b"\n")
    assert refusal(path).code == "config.pin-mismatch"


def test_an_absolute_path_is_taken_as_it_is(listed, tmp_path):
    """A list may name a copy anywhere, if it says so plainly."""
    path = listed(tides=LINES)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["sources"][0]["path"] = str(tmp_path / "x" / ".." / "tides.jsonl")
    (tmp_path / "x").mkdir()
    path.write_text(json.dumps(document), encoding="utf-8")
    load_copies(path).close()


def test_a_refused_copy_leaves_no_file_open(listed):
    """Every handle that was opened on the way is closed again."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    path = listed(good=LINES, bad=b'{"id": 1}\n')
    for _ in range(20):
        assert refusal(path).code == "config.record-id"
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_yaml_and_json_lists_say_the_same(listed, tmp_path):
    """The form goes by the name of the file; errors name the list."""
    path = listed(tides=LINES)
    yaml = tmp_path / "copies.yaml"
    yaml.write_bytes(path.read_bytes())
    assert read_listing(str(yaml)) == read_listing(str(path))
    yaml.write_text("sources: [", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"copies\.yaml, line 1: it is no YAML"):
        read_listing(str(yaml))
    yaml.write_text(
        "sources:\n  - snapshot_refs: [x]\n    path: p\n    id_field: i\n    sha256: 1234\n", encoding="utf-8"
    )
    with pytest.raises(ConfigurationError, match=r"copies\.yaml, at /sources/0/sha256: it is not of type string"):
        read_listing(str(yaml))
    path.write_bytes(b"{")
    with pytest.raises(ReadError, match=r"copies\.json"):
        read_listing(str(path))


def entry(data, **members):
    return Entry(("s",), "id", hashlib.sha256(data).hexdigest(), **members)


def code_of(octets, entry_=None):
    with pytest.raises(ConfigurationError) as caught:
        Proof(entry_ or entry(octets), io.BytesIO(octets))
    return caught.value.code


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_lines_are_whole_whatever_the_size_of_a_read(monkeypatch, size):
    """Where a read ends has no bearing on what is read: lines, offsets, first octets, arrays."""
    monkeypatch.setattr(proof_module, "_CHUNK", size)
    for octets in (LINES, LINES[:-1], b"\r\n  " + json.dumps(RECORDS).encode(), LINES.replace(b"\n", b" \r\n")):
        copy = Proof(entry(octets), io.BytesIO(octets))
        assert [copy.record(record["id"]) for record in RECORDS] == RECORDS
        assert first_record(io.BytesIO(octets)) == RECORDS[0]
        copy.close()
    assert code_of(LINES + b"\n") == "config.record-unreadable"
    assert code_of(b"") == "config.no-record"
    assert code_of(b" ") == "config.record-unreadable"


def test_a_text_over_the_limit_is_refused_and_the_pin_still_told_first(monkeypatch):
    """The limit holds for a line and for an array; the rest of the file is hashed all the same."""
    monkeypatch.setattr(proof_module, "_CHUNK", 100)
    monkeypatch.setattr(proof_module, "LIMITS", proof_module.LIMITS.__class__(document=150))
    monkeypatch.setattr(proof_module.strictjson.loads, "__kwdefaults__", {"limits": proof_module.LIMITS})
    long = b'{"id": "' + b"x" * 150 + b'"}'
    for octets in (LINES[:20] + long + b"\n" + LINES, b"[" + long + b"]", b" " * 200 + b"[]", long):
        assert code_of(octets) == "config.record-unreadable"
        assert code_of(octets, entry(octets + b"x")) == "config.pin-mismatch"


def test_a_length_is_held_to_the_octet():
    """As many octets as listed are read and no more, whatever follows."""
    assert Proof(entry(LINES, octets=len(LINES)), io.BytesIO(LINES)).record("r0")
    assert code_of(LINES, entry(LINES, octets=len(LINES) - 1)) == "config.copy-too-long"
    assert Proof(entry(LINES, octets=len(LINES) + 1), io.BytesIO(LINES)).record("r0")


def test_a_disk_that_fails_is_told():
    """A read that fails is a copy that cannot be read, not a shorter one."""

    class Failing(io.BytesIO):
        def read(self, size=-1):
            chunk = super().read(size)
            if not chunk:
                raise OSError(5, "Input/output error")
            return chunk

    with pytest.raises(ConfigurationError, match="input/output error") as caught:
        Proof(entry(LINES), Failing(LINES))
    assert caught.value.code == "config.copy-unreadable"


def test_a_full_disk_is_told(monkeypatch):
    """Where the table of records finds no room, the machine is named and not the copy."""

    class Full:
        def __init__(self, real):
            self._real = real

        def __getattr__(self, name):
            return getattr(self._real, name)

        def executemany(self, *_):
            raise sqlite3.OperationalError("database or disk is full")

    connect = sqlite3.connect
    monkeypatch.setattr(table_module.sqlite3, "connect", lambda *words, **named: Full(connect(*words, **named)))
    with pytest.raises(UsageError, match=r"disk is full.*usage\.machine"):
        Proof(entry(LINES), io.BytesIO(LINES))


def test_many_records_are_written_in_parts(monkeypatch):
    """Rows go to the table a few thousand at a time; the first line that doubles an id is the one told."""
    monkeypatch.setattr(table_module, "_AT_ONCE", 3)
    assert Proof(entry(LINES), io.BytesIO(LINES)).record("r7") == RECORDS[7]
    doubled = LINES + b'{"id": "r8"}\n{"id": "r0"}\n{"id": "r8"}\n'
    with pytest.raises(ConfigurationError, match=r"line 11: an earlier record has the same id"):
        Proof(entry(doubled), io.BytesIO(doubled))


def test_ids_that_only_octets_tell_apart_are_two_ids():
    """Zero characters, case and accents are part of an id."""
    records = [{"id": text} for text in ("a", "a\0", "a\0b", "A", "é", "e\u0301")]
    octets = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    copy = Proof(entry(octets), io.BytesIO(octets))
    assert [copy.record(record["id"]) for record in records] == records


def test_the_check_reads_a_changed_copy_as_an_error(listed, tmp_path):
    """A copy that changes while runs are checked stops the check; it is neither verified nor a violation."""
    item = {
        "source_id": "r3",
        "hash_algorithm": "sha256",
        "canonicalisation": "dd-json-document-v1",
        "content_hash": content_hash(WIDE[3], "dd-json-document-v1"),
        "snapshot_ref": "snapshot:tides",
    }
    with load_copies(listed(tides=WIDE_LINES)) as copies:
        (tmp_path / "tides.jsonl").write_bytes(WIDE_LINES.replace(b'"n": 3,', b'"n": 4,'))
        with pytest.raises(ConfigurationError, match="copy-changed"):
            check_sources({"evidence": [item]}, copies)
