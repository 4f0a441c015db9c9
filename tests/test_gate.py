"""The gate, on any envelope: what leaves it holds no result and satisfies the contract."""

import dataclasses
import json

import mode_runs as runs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_runs import random_runs

from groundrules import (
    GroundingStatus,
    GroundingVerdict,
    SchemaError,
    SourceVerdict,
    UsageError,
    check_contract,
    check_sources,
    envelope_hash,
    lint,
    loads,
    read_trace,
    withhold,
)
from groundrules.documents import validate
from groundrules.findings import Finding, Place
from groundrules.gate import concealed, concealed_sources
from groundrules.verdict import Consulted, Unresolved
from samples import objects, values

ANSWER = "It is from 1640."
REQUIRED = ("invocation_id", "agent_id", "agent_version", "completed_at", "grounding_mode", "requires_human_review")


def judged(spans, envelope):
    return lint(spans, envelope), check_sources(envelope)


def failing(envelope):
    """Verdicts that fail an envelope, whatever it is."""
    finding = Finding("g2.not-retrieved", Place("/payload/answer/grounded_on/0"), ANSWER)
    digest = envelope_hash(envelope)
    grounding = GroundingVerdict(GroundingStatus.FAILED, "retrieval", "dd", judged_hash=digest, findings=(finding,))
    return grounding, SourceVerdict(judged_hash=digest)


@settings(max_examples=500)
@given(random_runs())
def test_what_leaves_the_gate_passes_or_is_empty(run):
    """Of a run with a violation nothing is left that it said; any other leaves as the very object that came."""
    spans, envelope = run
    records = runs.records(spans)
    if not isinstance(envelope, dict):
        return
    grounding, sources = judged(records, envelope)
    released = withhold(envelope, grounding, sources)
    if grounding.status is not GroundingStatus.FAILED and not sources.findings:
        assert released is envelope
        return
    assert released is not envelope
    assert (released["evidence"], "payload" in released, "payload_schema" in released) == ([], False, False)
    again = judged(records, released)
    assert "payload" not in withhold(released, *again)


@settings(max_examples=500)
@given(objects, st.sampled_from(["succeeded", "abstained", "referred", "failed", "suspended", "", None, [], {}]))
def test_the_result_satisfies_the_contract_whatever_else_there_was(members, status):
    """Where the six members that every envelope has are good, the result is valid, whatever stood beside them."""
    good = {name: runs.GOOD["retrieval"][1][name] for name in REQUIRED}
    envelope = members | good | {"outcome": {"status": status, "statement": ANSWER, "reason_code": ANSWER}}
    released = withhold(envelope, *failing(envelope))
    assert check_contract(released).findings == ()
    assert ANSWER not in json.dumps(released)


@given(st.dictionaries(st.sampled_from(["telemetry", "delegations", "acting_for", "problem", "outcome"]), values))
def test_members_of_any_type_do_no_harm(members):
    """No value of a known member makes the gate fail or lets an invalid member through."""
    envelope = {name: runs.GOOD["retrieval"][1][name] for name in REQUIRED} | members
    assert validate(withhold(envelope, *failing(envelope)), "envelope") == []


@settings(max_examples=300)
@given(random_runs())
def test_gating_twice_changes_nothing(run):
    """What left the gate as failed is withheld, and passes it unchanged."""
    spans, envelope = run
    if not isinstance(envelope, dict):
        return
    records = runs.records(spans)
    released = withhold(envelope, *judged(records, envelope))
    if released is not envelope and released["outcome"]["status"] == "failed":
        again = judged(records, released)
        assert again[0].status is GroundingStatus.WITHHELD
        assert withhold(released, *again) is released


def test_the_gate_wants_the_envelope_that_was_judged():
    """A verdict of another envelope releases nothing: neither the linter's nor the source check's."""
    spans, envelope = runs.GOOD["retrieval"]
    grounding, sources = judged(runs.records(spans), envelope)
    changed = envelope | {"agent_id": "another"}
    with pytest.raises(UsageError, match=r"the grounding verdict judged another.*usage\.other-envelope"):
        withhold(changed, grounding, sources)
    with pytest.raises(UsageError, match="the source verdict judged another"):
        withhold(changed, dataclasses.replace(grounding, judged_hash=envelope_hash(changed)), sources)
    with pytest.raises(SchemaError, match=r"schema\.envelope"):
        withhold([envelope], grounding, sources)


