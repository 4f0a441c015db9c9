"""The witness rule: the table, the stored flags, and records that nobody here wrote."""

import json
import sys

import pytest
from hypothesis import given, settings
from random_records import random_records

from groundrules import KitError, SchemaError, loads
from groundrules.documents import kit, validate
from groundrules.witness import can_prove, check_witness, from_per, is_compatible, read_record, stored_flags, vocabulary
from places import HANDED, not_here


def test_the_vocabulary_satisfies_its_schema():
    """And names no source type that it does not define."""
    document = loads(kit().vocabulary.read_bytes())
    assert validate(document, "evidence-vocabulary") == []
    named = {name for kind in vocabulary().kinds.values() for name in kind.compatible_source_types}
    required = {entry.witness_requires for entry in vocabulary().source_types.values()} - {None}
    assert named | required <= set(vocabulary().source_types)
    record = json.loads((kit().schemas / "evaluation-record.json").read_bytes())["$defs"]["ref"]["properties"]
    assert set(record["kind"]["enum"]) == set(vocabulary().kinds)
    assert set(record["source_type"]["enum"]) == set(vocabulary().source_types)
    assert set(record["anchor"]["enum"]) == {*document["witnessing_anchors"], *document["other_anchors"]}


def test_the_table_has_four_parts():
    """Eleven pairs witness, three beside their call, thirteen never, and the others do not exist."""
    pairs = [(kind, source) for kind in vocabulary().kinds for source in vocabulary().source_types]
    alone = {pair for pair in pairs if can_prove(*pair)}
    beside = {pair for pair in pairs if can_prove(*pair, paired=True)} - alone
    compatible = {pair for pair in pairs if is_compatible(*pair)}
    assert (len(alone), len(beside), len(compatible - alone - beside), len(pairs) - len(compatible)) == (11, 3, 13, 83)
    assert alone | beside <= compatible


def naive(document, ref):
    """The stored flag of a ref, as the sentence of the chapter reads, without a table made beforehand."""
    source = vocabulary().source_types[ref["source_type"]]
    kind = vocabulary().kinds[ref["kind"]]
    if not (kind.can_prove_agent_behaviour and source.may_witness and is_compatible(ref["kind"], ref["source_type"])):
        return False
    if source.witness_requires is None:
        return True
    citing = [c for c in document["claims"] if ref["id"] in (*c["evidence"], *c.get("counterevidence", []))]
    place = (ref.get("turn_index"), ref.get("call_index"))
    others = [
        other["id"]
        for other in document["refs"]
        if other["source_type"] == source.witness_requires
        and (other.get("turn_index"), other.get("call_index")) == place
    ]
    return bool(citing) and None not in place and all(set(others) & set(claim["evidence"]) for claim in citing)


@settings(max_examples=300)
@given(random_records())
def test_flags_are_what_the_chapter_says(document):
    """On random records the computed flags are those of the plain reading."""
    flags = stored_flags(read_record(document))
    for ref_id in {ref["id"] for ref in document["refs"]}:
        assert flags[ref_id] == all(naive(document, ref) for ref in document["refs"] if ref["id"] == ref_id)


@settings(max_examples=100)
@given(random_records())
def test_a_record_with_the_computed_flags_is_in_order(document):
    """Writing the computed flags into the record leaves nothing of W4 to be found."""
    flags = check_witness(document).flags
    for ref in document["refs"]:
        ref["can_prove_agent_behaviour"] = flags[ref["id"]]
    verdict = check_witness(document)
    assert {finding.code for finding in verdict.findings} <= {"w3.incompatible"}
    assert validate(document, "evaluation-record") == []
    assert verdict.as_dict()["flags"] == flags


