"""The engine: records that are data, order and witnesses held by the rules that hold any record, and refusals."""

import json
from pathlib import Path

import pytest

from groundrules import SchemaError
from groundrules.documents import validate
from groundrules.resolvers import Ballot, Outcome, RecordedEvaluator, read_predicates, resolve_archive
from groundrules.witness import check_authority, check_contracts, check_order, check_witness

RECORDS = json.loads((Path(__file__).parent / "records.json").read_text(encoding="utf-8"))


def evaluators(ballots):
    return {
        name: RecordedEvaluator({fact: Ballot(Outcome(b["outcome"]), b.get("answer")) for fact, b in cast.items()})
        for name, cast in ballots.items()
    }


@pytest.fixture(params=RECORDS, ids=lambda case: case["id"])
def made(request):
    case = request.param
    return case, resolve_archive(case["archive"], case["predicates"], evaluators(case["ballots"]))


def test_a_record_is_what_the_case_says(made):
    """Every claim and every entry of the log as a whole, and which refs there are."""
    case, record = made
    told = {"claims": record["claims"], "log": record["log"], "refs": [ref["id"] for ref in record["refs"]]}
    assert told == case["expect"], case["why"]


def test_a_record_is_one_and_in_order(made):
    """It satisfies its schema, its resolvers are in order, and no ref comes from where its kind cannot."""
    _, record = made
    assert validate(record, "evaluation-record") == []
    assert check_order(record).findings == ()
    assert check_witness(record).findings == ()
    assert check_contracts(record).findings == ()
    assert {finding.rule for finding in check_authority(record).findings} <= {"A3"}  # no evaluator is declared here


def test_what_is_cited_is_there_once(made):
    """Every id that a claim cites is one ref's, and belongs to the claim."""
    _, record = made
    ids = [ref["id"] for ref in record["refs"]]
    assert len(ids) == len(set(ids))
    for claim in record["claims"]:
        for ref_id in (*claim["evidence"], *claim.get("counterevidence", [])):
            assert ref_id in ids
            assert ref_id.startswith(claim["id"] + "/")


def test_a_result_witnesses_beside_its_call():
    """The fee of the sum came back from a tool: its ref can prove, because the claim cites the call too."""
    case = next(case for case in RECORDS if case["id"] == "computed-from-receipts")
    record = resolve_archive(case["archive"], case["predicates"])
    verdict = check_witness(record)
    assert verdict.witnessing == ("p@1/run/amount.0", "p@1/run/fee.0", "p@1/run/fee.1")
    total = next(ref for ref in record["refs"] if ref["id"] == "p@1/run/total.0")
    assert (total["source_type"], total["output"]) == ("HARNESS_SIGNAL", "10.6")


def test_an_evaluator_is_asked_once_and_nothing_that_is_settled():
    """The bounded question has the spans of its turn only."""
    asked = []

    class Listening:
        def ask(self, prompt, /):
            asked.append(prompt)
            return Ballot(Outcome.VOTE, "holds")

    case = next(case for case in RECORDS if case["id"] == "computed-first")
    resolve_archive(case["archive"], case["predicates"], {"m": Listening()})
    (prompt,) = asked
    assert (prompt.name, prompt.evidence, prompt.counterevidence) == ("promise", ("You will have it.",), ("hello",))
    assert [*prompt.classes] == ["holds", "does-not-hold"]
    assert prompt.task == "Does the relation promises hold from the answer to a refund?"


GOOD = {
    "id": "p",
    "version": "1",
    "polarity": "risk",
    "evidence_contract": {"scope": "turn"},
    "resolvers": ["eio.resolver.arithmetic", "eio.resolver.graph-rule"],
    "questions": [{"resolver": "eio.resolver.arithmetic", "name": "n", "parameters": {"formula": 1}}],
    "fails_when": {"exists": "n"},
}
ASKS = GOOD["questions"][0]
REFUSED = {
    "unknown resolver": ({"resolvers": ["x"]}, "schema.predicates", "/predicates/0/resolvers/0"),
    "decreasing": ({"resolvers": GOOD["resolvers"][::-1]}, "schema.predicates", "/predicates/0/resolvers/1"),
    "not listed": ({"resolvers": GOOD["resolvers"][1:]}, "schema.predicates", "/predicates/0/questions/0/resolver"),
    "no graph-rule": ({"resolvers": GOOD["resolvers"][:1]}, "schema.predicates", "/predicates/0/fails_when"),
    "fact not asked": ({"passes_when": {"exists": "m"}}, "schema.predicates", "/predicates/0/passes_when"),
    "name of the decision": (
        {"questions": [ASKS, {**ASKS, "name": "decision"}]},
        "schema.predicates",
        "/predicates/0/questions/1/name",
    ),
    "rule asked": (
        {"questions": [{**ASKS, "resolver": "eio.resolver.graph-rule"}]},
        "schema.predicates",
        "/predicates/0/questions/0/resolver",
    ),
    "parameters": (
        {"questions": [{**ASKS, "parameters": {"rule": 1}}]},
        "schema.predicates",
        "/predicates/0/questions/0/parameters",
    ),
    "no rule": ({"applies_when": {"nor": []}}, "schema.expression", "/predicates/0/applies_when/nor"),
    "no JSON": ({"version": ()}, "schema.predicates", "/predicates/0/version"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_predicates_that_ask_for_nothing_are_refused(why):
    """Before anything is asked, at the place."""
    change, code, at = REFUSED[why]
    with pytest.raises(SchemaError) as caught:
        read_predicates({"format": "predicates/1", "predicates": [GOOD | change]})
    assert (caught.value.code, caught.value.where.pointer) == (code, at)


def test_a_predicate_stands_once():
    """Two of one id and version would make claims of one id; two versions do not."""
    two = {"format": "predicates/1", "predicates": [GOOD, GOOD | {"version": "2"}]}
    assert [predicate.version for predicate in read_predicates(two)] == ["1", "2"]
    with pytest.raises(SchemaError) as caught:
        read_predicates({"format": "predicates/1", "predicates": [GOOD, GOOD]})
    assert caught.value.where.pointer == "/predicates/1/id"


def test_a_formula_is_refused_when_it_is_reached():
    """What the schema of a question cannot say, its resolver does."""
    bad = GOOD | {"questions": [{**ASKS, "parameters": {"formula": "x"}}]}
    with pytest.raises(SchemaError) as caught:
        resolve_archive({"format": "archive/1", "transcript": [{}]}, {"format": "predicates/1", "predicates": [bad]})
    assert caught.value.code == "schema.expression"
