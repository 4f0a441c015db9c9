"""Claims and their contracts: what came closest and why, files of predicates, and the linter of contracts."""

import copy
import json

import pytest
from hypothesis import given, settings
from random_records import full_records

from groundrules import ConfigurationError, ReadError, SchemaError, UsageError, loads
from groundrules.documents import validate
from groundrules.witness import (
    check_authority,
    check_contracts,
    check_witness,
    from_per,
    lint_contracts,
    load_predicates,
)
from places import HANDED, not_here

PREDICATE = {"id": "p", "version": "1", "polarity": "risk", "resolvers": []}


def ref(ref_id, kind="AGENT_SPAN", source_type="AGENT_ANSWER", anchor="exact", **more):
    return {"id": ref_id, "kind": kind, "source_type": source_type, "anchor": anchor, "turn_index": 1} | more


def record(refs, contract, evidence, **more):
    claim = {
        "id": "c",
        "predicate": "p",
        "predicate_version": "1",
        "state": "APPLICABLE_FAIL",
        "turn_indices": [1],
        "evidence": evidence,
        "decided_by": "deterministic",
    }
    return {"refs": refs, "claims": [claim | more], "predicates": [PREDICATE | {"evidence_contract": contract}]}


def unmet(*given, **more):
    ((_, check),) = check_contracts(record(*given, **more)).checks
    return {entry.token: (entry.closest, entry.why) for entry in check.unmet}


POLICY = ref("policy", "POLICY_SPAN", "POLICY_SOURCE")
CLOSEST = [
    (
        [ref("a", turn_index=2)],
        {"require_all": ["AGENT_SPAN"], "scope": "turn"},
        ["a"],
        "require_all:AGENT_SPAN",
        "a",
        "it does not lie in the scope",
    ),
    (
        [ref("a", source_type="USER_INPUT")],
        {"require_all": ["AGENT_SPAN"]},
        ["a"],
        "require_all:AGENT_SPAN",
        "a",
        "AGENT_SPAN does not come from USER_INPUT",
    ),
    (
        [ref("a"), POLICY],
        {"require_all": ["POLICY_SPAN"]},
        ["a"],
        "require_all:POLICY_SPAN",
        "policy",
        "the claim does not cite it",
    ),
    (
        [ref("a")],
        {"require_any": ["RETRIEVAL", "POLICY_SPAN"]},
        ["a"],
        "require_any",
        None,
        "the record has no POLICY_SPAN or RETRIEVAL",
    ),
    (
        [ref("a"), POLICY],
        {"require_groups": [["POLICY_SPAN", "TYPED_ABSENCE"]]},
        ["a", "policy"],
        "group:1",
        "policy",
        "it cannot prove what the agent did",
    ),
    (
        [ref("a")],
        {"require_groups": [["AGENT_SPAN"]], "forbid_as_agent_proof": ["AGENT_SPAN"]},
        ["a"],
        "group:1",
        "a",
        "AGENT_SPAN is forbidden as proof of what the agent did",
    ),
    (
        [ref("a"), ref("b", turn_index=2)],
        {"minimum_refs": 2, "scope": "turn"},
        ["a", "b"],
        "minimum_refs",
        "b",
        "1 of 2 count",
    ),
    ([ref("a")], {"minimum_refs": 2}, ["a"], "minimum_refs", None, "1 of 2 count"),
    (
        [ref("a"), ref("b", turn_index=2)],
        {"minimum_refs": 2, "scope": "turn"},
        ["a", "b"],
        "scope",
        "b",
        "it does not lie in the scope",
    ),
    ([ref("a", anchor="turn")], {}, ["a"], "no_witnessing_ref", "a", "its anchor, turn, does not witness"),
    ([POLICY], {}, ["policy"], "no_witnessing_ref", "policy", "it cannot prove what the agent did"),
    (
        [POLICY, ref("a", turn_index=2)],
        {"scope": "turn"},
        ["policy", "a"],
        "no_witnessing_ref",
        "a",
        "it does not lie in the scope",
    ),
    ([], {}, [], "no_witnessing_ref", None, "the claim cites no ref of the record"),
    (
        [ref("a", source_ref="x"), ref("b", source_ref="y")],
        {"minimum_refs": 2, "scope": "artifact"},
        ["a", "b"],
        "scope",
        "b",
        "it comes from another artifact",
    ),
    (
        [ref("a", "TYPED_ABSENCE", "AGENT_ANSWER")],
        {"require_all": ["TYPED_ABSENCE"]},
        ["a"],
        "require_all:TYPED_ABSENCE",
        "a",
        "its inputs do not name every turn of the scope",
    ),
]


