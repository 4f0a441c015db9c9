"""The linter beyond its vectors: totality, the catalogue's authority, order, the cap, size, and the handed cases."""

import json
import sys

import mode_runs as runs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_runs import random_runs

from groundrules import KitError, UsageError, catalogue
from groundrules.contract import check_contract
from groundrules.findings import LISTED_FINDINGS
from groundrules.linter import lint
from groundrules.linter.lint import checks_of
from groundrules.linter.rules import CHECKS
from groundrules.verdict import GroundingStatus
from places import HANDED, not_here
from samples import texts, values


def codes(verdict):
    return [finding.code for finding in verdict.findings]


@pytest.mark.parametrize("mode", runs.GOOD)
def test_a_good_run_of_every_mode_passes(mode):
    """Each mode has a run without findings, and its envelope satisfies the contract."""
    spans, envelope = runs.GOOD[mode]
    verdict = lint(runs.records(spans), envelope)
    assert (verdict.status, codes(verdict), verdict.mode) == (GroundingStatus.PASSED, [], mode)
    assert check_contract(envelope).findings == ()


@settings(max_examples=500)
@given(st.dictionaries(texts, values), texts.filter(bool), st.sampled_from(list(runs.GOOD)))
def test_the_linter_knows_no_payload_class(members, schema_class, mode):
    """500 random payload classes: whatever else a payload holds, only its references matter."""
    spans, envelope = runs.GOOD[mode]
    harmless = {name: value for name, value in members.items() if "grounded_on" not in json.dumps(value)}
    payload = harmless | envelope["payload"] | {"schema_class": schema_class}
    assert codes(lint(runs.records(spans), envelope | {"payload": payload})) == []
    nested = payload | {"deep": [{"members": harmless, "grounded_on": [runs.reference("invented", "0" * 64)]}]}
    assert lint(runs.records(spans), envelope | {"payload": nested}).status is GroundingStatus.FAILED


@settings(max_examples=800)
@given(random_runs(), st.sampled_from([None, "dd", "genai"]))
def test_any_run_is_answered(run, profile):
    """Whatever stands in trace and envelope there is a verdict, in fixed order, with codes of the catalogue only.

    The order is G0, E1, the rules as the table has them; spans in file order before the envelope.
    """
    spans, envelope = run
    verdict = lint(runs.records(spans), envelope, profile=profile)
    known = {entry.code for entry in catalogue.catalogue().codes}
    assert {found.code for found in (*verdict.findings, *verdict.notes)} <= known
    assert all(line.isprintable() for line in verdict.lines())
    json.dumps(verdict.as_dict())
    table = ["G0", "E1", *(check.rule for check in CHECKS)]
    ranks = [table.index(finding.rule) for finding in verdict.findings]
    assert ranks == sorted(ranks)
    for rule in set(ranks):
        indexes = [finding.at.span for finding in verdict.findings if finding.rule == table[rule]]
        on_spans = [index for index in indexes if index is not None]
        assert on_spans == sorted(on_spans)
    assert all(finding.code.startswith("c") for finding in check_contract(envelope).findings)


def test_an_agent_cannot_write_into_a_message():
    """Ids of any length and content reach no finding's text raw, and a withheld answer reaches none at all."""
    spans, envelope = runs.GOOD["retrieval"]
    secret = "THE ANSWER IS FORTY-TWO " * 20
    payload = {"schema_class": "A", "grounded_on": [secret, runs.reference(secret, "0" * 64)]}
    verdict = lint(runs.records(spans), envelope | {"payload": payload})
    assert verdict.status is GroundingStatus.FAILED
    assert "FORTY-TWO" not in json.dumps(verdict.as_dict())


def test_a_check_outside_the_catalogue_cannot_run(monkeypatch):
    """A rule or a code that the inventory does not hold stops the linter instead of judging by it."""
    spans, envelope = runs.GOOD["none"]
    module = sys.modules["groundrules.linter.lint"]
    stray = type(CHECKS[0])("Z9", lambda _facts: iter(()))
    monkeypatch.setattr(module, "CHECKS", (stray,))
    with pytest.raises(KitError, match="does not hold Z9"):
        lint(runs.records(spans), envelope)
    uncoded = type(CHECKS[0])("N1", lambda _facts: iter([("n1.invented", (), "x")]))
    monkeypatch.setattr(module, "CHECKS", (uncoded,))
    with pytest.raises(KitError, match=r"does not hold n1\.invented"):
        lint(runs.records(spans), envelope)


def test_the_modes_of_a_rule_are_the_catalogue_s():
    """The table of modes in the chapter is what decides which checks run."""
    assert [check.rule for check in checks_of("retrieval")] == ["G1", "G2", "G3", "G4"]
    assert [check.rule for check in checks_of("input_only")] == ["R1", "R2", "R3"]
    assert [check.rule for check in checks_of("none")] == ["R1", "R2", "R3", "N1"]
    assert [check.rule for check in checks_of("delegation")] == ["G4", "R1", "D1", "D2", "D3"]
    assert [check.rule for check in checks_of("brokered")] == ["G1", "G4", "B1", "B2", "B3", "B4"]
    assert [*checks_of(None)] == []


def test_at_most_a_thousand_findings_of_a_rule_are_listed():
    """The verdict knows them all, lists a thousand and counts the rest."""
    spans, envelope = runs.GOOD["retrieval"]
    many = [runs.reference(f"invented:{number}", "0" * 64) for number in range(LISTED_FINDINGS + 5)]
    verdict = lint(runs.records(spans), envelope | {"payload": {"schema_class": "A", "grounded_on": many}})
    data = verdict.as_dict()
    assert data["omitted"] == {"G2": 5, "G4": 5}
    assert len(data["findings"]) == 2 * LISTED_FINDINGS
    assert verdict.lines()[-2:] == ["  and 5 more of G2", "  and 5 more of G4"]