@pytest.mark.parametrize(("name", "witnessing"), [("proof-per-claim", 4), ("source-complete", 5)])
def test_published_records_have_the_published_flags(name, witnessing):
    """Every flag that their producer published is the one that is computed, and so is their count."""
    path = HANDED / "data" / "per" / f"{name}.per.jcs"
    if not path.is_file():
        not_here("the published evaluation records")
    document = loads(path.read_bytes())
    verdict = check_witness(from_per(document))
    assert verdict.status == "passed"
    assert len(verdict.witnessing) == witnessing == document["evidence"]["counts"]["witnessing_anchored"]
    published = {ref["id"]: ref["can_prove_agent_behaviour"] for ref in document["evidence"]["refs"]}
    assert verdict.flags == published


PER = {
    "claims": [
        {
            "id": "c",
            "predicate": "p",
            "predicate_version": "1",
            "state": "APPLICABLE_FAIL",
            "turn_indices": [1],
            "evidence": ["r"],
            "counterevidence": None,
            "decided_by": "semantic",
            "parameters": {},
            "provenance": {},
        }
    ],
    "evidence": {
        "refs": [
            {
                "id": "r",
                "kind": "TOOL_RECEIPT",
                "source_type": "TOOL_RESULT",
                "anchor": "receipt",
                "turn_index": 1,
                "char_start": None,
                "source_sha256": "sha256:" + "a" * 64,
                "can_prove_agent_behaviour": True,
                "tool": {"call_index": 0, "arguments_sha256": "x", "output": {}},
                "statement": {"inputs": {}, "formula": "f", "output": 0},
                "excerpt": "text",
            },
            {"id": "bare", "kind": "PROVENANCE", "source_type": "HARNESS_SIGNAL", "anchor": "none", "tool": None},
        ]
    },
    "findings": [{"finding_id": "f", "explanation": {"evidence_refs": ["r"]}, "claim_ids": []}],
}


def test_a_foreign_record_is_read():
    """Hashes lose their prefix, nulls are absent, arguments stay a hash, findings become views; flags are compared."""
    record = from_per(PER)
    assert validate(record, "evaluation-record") == []
    assert record["refs"][0]["source_sha256"] == "a" * 64
    assert record["refs"][0]["inputs"] == {}
    assert record["refs"][0]["call_index"] == 0
    assert record["views"] == [{"id": "f", "kind": "finding", "refs": ["r"]}]
    verdict = check_witness(record)
    assert [str(finding) for finding in verdict.findings] == [
        "/refs/0/can_prove_agent_behaviour: the producer says true, computed is false [w4.flag-differs]"
    ]
    assert verdict.lines()[0] == "witness: FAILED (2 refs, 0 can prove agent behaviour, 0 witness)"


@pytest.mark.parametrize("document", [None, [], {}, {"claims": []}, {"claims": [], "evidence": {}}])
def test_what_is_no_foreign_record_is_refused(document):
    """With a code of its own."""
    with pytest.raises(SchemaError, match=r"schema\.per"):
        from_per(document)


@pytest.mark.parametrize(
    "changes",
    [
        {"claims": [3]},
        {"evidence": {"refs": [3]}},
        {"findings": [3]},
        {"findings": 3, "evidence": {"refs": [PER["evidence"]["refs"][0] | {"source_sha256": 3, "tool": 4}]}},
    ],
)
def test_a_foreign_record_of_another_shape_is_refused(changes):
    """Whatever stands there is carried over, and the schema refuses it by its place."""
    with pytest.raises(SchemaError, match=r"schema\.evaluation-record"):
        check_witness(from_per(PER | changes))


def test_a_damaged_vocabulary_is_an_error_of_the_kit(monkeypatch, tmp_path):
    """Nothing is judged by a table that is not there whole."""
    path = tmp_path / "vocabulary.json"
    path.write_text('{"format": "evidence-vocabulary/1"}')

    class Damaged:
        vocabulary = path

    monkeypatch.setattr(sys.modules["groundrules.witness.vocabulary"], "kit", Damaged)
    with pytest.raises(KitError, match=r"kit\.unreadable"):
        vocabulary.__wrapped__()
