"""``witness``: what it prints of a record, and that bad input is one line."""

import json

import pytest

from places import ROOT

VECTORS = ROOT / "vectors" / "witness"


def test_a_record_in_order(command):
    """The word, and three counts."""
    ran = command("witness", VECTORS / "printed" / "forty-six" / "record.json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.text == "witness: passed (47 refs, 46 can prove agent behaviour, 46 witness)\norder: passed\n"


def test_findings_are_told(command):
    """Each with its place and its code; as data with every flag."""
    record = VECTORS / "w4" / "order-of-findings" / "record.json"
    ran = command("witness", record)
    assert ran.code == 1
    assert ran.text.splitlines() == [
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