@pytest.mark.parametrize("case", CLOSEST, ids=range(len(CLOSEST)))
def test_what_came_closest_is_named(case):
    """With each token the ref that is nearest to it, and why it does not do."""
    refs, contract, evidence, token, closest, why = case
    assert unmet(refs, contract, evidence)[token] == (closest, why)


def test_a_ref_in_scope_is_closer_than_one_outside():
    """Though it is cited later."""
    refs = [ref("far", "TOOL_RECEIPT", "AGENT_TOOL_CALL", turn_index=2), ref("near", "TOOL_RECEIPT", "TOOL_RESULT")]
    assert unmet(refs, {"require_groups": [["TOOL_RECEIPT"]], "scope": "turn"}, ["far", "near"])["group:1"][0] == "near"


def test_a_pass_that_lacks_an_agent_says_so():
    """The same for the default of a passing risk."""
    told = unmet([POLICY], {}, ["policy"], state="APPLICABLE_PASS")
    assert told == {"no_agent_ref": ("policy", "it cannot prove what the agent did")}


def test_a_verdict_is_told_in_lines():
    """Counts, what is lacking, findings; ids that a terminal would obey are escaped."""
    document = record([POLICY], {"require_all": ["AGENT_SPAN"]}, ["policy"], id="c\u001b[2J")
    lines = check_contracts(document).lines()
    assert lines[0] == "contracts: FAILED (0 met, 1 unmet, 0 not declared)"
    assert lines[1] == "  c\\u{1b}[2J lacks require_all:AGENT_SPAN (the record has no AGENT_SPAN)"
    assert "\u001b" not in "".join(lines + check_authority(document).lines())
    assert check_contracts(document).as_dict()["checks"][0]["unmet"][0]["closest"] is None


@settings(max_examples=150)
@given(full_records())
def test_a_record_that_says_what_is_computed_has_no_finding_about_it(document):
    """Writing each computed check into the record leaves nothing of W1, W2 and P6; and nothing else changes it."""
    before = copy.deepcopy(document)
    checks = iter(check_contracts(document).checks)
    assert document == before
    for claim in document["claims"]:
        if claim["state"] in ("APPLICABLE_FAIL", "APPLICABLE_PASS", "NOT_APPLICABLE"):
            _, check = next(checks)
            if claim["state"] != "NOT_APPLICABLE":
                claim["parameters"]["contract_check"] = {"status": check.status, "unmet": [*check.tokens]}
    codes = {finding.code for finding in check_contracts(document).findings if finding.rule in ("W2", "P6")}
    assert codes == set()


@settings(max_examples=150)
@given(full_records())
def test_what_an_evaluator_decided_is_never_proven(document):
    """Whatever else a record says; and a block rests on a proof or on the intake."""
    verdict = check_authority(document)
    for proof in verdict.proofs:
        assert proof.lacks or proof.decider.kind in ("deterministic", "human")
    if verdict.recommendation.effect == "BLOCK":
        assert {reason.reason for reason in verdict.recommendation.because} <= {"proven-failure", "prohibited-use-case"}
    assert verdict.lines()
    assert json.dumps(verdict.as_dict())


# --- published records -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["proof-per-claim", "source-complete"])
def test_published_checks_are_the_computed_ones(name):
    """Token for token, under the published contracts; and the recommendation is no stronger than it may be."""
    folder = HANDED / "data" / "per"
    if not folder.is_dir():
        not_here("the published evaluation records")
    document = loads((folder / f"{name}.per.jcs").read_bytes())
    made = from_per(document) | {"predicates": load_predicates(folder)}
    verdict = check_contracts(made)
    assert verdict.findings == ()
    published = [(claim["id"], claim["parameters"]["contract_check"]) for claim in document["claims"]]
    assert published == [(claim, {"status": check.status, "unmet": [*check.tokens]}) for claim, check in verdict.checks]
    authority = check_authority(made)
    assert {finding.code for finding in authority.findings} == {"a3.unqualified-evaluator"}
    assert authority.recommendation.effect == document["release_recommendation"]["state"] == "REVIEW"


