"""The contract beyond its vectors: totality, order, and what a wrong type does."""

import mode_runs as runs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules.contract import check_contract
from groundrules.order import DocumentOrder
from groundrules.verdict import ContractStatus
from samples import values

MEMBERS = [*runs.envelope("none", [], []), "delegations", "retrievals", "problem", "contract_version", "payload_schema"]
odd = values | st.sampled_from(
    ["failed", "retrieval", "0.6", "01.5", {"status": "referred"}, {"status": 7}, [{}], [[]]]
)


@settings(max_examples=800)
@given(st.sampled_from(list(runs.GOOD)), st.dictionaries(st.sampled_from(MEMBERS), odd, max_size=3), values)
def test_any_value_is_answered(mode, changes, value):
    """Any value has a verdict; findings are codes of the contract, each on one line, in document order."""
    for envelope in (runs.GOOD[mode][1] | changes, value):
        verdict = check_contract(envelope)
        assert all(line.isprintable() for line in verdict.lines())
        assert (verdict.status is ContractStatus.INVALID) == bool(verdict.findings)
        order = DocumentOrder(envelope)
        keys = [order(_path(finding.at.pointer, envelope)) for finding in verdict.findings]
        assert keys == sorted(keys)


def _path(pointer, document):
    path = []
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        path.append(int(name) if isinstance(document, list) else name)
        document = document[path[-1]] if isinstance(document, list | dict) and name else None
    return path


@pytest.mark.parametrize("mode", runs.GOOD)
@pytest.mark.parametrize("name", ["evidence", "payload", "outcome", "delegations", "retrievals", "grounding_mode"])
@pytest.mark.parametrize("wrong", [None, 7, "text", [7]])
def test_a_wrong_type_is_c1_s_and_nobody_else_s(mode, name, wrong):
    """A member of another type is one schema finding; the rules that would read it stay silent about it."""
    envelope = runs.GOOD[mode][1] | {name: wrong}
    findings = check_contract(envelope).findings
    assert "c1.schema" in [finding.code for finding in findings]
    assert all(not finding.at.pointer.startswith(f"/{name}/") or finding.code == "c1.schema" for finding in findings)


def test_a_malformed_record_matches_nothing():
    """A delegation that C1 calls malformed is not what an evidence item rests on, even where both lack the same."""
    envelope = runs.GOOD["delegation"][1] | {"delegations": [runs.DELEGATION | {"delegated_invocation_id": 7}]}
    assert [finding.code for finding in check_contract(envelope).findings] == ["c13.not-delegated", "c1.schema"]


def test_a_path_that_leaves_the_document_sorts_with_its_last_place():
    """A finding about an absent member stands where the object does that lacks it."""
    order = DocumentOrder({"a": [1], "b": 2})
    assert order(("a", 7)) == order(("a",)) == (0,)
    assert order(("b", "c")) == (1,)


def test_findings_are_told_all_at_once():
    """A thoroughly wrong envelope hears everything in one go."""
    envelope = {
        "grounding_mode": "none",
        "outcome": {"status": "referred", "statement": "x"},
        "payload": {},
        "problem": {"type": "t"},
        "evidence": [{"canonicalisation": "md5"}],
    }
    codes = [finding.code for finding in check_contract(envelope).findings]
    assert codes == [
        *("c1.schema", "c3.reason-missing", "c4.referral-missing", "c6.payload-present", "c8.schema-class-missing"),
        *("c8.grounded-on-missing", "c7.problem-present", "c1.schema", "c9.unregistered"),
    ]


def test_the_text_and_the_data_of_a_verdict():
    """The head counts the findings; notes stand below them; the data names its format."""
    assert check_contract(runs.GOOD["none"][1]).lines() == ["contract: valid"]
    verdict = check_contract(7)
    assert verdict.lines() == ["contract: INVALID (1 finding)", "  the envelope: it is not of type object [c1.schema]"]
    data = verdict.as_dict()
    assert (data["format"], data["status"], data["findings"][0]["rule"]) == ("contract/1", "invalid", "C1")
    deep = runs.GOOD["none"][1]
    for _ in range(28):
        deep = deep | {"extra": deep}
    assert check_contract(deep).notes == ()
    deep = {**runs.GOOD["none"][1], "extra": {"more": deep}}
    assert [note.code for note in check_contract(deep).notes] == ["note.struct-depth"]