def test_large_runs_are_judged():
    """100 000 spans in one chain, 100 000 references, one id for all spans: each is answered."""
    spans, envelope = runs.GOOD["none"]
    chain = [runs.span("step", number, 1, 2, parent=number - 1) for number in range(2, 100_001)]
    assert codes(lint(runs.records([*spans, *chain]), envelope)) == []
    references = {"schema_class": "A", "grounded_on": [runs.INPUT_REFERENCE] * 100_000}
    assert codes(lint(runs.records(spans), envelope | {"payload": references})) == []
    same = [runs.span("step", 2, 1, 2)] * 50_000
    assert codes(lint(runs.records([*spans, *same]), envelope)) == ["g0.duplicate-span-id"] * 49_999
    ring = [runs.span("step", number, 1, 2, parent=number + 1 if number < 50_001 else 2) for number in range(2, 50_002)]
    assert codes(lint(runs.records([*spans, *ring]), envelope)) == ["g0.cycle"]


def test_large_runs_without_order_are_judged():
    """Spans that are all roots, as many citations as retrievals, records all on one span: none of it is quadratic."""
    spans, envelope = runs.GOOD["none"]
    roots = [runs.root("none", dd__span_profile="genai") | {"span_id": f"{number:016x}"} for number in range(2, 50_000)]
    found = codes(lint(runs.records([*spans, *roots]), envelope, profile="genai"))
    assert found.count("g0.many-roots") == len(roots)
    spans, envelope = runs.GOOD["retrieval"]
    numbers = range(10, 30_000)
    more = [runs.RETRIEVAL_SPAN | {"span_id": f"{n:016x}", "attributes": _declares(f"lichen:{n}")} for n in numbers]
    items = [runs.item(f"lichen:{n}", runs.RECORD_HASH, "dd-json-document-v1") for n in numbers]
    cited = {"evidence": [runs.RECORD_ITEM, *items]}
    assert codes(lint(runs.records([*spans, *more]), envelope | cited)) == []
    spans, envelope = runs.GOOD["brokered"]
    calls = [runs.span("chat", 2, 30, 40)] * 20_000
    many = {"retrievals": [runs.RETRIEVAL_RECORD] * 20_000}
    assert codes(lint(runs.records([*spans, *calls]), envelope | many)).count("g1.call-before-retrieval") == len(calls)


def _declares(source_id):
    return {"dd.source_id": source_id, "dd.content_hash": runs.RECORD_HASH}


def test_an_unknown_profile_is_a_usage_error():
    """The known profiles are named."""
    spans, envelope = runs.GOOD["none"]
    with pytest.raises(UsageError, match="dd, genai"):
        lint(runs.records(spans), envelope, profile="mine")


def test_the_text_of_a_verdict():
    """The head line says status, mode and what was counted."""
    spans, envelope = runs.GOOD["retrieval"]
    assert lint(runs.records(spans), envelope).lines() == [
        "grounding: passed [retrieval] (1 retrieval, 1 model-call spans)"
    ]
    spans, envelope = runs.GOOD["delegation"]
    head = lint(runs.records(spans), envelope).lines()[0]
    assert head == "grounding: passed [delegation] (1 model-call span, 1 delegation)"
    spans, envelope = runs.GOOD["none"]
    twice = envelope | {"delegations": [runs.DELEGATION] * 2, "grounding_mode": 7}
    lines = lint(runs.records([*spans, runs.CHAT_SPAN]), twice).lines()
    assert lines[0] == "grounding: FAILED [none] (1 model-call span, 2 delegations)"
    assert lines[1].startswith("  /grounding_mode: the envelope's grounding mode is none of")
    assert lines[2] == "  span 0000000000000003: a model call has no place in mode none [n1.model-call]"
    assert lint(runs.records([runs.CHAT_SPAN | {"span_id": "x"}]), 7).lines()[:2] == [
        "grounding: FAILED [no mode] (1 model-call span)",
        "  the envelope: no span is a root under the profile [g0.no-root]",
    ]


def handed_cases():
    path = HANDED / "cases" / "lint-cases.json"
    return json.loads(path.read_text()) if path.is_file() else [None]


@pytest.mark.parametrize("case", handed_cases(), ids=lambda case: case["id"] if case else "absent")
def test_what_fools_comparable_linters(case):
    """Each published trap has the outcome that was decided for it, with its rules among the findings."""
    if case is None:
        not_here(f"the cases that fool comparable linters are not at {HANDED}")
    spans, envelope, expect, rules = runs.records(case["spans"]), case["envelope"], case["expect"], set(case["rules"])
    by_default, genai = lint(spans, envelope), lint(spans, envelope, profile="genai")
    found = {finding.rule for finding in by_default.findings}
    match expect:
        case "pass":
            assert found == set()
        case "withheld":
            assert by_default.status is GroundingStatus.WITHHELD
        case "fail" | "fail, without echoing the text":
            assert rules <= found
            assert "THE WITHHELD ANSWER" not in json.dumps(by_default.as_dict())
        case "fail under profile genai, rule N1; under profile dd pass with a note":
            assert (found, {finding.rule for finding in genai.findings}) == (set(), {"N1"})
            assert "note.unclassified-call" in [note.code for note in by_default.notes]
        case 'fail under profile dd; under genai the nested agent span is "other"':
            assert "G0" in found
            assert genai.findings == ()
        case "contract: C10; linter pass":
            assert found == set()
            assert "C10" in {finding.rule for finding in check_contract(envelope).findings}
        case _:
            assert expect == "fail at stage parse"  # the text of this one is a vector: it cannot stand in JSON