def test_published_contracts_have_dead_kinds():
    """58 predicates, 22 things to say of their contracts."""
    folder = HANDED / "data" / "per"
    if not folder.is_dir():
        not_here("the published evaluation records")
    count, findings = lint_contracts(folder)
    codes = [finding.code for finding in findings]
    assert (count, codes.count("contracts.dead-kind"), codes.count("contracts.absence"), len(codes)) == (58, 21, 1, 22)


PER = {
    "claims": [
        {
            "id": "c",
            "predicate": "p",
            "predicate_version": "1",
            "state": "APPLICABLE_FAIL",
            "turn_indices": [1],
            "evidence": [],
            "decided_by": "semantic",
            "parameters": {"fidelity": "exact", "votes": {"observed": 2}, "scenario": None, "source_key": "x"},
        }
    ],
    "evidence": {
        "refs": [],
        "turns": [{"turn_index": 1, "scenario": None}, {"turn_index": 2, "scenario": "s"}, {"turn_index": 3}, 4],
    },
    "findings": [
        {
            "finding_id": "f",
            "kind": "BEHAVIOURAL",
            "claim_ids": ["c"],
            "recurrence": {"band": "CONFIRMED"},
            "explanation": {"evidence_refs": []},
        }
    ],
    "provenance": {"producer": {"kind": "converter"}},
    "release_recommendation": {"state": "BLOCK", "decisive": [{"claim_ids": ["c"], "finding_ids": ["f"]}, {}, 3]},
}


def test_more_of_a_foreign_record_is_read():
    """Producer, episodes by scenario, recurrence by finding, recommendation with what it attaches."""
    made = from_per(PER)
    assert validate(made, "evaluation-record") == []
    assert made["producer_kind"] == "converter"
    assert made["episodes"] == [{"id": "run", "turns": [1]}, {"id": "scenario:s", "turns": [2]}]
    assert made["claims"][0]["parameters"] == {"fidelity": "exact", "votes": {"observed": 2}, "recurrence": "CONFIRMED"}
    assert made["findings"] == [{"id": "f", "claim": "c", "kind": "BEHAVIOURAL", "proof_citations": []}]
    assert made["recommendation"] == {"effect": "BLOCK", "claim_ids": ["c"], "finding_ids": ["f"]}
    assert [finding.code for finding in check_authority(made).findings if finding.rule == "A2"] == [
        "a2.semantic-only-block"
    ]
    assert "recommendation" not in from_per(PER | {"release_recommendation": {"state": "PASS", "decisive": []}})
    with pytest.raises(SchemaError, match=r"schema\.evaluation-record"):
        check_witness(from_per(PER | {"claims": [PER["claims"][0] | {"parameters": 3, "turn_indices": 3}]}))


# --- files of predicates -----------------------------------------------------------------------------------------


def write(folder, name, document):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return folder


def test_predicates_are_read_from_the_files_of_a_folder(tmp_path):
    """JSON and YAML, in folders of it too; what says more is cut to what a record has; others are passed over."""
    write(tmp_path, "b.json", {"predicates": [PREDICATE | {"id": "b", "title": "more"}]})
    write(
        tmp_path,
        "a/a.yaml",
        "predicates:\n  - {id: a, version: '1', polarity: risk, resolvers: [{id: x, relation: y}, z]}\n",
    )
    write(tmp_path, "none.yml", "other: 1\n")
    write(tmp_path, "list.json", [])
    write(tmp_path, "notes.txt", "predicates")
    found = load_predicates(tmp_path)
    assert [entry["id"] for entry in found] == ["a", "b"]
    assert found[0]["resolvers"] == ["x", "z"]
    assert "title" not in found[1]


@pytest.mark.parametrize(
    ("name", "document", "error", "told"),
    [
        ("a.json", "{", ReadError, r"a\.json"),
        ("a.yaml", "a: [", ConfigurationError, r"config\.yaml"),
        ("a.json", {"predicates": 3}, ConfigurationError, r"/predicates.*config\.contracts"),
        ("a.json", {"predicates": [3]}, ConfigurationError, r"/predicates/0.*config\.contracts"),
        ("a.json", {"predicates": [PREDICATE | {"polarity": "odd"}]}, ConfigurationError, r"config\.contracts"),
        ("a.json", {"predicates": [PREDICATE | {"resolvers": 3}]}, ConfigurationError, r"config\.contracts"),
        ("a.json", {"predicates": [PREDICATE, PREDICATE]}, ConfigurationError, r"stands in .* too.*config\.contracts"),
        ("a.json", {"predicates": []}, UsageError, r"usage\.no-contracts"),
        ("a.txt", "", UsageError, r"usage\.no-contracts"),
    ],
)
def test_files_that_state_no_predicates_are_refused(tmp_path, name, document, error, told):
    """One line, with the file in it."""
    write(tmp_path, name, document)
    with pytest.raises(error, match=told) as caught:
        load_predicates(tmp_path)
    assert "\n" not in str(caught.value)