def test_what_was_not_checked_does_not_leave():
    """A grounding verdict of unchecked is no pass, and the statement says so."""
    envelope = runs.GOOD["retrieval"][1]
    digest = envelope_hash(envelope)
    unchecked = GroundingVerdict(GroundingStatus.UNCHECKED, judged_hash=digest)
    released = withhold(envelope, unchecked, SourceVerdict(judged_hash=digest))
    assert released["outcome"] == {
        "status": "failed",
        "statement": "This result was withheld: grounding was not checked.",
    }


def test_an_unresolved_source_leaves():
    """Unresolved is told and withholds nothing."""
    spans, envelope = runs.GOOD["retrieval"]
    grounding, sources = judged(runs.records(spans), envelope)
    assert sources.unresolved
    assert withhold(envelope, grounding, sources) is envelope


def test_codes_beyond_those_listed_are_not_named():
    """The statement is made of the listed findings, so that a reader of the stored verdict makes the same one."""
    envelope = runs.GOOD["retrieval"][1]
    many = (*[Finding("g0.span-name", Place(span=0), "x")] * 1000, Finding("g0.cycle", Place(span=0), "x"))
    digest = envelope_hash(envelope)
    verdict = GroundingVerdict(GroundingStatus.FAILED, judged_hash=digest, findings=many)
    statement = withhold(envelope, verdict, SourceVerdict(judged_hash=digest))["outcome"]["statement"]
    assert statement == "This result was withheld: grounding failed (g0.span-name)."


def test_concealed_verdicts_hold_no_word_of_the_agent():
    """Details become titles, places stop where the agent's names begin, ids become digests."""
    envelope = json.loads(json.dumps(runs.GOOD["retrieval"][1]))
    envelope["payload"][ANSWER] = {"grounded_on": ANSWER}
    envelope["evidence"][0]["content"][ANSWER] = 1
    envelope["evidence"].append({ANSWER: 1})
    envelope["outcome"]["status"] = ANSWER
    grounding, sources = judged(runs.records(runs.GOOD["retrieval"][0]), envelope)
    sources = dataclasses.replace(
        sources,
        copies=(Consulted((ANSWER,), "a" * 64),),
        verified=(ANSWER,),
        unresolved=(Unresolved(ANSWER, ANSWER, "not-listed"), Unresolved(ANSWER, None, "no-snapshot-ref")),
        skipped=(ANSWER,),
    )
    assert "1640" in json.dumps(grounding.as_dict())
    for verdict, kind in ((concealed(grounding), "grounding-verdict"), (concealed_sources(sources), "source-verdict")):
        assert "1640" not in json.dumps(verdict.as_dict()) + "".join(verdict.lines())
        assert validate(verdict.as_dict(), kind) == []
    assert concealed(grounding).codes == grounding.codes
    places = {str(finding.at) for finding in concealed(grounding).findings}
    assert places <= {"/payload", "/evidence/0", "/evidence/1", "/outcome"}
    assert [unresolved.snapshot_ref for unresolved in concealed_sources(sources).unresolved][1] is None


@pytest.mark.parametrize(
    ("pointer", "kept"),
    [
        ("", ""),
        ("/payload/a/0", "/payload"),
        ("/evidence", "/evidence"),
        ("/evidence/0/content/a", "/evidence/0"),
        ("/delegations/3/x", "/delegations/3"),
        ("/outcome/status", "/outcome"),
        ("/it is from 1640/0", ""),
    ],
)
def test_a_place_keeps_its_known_steps(pointer, kept):
    """The envelope's own members and the indexes of its lists; a code that the catalogue does not hold has no title."""
    verdict = GroundingVerdict(GroundingStatus.FAILED, findings=(Finding("x.y", Place(pointer), ANSWER),))
    assert concealed(verdict).findings == (Finding("x.y", Place(kept), ""),)


def test_a_trace_read_live_and_one_read_back_are_withheld_alike():
    """The same octets give the same verdicts and so the same statement."""
    spans, envelope = runs.GOOD["retrieval"]
    envelope = envelope | {"payload": {"schema_class": "A", "grounded_on": []}}
    octets = json.dumps(runs.to_otlp(spans)).encode()
    first = withhold(envelope, *judged(read_trace(octets), envelope))
    stored = loads(json.dumps(envelope).encode())
    assert withhold(stored, *judged(read_trace(octets), stored)) == first
