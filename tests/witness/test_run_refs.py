"""A stored run as evidence: what may be cited of it, and what of that witnesses."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules.documents import validate
from groundrules.runs import StoredRun, read_run
from groundrules.trace import SpanRecord, Status
from groundrules.witness import check_contracts, check_witness
from groundrules.witness.runrefs import refs_of_run
from places import ROOT

RUNS = ROOT / "vectors" / "run"
FOLDERS = sorted(path.parent for path in RUNS.rglob("envelope.json"))


def run_of(envelope, *spans):
    return StoredRun({"envelope.json": envelope}, list(spans), {})


def span(index, name="work", span_id=None, **attributes):
    return SpanRecord(index, name, span_id or f"{index:016x}", None, None, None, None, Status.UNSET, attributes)


def refs(envelope, *spans):
    return {ref["id"]: ref for ref in refs_of_run(run_of(envelope, *spans), {})["refs"]}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.relative_to(RUNS).as_posix())
def test_every_run_is_a_record_in_order(folder):
    """Of its schema, with flags that hold, bound refs, and no retrieved record that witnesses."""
    run = read_run(folder)
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.name in ("envelope.json", "spans.jsonl")}
    record = refs_of_run(run, files)
    assert validate(record, "evaluation-record") == []
    verdict = check_witness(record)
    assert (verdict.findings, check_contracts(record).findings) == ((), ())
    kinds = {ref["id"]: ref["kind"] for ref in record["refs"]}
    assert {kinds[ref_id] for ref_id in verdict.witnessing} <= {"AGENT_SPAN", "TOOL_RECEIPT"}


def test_every_text_of_the_agent_is_a_span():
    """Nested, in order, with pointers that are escaped; classes and citations are no words of it."""
    payload = {"schema_class": "A", "grounded_on": [{"source_id": "s"}], "a/b~": ["one 🔔", {"c": "two", "n": 3}]}
    found = refs({"outcome": {"status": "succeeded", "statement": "Done."}, "payload": payload})
    assert [(ref_id, ref["text"], ref["char_end"]) for ref_id, ref in found.items()] == [
        ("envelope.json#/outcome/statement", "Done.", 5),
        ("envelope.json#/payload/a~1b~0/0", "one 🔔", 5),
        ("envelope.json#/payload/a~1b~0/1/c", "two", 3),
    ]


def test_words_beside_a_problem_are_the_conductors():
    """They prove nothing of the agent."""
    assert refs({"outcome": {"statement": "There is no result."}, "problem": {}}) == {}
    gated = {"status": "abstained", "statement": "Withheld.", "reason_code": "grounding-violation"}
    assert refs({"outcome": gated}) == {}
    assert len(refs({"outcome": gated | {"reason_code": "unclear"}})) == 1


def test_a_call_witnesses_where_the_conductor_recorded_it():
    """An agent's own retrieval, and one of two spans with one name, are statements."""
    envelope = {
        "retrievals": [{"span_id": "a" * 16, "status": "ok", "content_hash": "0" * 64}, {"span_id": "b" * 16}],
        "delegations": [{"delegated_invocation_id": "child", "delegated_status": "succeeded"}],
    }
    spans = [
        span(0, "invoke_agent"),
        span(1, "retrieval", "a" * 16),
        span(2, "retrieval"),
        span(3, "retrieval", "b" * 16),
        span(4, "odd", "b" * 16),
        span(5, "delegation", **{"dd.delegated_invocation_id": "child"}),
        span(6, "execute_tool ring"),
        span(7, "x", **{"gen_ai.operation.name": "execute_tool"}),
        span(8, "delegation", **{"dd.delegated_invocation_id": "other"}),
    ]
    found = refs(envelope, *spans)
    assert [(ref_id.partition("/")[2], ref["anchor"], ref["call_index"]) for ref_id, ref in found.items()] == [
        ("1", "receipt", 0),
        ("2", "none", 1),
        ("3", "none", 2),
        ("4", "none", 3),
        ("5", "receipt", 4),
        ("6", "none", 5),
        ("7", "none", 6),
        ("8", "none", 7),
    ]
    assert found["spans.jsonl#/1"]["output"] == {"status": "ok", "content_hash": "0" * 64}
    assert found["spans.jsonl#/5"]["output"] == {"delegated_status": "succeeded"}
    assert found["spans.jsonl#/2"]["output"] == {"status": "unset"}


def test_an_error_of_a_span_is_told():
    """As its output."""
    failed = SpanRecord(0, "retrieval", "a" * 16, None, None, None, None, Status.ERROR, {})
    assert refs({}, failed)["spans.jsonl#/0"]["output"] == {"status": "error"}


def test_what_the_agent_was_shown_is_context():
    """Its input, a record, and what is named and not shown; a name that is too long is its digest."""
    evidence = [
        {"source_id": "input:1", "content": {"a": 1}},
        {"source_id": "s", "content": "text"},
        {"source_id": "t"},
        {"source_id": "x" * 3000, "content": None},
    ]
    found = [*refs({"evidence": evidence}).values()]
    assert [ref["kind"] for ref in found] == ["USER_INPUT", "RETRIEVAL", "PROVENANCE", "RETRIEVAL"]
    assert [ref.get("text") for ref in found] == ['{"a": 1}', "text", None, "null"]
    assert found[3]["source_ref"].startswith("sha256:")


def test_a_run_without_an_envelope_has_its_files():
    """There is still something to cite."""
    record = refs_of_run(StoredRun({}, None, {}), {"request.json": b"{}"})
    assert [(ref["id"], ref["kind"]) for ref in record["refs"]] == [("request.json", "PROVENANCE")]


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150)
@given(st.fixed_dictionaries({}, optional={"outcome": _json, "payload": _json, "evidence": _json, "retrievals": _json}))
def test_whatever_an_envelope_holds_is_a_record(envelope):
    """A record of its schema, with nothing in it that a rule finds fault with, but refs of one id."""
    record = refs_of_run(run_of(envelope, span(0, "retrieval", x=[1.5, None])), {})
    assert validate(record, "evaluation-record") == []
    assert check_witness(record).findings == ()
    assert check_contracts(record).findings == ()
    assert json.dumps(record)
