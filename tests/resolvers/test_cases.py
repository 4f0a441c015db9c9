"""Every case of the resolvers, which are data: an archive and a question, and the whole answer."""

import json
from pathlib import Path

import pytest

from groundrules import SchemaError
from groundrules.documents import validate
from groundrules.resolvers import RESOLVERS, answer
from groundrules.resolvers.base import PREFIX
from groundrules.witness import is_compatible, vocabulary

CASES = Path(__file__).parent / "cases"
LISTED = [
    pytest.param(case, id=f"{path.stem}/{case['id']}")
    for path in sorted(CASES.glob("*.json"))
    for case in json.loads(path.read_text(encoding="utf-8"))
]


def answered(case):
    """The answer as data, or the error's code and place."""
    try:
        return answer(case["archive"], case["question"]).as_dict()
    except SchemaError as error:
        return {"error": error.code, "at": error.where.pointer}


def written(value):
    """A value as text, in which 1, 1.0 and true are three things."""
    return json.dumps(value, sort_keys=True, indent=1, ensure_ascii=False)


@pytest.mark.parametrize("case", LISTED)
def test_a_case_is_answered_as_it_says(case):
    """The whole answer, refs and offsets included."""
    assert written(answered(case)) == written(case["expect"]), case["why"]


@pytest.mark.parametrize("case", LISTED)
def test_a_case_yields_refs_that_a_record_may_have(case):
    """Each is of the schema, has what its kind requires, and comes from where its kind can come from."""
    expected = case["expect"]
    refs = [*expected.get("refs", []), *expected.get("counterrefs", [])]
    assert validate({"refs": refs, "claims": []}, "evaluation-record") == []
    for ref in refs:
        assert {*vocabulary().kinds[ref["kind"]].required_fields} <= {*ref}
        assert is_compatible(ref["kind"], ref["source_type"])


def test_every_resolver_has_cases():
    """At least ten each, and no file for a resolver that does not exist."""
    counted = {path.stem: len(json.loads(path.read_text(encoding="utf-8"))) for path in CASES.glob("*.json")}
    assert {PREFIX + name for name in counted} == set(RESOLVERS) == set(vocabulary().resolvers)
    assert min(counted.values()) >= 10
