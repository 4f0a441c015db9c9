"""What a document within the limits of the reader can try: schemas that cost, ids that collide, sets that are empty."""

import pytest

from groundrules import SchemaError
from groundrules.canonical import content_hash
from groundrules.resolvers import answer, resolve_archive
from groundrules.resolvers.tool_receipt import is_valid
from groundrules.witness import check_authority, check_contracts, check_order


def archive(*answers, **more):
    turns = [{"question": "q", "answer": text, "tools_called": [], "retrievals": []} for text in answers]
    counted = {"turns": len(turns), "calls": [0] * len(turns), "sha256": content_hash(turns, "jcs-document-v1")}
    return {"format": "archive/1", "transcript": turns, "manifest": counted} | more


def ask(document, resolver, parameters, **more):
    asked = {"resolver": f"eio.resolver.{resolver}", "name": "n", "parameters": parameters}
    return answer(document, asked | more).as_dict()


def exact(value, mode="exact", **more):
    return {"in": "AGENT_ANSWER", "search": {"mode": mode, "value": value} | more}


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"multipleOf": 0.01}}},
        {"uniqueItems": True},
        {"pattern": "^(a+)+$"},
        {"patternProperties": {"^a": True}},
        {"$ref": "#/$defs/a", "$defs": {"a": True}},
        {"$ref": "#/const", "const": 5},
        {"allOf": [{"anyOf": [{"not": {"pattern": "a"}}]}]},
        {"items": {"then": {"prefixItems": [{"$dynamicRef": "#"}]}}},
        {"minLength": "x"},
        {"unknown": 1},
        3,
    ],
)
def test_a_schema_that_readers_differ_about_is_none(schema):
    """What costs without end, or means something else to every reader, validates nothing."""
    assert is_valid({"a": 19.99}, schema) is None


def test_a_plain_schema_is_held():
    """Members may have the names of keywords; what stands in const and enum is no schema."""
    schema = {
        "type": "object",
        "properties": {"pattern": {"type": "string", "minLength": 1}, "n": {"enum": [{"$ref": "x"}, 1]}},
        "required": ["pattern"],
        "additionalProperties": False,
        "allOf": [True, {"minProperties": 1}],
    }
    assert is_valid({"pattern": "x", "n": 1}, schema) is True
    assert is_valid({"pattern": ""}, schema) is False
    assert is_valid({}, schema=True) is True


def test_turns_that_are_written_as_fractions_are_turns():
    """1.0 is a turn, and is looked at; none is no set that could be complete."""
    document = archive("clean", "the secret")
    sought = {"in": ["AGENT_ANSWER"], "search": {"mode": "exact", "value": "secret"}}
    assert ask(document, "typed-absence", sought, turns=[0, 1.0])["because"] == "present"
    assert ask(document, "typed-absence", sought, turns=[])["because"] == "complete_source_set"
    with pytest.raises(SchemaError, match=r"schema\.archive"):
        ask(document | {"episodes": [{"id": "e", "turns": [0.0]}]}, "exact-span", exact("x"))
    with pytest.raises(SchemaError, match=r"schema\.archive"):
        ask(archive("a", ledger=[{"turn_index": 0.0}]), "exact-span", exact("x"))


def test_matches_have_bounds_together():
    """A thousand long ones are too many, and more than a thousand are not even looked for."""
    assert ask(archive("a" * 100_999), "exact-span", exact("a" * 100_000))["because"] == "too_many_matches"
    assert ask(archive("a" * 100_000), "exact-span", exact("a" * 100_000))["value"] == 1
    for mode in ("exact", "casefold", "normalised"):
        assert ask(archive("a" * 3000), "exact-span", exact("a", mode))["because"] == "too_many_matches"
    found = ask(archive("%61" * 3000), "exact-span", exact("a", "encoded", encodings=["percent"]))
    assert found["because"] == "too_many_matches"


def predicate(name, version, **more):
    made = {
        "id": name,
        "version": version,
        "polarity": "observation",
        "evidence_contract": {"scope": "run"},
        "resolvers": ["eio.resolver.arithmetic", "eio.resolver.graph-rule"],
        "questions": [{"resolver": "eio.resolver.arithmetic", "name": "n", "parameters": {"formula": 1}}],
        "passes_when": {"exists": "n"},
    }
    return made | more


def decided(*predicates, **more):
    return resolve_archive(archive("a", **more), {"format": "predicates/1", "predicates": [*predicates]})


