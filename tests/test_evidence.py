"""Verifying one hash, and what a reader is shown for a citation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules import (
    CanonicalError,
    UnknownNameError,
    content_hash,
    envelope_hash,
    input_hash,
    resolve,
    verify,
)

DOCUMENT = {"wall": "north", "count": 12}
DIGEST = content_hash(DOCUMENT, "dd-json-document-v1")


def test_the_right_digest_verifies():
    """The digest of the content under its name is the one that verifies."""
    assert verify(DOCUMENT, "dd-json-document-v1", DIGEST) is True


@pytest.mark.parametrize(
    "expected", [DIGEST[:63], DIGEST + "0", DIGEST.upper(), f" {DIGEST}", f"{DIGEST}\n", "", "0" * 64, None, 0]
)
def test_anything_but_the_whole_digest_does_not(expected):
    """A prefix, capitals, white space and other types are all simply not the digest."""
    assert verify(DOCUMENT, "dd-json-document-v1", expected) is False


@given(st.integers(0, 63), st.sampled_from("0123456789abcdef"))
def test_one_digit_decides(at, digit):
    """Changing any single digit of the expected digest changes the answer."""
    changed = DIGEST[:at] + digit + DIGEST[at + 1 :]
    assert verify(DOCUMENT, "dd-json-document-v1", changed) is (changed == DIGEST)


def test_a_question_without_an_answer_raises():
    """Content outside the domain and unknown names are errors, never False."""
    with pytest.raises(CanonicalError):
        verify({"n": 2**53}, "jcs-document-v1", DIGEST)
    with pytest.raises(UnknownNameError):
        verify(DOCUMENT, "md5", DIGEST)


def test_inputs_and_envelopes_have_default_names():
    """The conductor's own hashes use the pyjson names unless another is asked for."""
    assert input_hash([1.0]) == content_hash([1.0], "dd-input-json-v1")
    assert input_hash([1.0], "jcs-input-v1") == content_hash([1.0], "jcs-input-v1")
    assert envelope_hash(DOCUMENT) == content_hash(DOCUMENT, "dd-envelope-json-v1")


def test_a_citation_resolves_on_id_and_hash_together():
    """The first item with both the id and the hash is the one shown; id or hash alone is not enough."""
    items = [
        "not an item",
        {"source_id": "a", "content_hash": "1", "content": "other hash"},
        {"source_id": "b", "content_hash": "2", "content": "other id"},
        {"source_id": "a", "content_hash": "2", "content": "shown"},
        {"source_id": "a", "content_hash": "2", "content": "too late"},
        {"source_id": "c", "content_hash": "3"},
    ]
    assert resolve({"evidence": items}, {"source_id": "a", "content_hash": "2"}) == "shown"
    assert resolve({"evidence": items}, {"source_id": "c", "content_hash": "3"}) is None
    assert resolve({"evidence": items}, {"source_id": "d", "content_hash": "3"}) is None


@pytest.mark.parametrize(
    ("envelope", "reference"),
    [
        (None, {"source_id": "a", "content_hash": "2"}),
        ({}, {"source_id": "a", "content_hash": "2"}),
        ({"evidence": {}}, {"source_id": "a", "content_hash": "2"}),
        ({"evidence": [{}]}, {}),
        (
            {"evidence": [{"source_id": None, "content_hash": None, "content": 1}]},
            {"source_id": None, "content_hash": None},
        ),
        ({"evidence": [{"source_id": 1, "content_hash": "2", "content": 1}]}, {"source_id": 1, "content_hash": "2"}),
    ],
)
def test_a_malformed_question_resolves_to_nothing(envelope, reference):
    """Two missing members are not equal to each other, and a number is no id."""
    assert resolve(envelope, reference) is None
