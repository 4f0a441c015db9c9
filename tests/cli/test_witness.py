"""``witness``: what it prints of a record, and that bad input is one line."""

import json

import pytest

from places import ROOT

VECTORS = ROOT / "vectors" / "witness"
CHECKS = ROOT / "vectors" / "contract-check"
AUTHORITY = ROOT / "vectors" / "authority"
PREDICATE = {"id": "p", "version": "1", "polarity": "risk", "resolvers": [], "evidence_contract": {}}
CLAIM = {
    "id": "c",
    "predicate": "p",
    "predicate_version": "1",
    "state": "APPLICABLE_FAIL",
    "turn_indices": [1],
    "evidence": [],
    "decided_by": "deterministic",
}


def test_a_record_in_order(command):
    """The word, and three counts."""
    ran = command("witness", VECTORS / "printed" / "forty-six" / "record.json")
    assert (ran.code, ran.err) == (1, "")
    lines = ran.text.splitlines()
    assert lines[0] == "witness: passed (47 refs, 46 can prove agent behaviour, 46 witness)"
    assert lines[1].startswith("contracts: FAILED (0 met, 0 unmet, ")  # it records no checks
    assert lines[-1] == "order: passed"
    ran = command("witness", CHECKS / "tokens" / "met" / "record.json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.text.splitlines() == [
        "witness: passed (2 refs, 1 can prove agent behaviour, 1 witness)",
        "contracts: passed (1 met, 0 unmet, 0 not declared)",
        "order: passed",
    ]


def test_findings_are_told(command):
    """Each with its place and its code; as data with every flag."""
    record = VECTORS / "w4" / "order-of-findings" / "record.json"
    ran = command("witness", record)
    assert ran.code == 1
    assert [line for line in ran.text.splitlines() if "[p" not in line and "contracts" not in line] == [
        "witness: FAILED (2 refs, 0 can prove agent behaviour, 0 witness)",
        "  /refs/0: STATE_FACT does not come from AGENT_ANSWER [w3.incompatible]",
        "  /refs/0/can_prove_agent_behaviour: the producer says true, computed is false [w4.flag-differs]",
        "  /refs/1/can_prove_agent_behaviour: the producer says true, computed is false [w4.flag-differs]",
        "order: passed",
    ]
    told = json.loads(command("witness", record, "--json").text)
    assert (told["witness"]["status"], told["witness"]["flags"]) == ("failed", {"z": False, "b": False})
    assert [finding["rule"] for finding in told["witness"]["findings"]] == ["W3", "W4", "W4"]
    assert told["order"]["status"] == "passed"


def test_resolvers_out_of_order_are_told(command):
    """On lines of their own, below what the evidence may prove."""
    ran = command("witness", VECTORS.parent / "order" / "log" / "all-three" / "record.json")
    assert ran.code == 1
    assert ran.text.splitlines() == [
        "witness: passed (0 refs, 0 can prove agent behaviour, 0 witness)",
        "contracts: passed (0 met, 0 unmet, 0 not declared)",
        "order: FAILED",
        "  /predicates/0/resolvers/1: it is of class 0, after class 2 [o1.decreasing]",
        "  /log/1/established/0: a deterministic resolver had established it before [o2.decided-again]",
        "  /log/1/asked/0: it was not open when the evaluator was asked [o3.not-open]",
    ]


@pytest.mark.parametrize(
    ("octets", "words", "code"),
    [
        (b"", [], "read.empty"),
        (b"[]", [], "schema.evaluation-record"),
        (b'{"refs": [], "claims": [{}]}', [], "schema.evaluation-record"),
        (b'{"refs": [], "claims": [], "claims": []}', [], "read.duplicate-name"),
        (b'{"refs": [], "claims": []}', ["--format", "per"], "schema.per"),
        (b'{"refs": [], "claims": []}', ["--format", "xml"], "usage.arguments"),
    ],
)
def test_bad_input_is_one_line_and_2(command, octets, words, code):
    """A line with a code, and nothing on standard output."""
    ran = command("witness", "-", *words, stdin=octets)
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.count("\n") == 1
    assert f"[{code}]" in ran.err


def test_a_rule_without_modes_is_explained(command):
    """It holds of records, and says so."""
    assert "none: it holds of evaluation records" in command("explain", "W4").text


def test_what_a_claim_lacks_is_told(command):
    """The token, the ref that came closest, and why."""
    ran = command("witness", CHECKS / "groups" / "policy-alone" / "record.json")
    assert ran.code == 0
    assert "  c lacks group:2 (policy: it cannot prove what the agent did)" in ran.text.splitlines()


