"""The vectors of the resolvers as evidence, and where what says nothing is refused."""

import json
from pathlib import Path

import pytest

from groundrules import SchemaError, loads
from groundrules.conformance.vectors import load
from groundrules.documents import validate
from groundrules.resolvers import RESOLVERS, answer
from groundrules.witness import check_contracts, is_compatible, vocabulary

VECTORS = [vector for vector in load().vectors if vector.kind == "resolve"]
REFUSALS = json.loads((Path(__file__).parent / "refusals.json").read_text(encoding="utf-8"))


def expected_refs(vector):
    told = vector.expect.get("answer", {})
    return [*told.get("refs", []), *told.get("counterrefs", [])]


@pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if expected_refs(vector)], ids=lambda vector: vector.id
)
def test_an_answer_yields_refs_that_a_record_may_have(vector):
    """Each is of the schema, has what its kind requires, comes from where its kind can come from, and is bound."""
    refs = expected_refs(vector)
    record = {"refs": refs, "claims": []}
    assert validate(record, "evaluation-record") == []
    assert check_contracts(record).findings == ()
    for ref in refs:
        assert {*vocabulary().kinds[ref["kind"]].required_fields} <= {*ref}
        assert is_compatible(ref["kind"], ref["source_type"])


@pytest.mark.parametrize("case", REFUSALS, ids=lambda case: case["id"])
def test_what_says_nothing_is_refused_at_its_place(case):
    """With its code, at a JSON Pointer into the archive or the question."""
    with pytest.raises(SchemaError) as caught:
        answer(case["archive"], case["question"])
    assert {"error": caught.value.code, "at": caught.value.where.pointer} == case["expect"]


def test_every_resolver_has_vectors():
    """At least ten each, and none for a resolver that does not exist."""
    counted = {}
    for vector in VECTORS:
        named = loads(vector.inputs["question"])["resolver"]
        counted[named] = counted.get(named, 0) + 1
    assert set(counted) >= set(RESOLVERS) == set(vocabulary().resolvers)
    assert min(counted[name] for name in RESOLVERS) >= 10