def linted(tmp_path, contract, **more):
    write(tmp_path, "a.json", {"predicates": [PREDICATE | {"evidence_contract": contract} | more]})
    _, findings = lint_contracts(tmp_path)
    return [(finding.code, finding.at.pointer.removeprefix("/predicates/0/")) for finding in findings]


LINTED = [
    ({"require_all": ["AGENT_SPAN"]}, {}, []),
    ({"require_all": ["HEARSAY", "AGENT_SPAN"]}, {}, [("contracts.unknown-kind", "evidence_contract/require_all/0")]),
    (
        {"require_groups": [["AGENT_SPAN", "HEARSAY"]], "pass_contract": {"require_any": ["RUMOUR"]}},
        {},
        [
            ("contracts.unknown-kind", "evidence_contract/require_groups/0/1"),
            ("contracts.unknown-kind", "evidence_contract/pass_contract/require_any/0"),
            ("contracts.dead-group", "evidence_contract/pass_contract/require_any"),
        ],
    ),
    (
        {"require_all": ["AGENT_SPAN"], "require_any": []},
        {},
        [("contracts.dead-group", "evidence_contract/require_any")],
    ),
    ({"require_groups": [["AGENT_SPAN"], []]}, {}, [("contracts.dead-group", "evidence_contract/require_groups/1")]),
    (
        {"require_groups": [["AGENT_SPAN", "USER_INPUT"]], "forbid_as_agent_proof": ["AGENT_SPAN"]},
        {},
        [("contracts.dead-group", "evidence_contract/require_groups/0")],
    ),
    (
        {"require_groups": [["USER_INPUT", "AGENT_SPAN", "CALCULATION"]], "forbid_as_agent_proof": ["CALCULATION"]},
        {},
        [
            ("contracts.dead-kind", "evidence_contract/require_groups/0/0"),
            ("contracts.dead-kind", "evidence_contract/require_groups/0/2"),
        ],
    ),
    ({"require_groups": [["USER_INPUT", "RETRIEVAL"], ["AGENT_SPAN"]]}, {}, []),
    ({"require_all": ["USER_INPUT"]}, {}, [("contracts.no-witness", "evidence_contract")]),
    ({"require_all": ["USER_INPUT"]}, {"polarity": "safeguard"}, []),
    ({"require_any": ["TYPED_ABSENCE"]}, {}, [("contracts.absence", "evidence_contract")]),
    ({"require_any": ["TYPED_ABSENCE"], "typed_absence": True}, {}, []),
    ({"require_all": ["AGENT_SPAN"], "typed_absence": True}, {}, [("contracts.absence", "evidence_contract")]),
    (
        {"require_all": ["AGENT_SPAN"], "pass_contract": {"require_groups": [[]]}},
        {},
        [("contracts.dead-group", "evidence_contract/pass_contract/require_groups/0")],
    ),
    (
        {"require_all": ["AGENT_SPAN"]},
        {"resolvers": ["eio.resolver.graph-rule", "eio.resolver.exact-span", "other"]},
        [("o1.decreasing", "resolvers/1"), ("o1.unknown-resolver", "resolvers/2")],
    ),
]


@pytest.mark.parametrize(("contract", "more", "found"), LINTED)
def test_contracts_are_linted(tmp_path, contract, more, found):
    """Each thing that is amiss, at its place."""
    assert linted(tmp_path, contract, **more) == found


@pytest.mark.parametrize("contract", [3, {"require_all": 3}, {"require_groups": 3}, {"require_all": [3]}])
def test_a_contract_of_another_shape_is_refused_by_the_linter(tmp_path, contract):
    """The linter looks through contracts; what is none has a code of its own."""
    with pytest.raises(ConfigurationError, match=r"config\.contracts"):
        linted(tmp_path, contract)


def test_a_predicate_without_a_contract_is_linted_for_its_resolvers(tmp_path):
    """There is nothing else to look through."""
    write(tmp_path, "a.json", {"predicates": [PREDICATE]})
    assert lint_contracts(tmp_path) == (1, [])