def test_contracts_come_from_a_folder(command, tmp_path):
    """For the predicates that the record does not declare; its own stay as they are."""
    (tmp_path / "p.json").write_text(json.dumps({"predicates": [PREDICATE, PREDICATE | {"id": "q"}]}))
    record = {"refs": [], "claims": [CLAIM, CLAIM | {"predicate": "q"}]}
    bare = json.dumps(record).encode()
    assert "2 not declared" in command("witness", "-", stdin=bare).text
    assert "0 met, 2 unmet" in command("witness", "-", "--contracts", tmp_path, stdin=bare).text
    own = json.dumps(record | {"predicates": [{**PREDICATE, "polarity": "observation"}]}).encode()
    assert "1 met, 1 unmet" in command("witness", "-", "--contracts", tmp_path, stdin=own).text


def test_a_records_own_recommendation_is_judged(command):
    """Allowed or not, with the strongest that is."""
    ran = command("witness", AUTHORITY / "a2" / "block-by-opinion" / "record.json")
    assert ran.code == 1
    assert ran.text.splitlines()[-2] == "recommendation: BLOCK is NOT ALLOWED (at most REVIEW)"
    assert ran.text.splitlines()[-1].endswith("[a2.semantic-only-block]")
    ran = command("witness", AUTHORITY / "a2" / "weaker" / "record.json")
    assert ran.text.splitlines()[-1] == "recommendation: NONE is allowed (at most BLOCK)"
    told = json.loads(command("witness", AUTHORITY / "a2" / "weaker" / "record.json", "--json").text)
    assert told["recommendation"] == {"effect": "NONE", "allowed": True, "at_most": "BLOCK"}
    assert (
        json.loads(command("witness", CHECKS / "tokens" / "met" / "record.json", "--json").text)["recommendation"]
        is None
    )


@pytest.mark.parametrize(
    ("vector", "code", "last"),
    [
        ("printed/exact-and-cited", 1, "authority: passed"),
        ("printed/not-cited", 3, "authority: passed"),
        ("proven/pass", 0, "authority: passed"),
        ("a4/no-signoff", 1, "[a4.no-signoff]"),
    ],
)
def test_what_is_decided_is_told(command, vector, code, last):
    """Proof, decider and what a recommendation rests on; the exit code is that of the strongest effect."""
    ran = command("decide", AUTHORITY / vector / "record.json")
    assert (ran.code, ran.err) == (code, "")
    assert ran.text.splitlines()[-1].endswith(last)
    told = json.loads(command("decide", AUTHORITY / vector / "record.json", "--json").text)
    assert told["format"] == "authority/1"
    assert told["scored"]["of"] == 1


def test_an_opinion_is_told_to_be_one(command):
    """A consumer is told not to count on it."""
    ran = command("decide", AUTHORITY / "printed" / "semantic" / "record.json")
    assert "  what an evaluator decided need not come out so again, from it or from another" in ran.text.splitlines()
    assert "    an evaluator decided it" in ran.text.splitlines()


def test_contracts_are_linted(command, tmp_path):
    """Each finding with its file and place, and the counts; as data too."""
    (tmp_path / "p.json").write_text(json.dumps({"predicates": [PREDICATE]}))
    ran = command("contracts", "lint", tmp_path)
    assert ran.code == 1
    assert ran.text.splitlines()[0].startswith(f"{tmp_path / 'p.json'} at /predicates/0/evidence_contract: ")
    assert ran.text.splitlines()[-1] == "contracts: 1 predicates, 1 findings"
    told = json.loads(command("contracts", "lint", tmp_path, "--json").text)
    assert [finding["code"] for finding in told["findings"]] == ["contracts.no-witness"]
    (tmp_path / "p.json").write_text(json.dumps({"predicates": [PREDICATE | {"polarity": "safeguard"}]}))
    assert command("contracts", "lint", tmp_path).code == 0


@pytest.mark.parametrize(
    ("words", "octets", "code"),
    [
        (["decide", "-"], b"{}", "schema.evaluation-record"),
        (["decide", "-"], b"{", "read.syntax"),
        (["decide", "-", "--format", "xml"], b"{}", "usage.arguments"),
        (["decide", "-", "--contracts", "none"], b'{"refs": [], "claims": []}', "usage.no-contracts"),
        (
            ["witness", "-", "--contracts", "none"],
            b'{"refs": [], "claims": [], "predicates": 3}',
            "schema.evaluation-record",
        ),
        (["witness", "-", "--contracts", "none"], b"[]", "schema.evaluation-record"),
        (["contracts", "lint", "none"], b"", "usage.no-contracts"),
    ],
)
def test_other_bad_input_is_one_line_and_2(command, words, octets, code):
    """A line with a code, and nothing on standard output."""
    ran = command(*words, stdin=octets)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, b"", 1)
    assert f"[{code}]" in ran.err
