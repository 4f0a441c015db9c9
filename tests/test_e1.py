"""Rule E1 beyond its vectors: one changed octet is always caught, and any value is answered."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules import GroundrulesError, ItemVerdict, SchemaError, check_envelope, check_item, content_hash, loads
from groundrules.documents import validate
from places import ROOT
from samples import values

RUNS = sorted((ROOT / "vectors" / "envelopes").glob("*/envelope.json"))


@settings(max_examples=1500)
@given(st.data())
def test_one_octet_changed_in_content_is_caught_by_id(data):
    """In the runs that other languages made, changing any octet of evidence content changes that item's verdict.

    The change is refused by strict reading, or leaves the same value (other spelling, white space), or the item it
    lies in fails and no other does.
    """
    path = data.draw(st.sampled_from(RUNS))
    octets = path.read_bytes()
    before = check_envelope(loads(octets))
    assert {result.verdict for result in before} == {ItemVerdict.VERIFIED}
    at = data.draw(st.integers(0, len(octets) - 1))
    changed = octets[:at] + bytes([data.draw(st.integers(0, 255))]) + octets[at + 1 :]
    try:
        envelope = loads(changed)
        after = check_envelope(envelope)
    except GroundrulesError:
        return
    original = loads(octets)
    for index, item in enumerate(original["evidence"]):
        now = envelope["evidence"][index] if index < len(envelope.get("evidence", [])) else None
        if isinstance(now, dict) and "content" in now and repr(now["content"]) != repr(item["content"]):
            assert after[index].verdict is ItemVerdict.FAILED


@settings(max_examples=300)
@given(values)
def test_any_value_is_answered(value):
    """An item or an envelope of any shape gets a verdict or a schema error, never another exception."""
    result = check_item(value, "/evidence/0")
    assert result.verdict in ItemVerdict
    is_envelope = isinstance(value, dict) and isinstance(value.get("evidence", []), list)
    with contextlib.nullcontext() if is_envelope else pytest.raises(SchemaError):
        check_envelope(value)


_good = {
    "source_id": "a",
    "hash_algorithm": "sha256",
    "canonicalisation": "dd-json-document-v1",
    "content_hash": "0" * 64,
}
_members = st.sampled_from([*_good, "content", "snapshot_ref", "source_uri", "retrieved_at", "verified"])


@settings(max_examples=500)
@given(st.dictionaries(_members, values), st.sets(_members))
def test_the_check_and_the_schema_call_the_same_items_malformed(changes, removed):
    """The hand-written shape check and schemas/evidence-item.json agree on every item."""
    item = {name: value for name, value in (_good | changes).items() if name not in removed}
    codes = [finding.code for finding in check_item(item).findings]
    assert ("e1.malformed-item" in codes) == bool(validate(item, "evidence-item"))


@given(st.integers(1, 2**60), st.text(max_size=5))
def test_a_transport_of_doubles_is_recognised(number, text):
    """An integer that arrived as a float fails and is explained, where the float still holds its value."""
    sent, arrived = {"n": number, "t": [text]}, {"n": float(number), "t": [text]}
    item = _good | {"content": arrived, "content_hash": content_hash(sent, "dd-json-document-v1")}
    result = check_item(item)
    assert [finding.code for finding in result.findings] == ["e1.hash-mismatch"]
    explained = [note.code for note in result.notes] == ["note.numbers-changed"]
    assert explained == (int(float(number)) == number)


def test_results_say_where():
    """A finding's pointer leads into the envelope, to the member that is wrong."""
    item = _good | {"canonicalisation": "jcs-document-v1", "content": {"a/b": [1, 1e300]}}
    result = check_envelope({"evidence": [item]})[0]
    assert result.findings[0].pointer == "/evidence/0/content/a~1b/1"
    assert result.as_dict()["findings"] == [
        {"code": "e1.outside-domain", "pointer": "/evidence/0/content/a~1b/1", "detail": result.findings[0].detail}
    ]
    assert check_item("x", "/e/1").as_dict()["verdict"] == "failed"
