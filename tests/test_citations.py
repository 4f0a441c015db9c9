"""The shapes that the linter reads by hand are those of the schemas."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from groundrules.citations import delegation, grounded_on, reference, retrieval_record
from groundrules.documents import validate
from samples import values

UUID = "019b7a10-0000-7000-8000-00000000a001"
DIGEST = "0123456789abcdef" * 4
TIME = "2026-09-14T09:26:00.310Z"
REFERENCE = {"source_id": "a", "content_hash": DIGEST}
DELEGATION = {
    "delegated_invocation_id": UUID,
    "delegated_agent_id": "child",
    "delegated_agent_version": "1",
    "delegated_status": "succeeded",
    "content_hash": DIGEST,
    "canonicalisation": "dd-envelope-json-v1",
}
RECORD = {
    "span_id": "2000000000000001",
    "status": "ok",
    "source_id": "a",
    "snapshot_ref": "s",
    "canonicalisation": "jcs-document-v1",
    "content_hash": DIGEST,
    "started_at": TIME,
    "ended_at": TIME,
}
odd = values | st.sampled_from(
    [
        "",
        UUID,
        UUID.upper(),
        DIGEST,
        DIGEST + "\n",
        DIGEST.upper(),
        TIME,
        TIME[:-1],
        TIME + "\n",
        "ok",
        "error",
        "failed",
    ]
)


def changed(base):
    """A base with some members replaced, removed or added."""
    names = st.sampled_from([*base, "more"])
    return st.builds(
        lambda changes, removed: {name: value for name, value in (base | changes).items() if name not in removed},
        st.dictionaries(names, odd, max_size=2),
        st.sets(names, max_size=2),
    )


@settings(max_examples=500)
@given(changed(REFERENCE) | values)
def test_references(value):
    """A value is a reference by hand exactly where it is one by schema."""
    assert (reference(value) is not None) == (not validate(value, "grounding-reference"))


@settings(max_examples=500)
@given(changed(DELEGATION) | values)
@example(DELEGATION)
@example({name: value for name, value in DELEGATION.items() if name != "canonicalisation"})
def test_delegations(value):
    """A value is a delegation by hand exactly where it is one by schema."""
    assert (delegation(value, 0) is not None) == (not validate(value, "delegation"))


@settings(max_examples=800)
@given(changed(RECORD) | changed({**RECORD, "status": "not-found"}) | values)
@example(RECORD)
@example({name: "error" if name == "status" else value for name, value in RECORD.items() if name != "content_hash"})
def test_retrieval_records(value):
    """A value is a retrieval record by hand exactly where it is one by schema."""
    assert (retrieval_record(value, 0) is not None) == (not validate(value, "retrieval-record"))


def test_a_delegation_without_a_name_has_the_default():
    """The canonicalisation of a delegation is that of envelopes unless it says otherwise."""
    plain = {name: value for name, value in DELEGATION.items() if name != "canonicalisation"}
    assert delegation(plain, 3).canonicalisation == "dd-envelope-json-v1"
    assert delegation(DELEGATION, 3).pair == (f"invocation:{UUID}", DIGEST)


def test_references_are_found_at_any_depth_in_document_order():
    """Lists and objects are walked in order; what is inside a grounded_on is not."""
    payload = {
        "b": [{"grounded_on": 1}, [[{"grounded_on": {"grounded_on": 2}}]]],
        "grounded_on": [{"grounded_on": 3}],
        "a": {"grounded_on": []},
    }
    assert [(path[1:], value) for path, value in grounded_on(payload)] == [
        (("b", 0, "grounded_on"), 1),
        (("b", 1, 0, 0, "grounded_on"), {"grounded_on": 2}),
        (("grounded_on",), [{"grounded_on": 3}]),
        (("a", "grounded_on"), []),
    ]
    assert [*grounded_on("text")] == []


def test_a_deep_payload_is_walked_without_recursion():
    """Depth is no matter for the walk itself."""
    payload = {"grounded_on": []}
    for _ in range(50_000):
        payload = {"inner": payload}
    assert len([*grounded_on(payload)]) == 1