def test_no_two_claims_have_one_id():
    """Whatever stands in the ids and versions that they are made of."""
    record = decided(
        predicate("a@1", "2"),
        predicate("a", "1@2"),
        predicate("b", "1/episode-e"),
        predicate("b", "1", evidence_contract={"scope": "episode"}),
        predicate("b~1", "1"),
        episodes=[{"id": "e/run", "turns": [0]}],
    )
    ids = [claim["id"] for claim in record["claims"]]
    assert len(set(ids)) == len(ids) == 5
    assert ids[0] == "a~21@2/run"
    assert ids[3] == "b@1/episode-e~1run"


def test_what_is_set_aside_rests_on_a_basis_that_is_allowed():
    """The engine records none that the predicate does not allow."""
    never = {"applies_when": {"not": {"exists": "n"}}}
    for allowed, source in (
        (["checker"], "checker"),
        (["checker", "declared_applicability"], "declared_applicability"),
    ):
        contract = {"scope": "run", "not_applicable_basis": allowed}
        record = decided(predicate("a", "1", evidence_contract=contract, **never))
        assert record["claims"][0]["parameters"]["applicability_basis"] == {"source": source}
        for check in (check_contracts, check_authority, check_order):
            assert check(record).findings == ()


def test_groups_are_tried_as_far_as_they_can_hold():
    """An account in the midst of many groups is found."""
    text = "AA11 " * 60 + "GB82 WEST 1234 5698 7654 32 " + "ZZ99 " * 60
    found = ask(archive(text), "exact-span", {"in": "AGENT_ANSWER", "search": {"mode": "marker", "marker": "iban"}})
    assert "GB82 WEST 1234 5698 7654 32" in [ref["text"] for ref in found["refs"]]


def test_a_decision_about_one_claim_decides_no_other():
    """Labels name predicate, version and turns; of another predicate, or of half of the turns, they are not its."""
    plain = archive("a", "b")

    def label(reviewer, role, at, **claim):
        return {
            "question": "bad",
            "reviewer": reviewer,
            "role": role,
            "decision": True,
            "rationale": "r",
            "evidence_sha256": plain["manifest"]["sha256"],
            "at": f"2026-01-0{at}T00:00:00Z",
            "seen": [],
            "claim": {"predicate": "rude", "version": "1", "turns": [0, 1]} | claim,
        }

    def labels(**claim):
        return [
            label("ann", "label", 1, **claim),
            label("ben", "label", 1, **claim),
            label("cat", "adjudicator", 2, **claim),
        ]

    asks = {
        "resolvers": ["eio.resolver.human-adjudication", "eio.resolver.graph-rule"],
        "questions": [{"resolver": "eio.resolver.human-adjudication", "name": "bad", "parameters": {}}],
        "fails_when": {"exists": "bad"},
        "passes_when": False,
        "polarity": "risk",
    }
    asked = {"format": "predicates/1", "predicates": [predicate(name, "1", **asks) for name in ("rude", "fraud")]}

    def states(**claim):
        return [claim["state"] for claim in resolve_archive(plain | {"labels": labels(**claim)}, asked)["claims"]]

    assert states() == ["APPLICABLE_FAIL", "EVIDENCE_INCOMPLETE"]
    assert states(turns=[0]) == states(version="2") == ["EVIDENCE_INCOMPLETE", "EVIDENCE_INCOMPLETE"]
    assert states(predicate="fraud") == ["EVIDENCE_INCOMPLETE", "APPLICABLE_FAIL"]
    unbound = [{name: value for name, value in entry.items() if name != "claim"} for entry in labels()]
    claims = resolve_archive(plain | {"labels": unbound}, asked)["claims"]
    assert [claim["state"] for claim in claims] == ["EVIDENCE_INCOMPLETE", "EVIDENCE_INCOMPLETE"]


@pytest.mark.parametrize(
    ("came", "is_whole"),
    [
        ({"result": "ok"}, True),
        ({"result": "ok", "status": "ok"}, True),
        ({"error": "no"}, True),
        ({"result": "ok", "status": "error"}, False),
        ({"result": "ok", "status": "error", "error": "no"}, True),
        ({"status": "ok"}, False),
        ({}, False),
    ],
)
def test_what_came_back_is_recorded_or_the_set_is_not_whole(came, is_whole):
    """A call that says that it failed, and not how, leaves something out."""
    document = archive("a")
    document["transcript"][0]["tools_called"] = [{"name": "t", "arguments": {}, **came}]
    counted = {"turns": 1, "calls": [1], "sha256": content_hash(document["transcript"], "jcs-document-v1")}
    sought = {"in": ["TOOL_RESULT"], "search": {"mode": "exact", "value": "secret"}}
    told = ask(document | {"manifest": counted}, "typed-absence", sought)
    assert told.get("because") == (None if is_whole else "complete_source_set")
