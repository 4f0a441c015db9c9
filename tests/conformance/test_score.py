"""Scoring: what counts as conformance, and what a failing implementer is told."""

import pytest

from groundrules.conformance.builtin import answer
from groundrules.conformance.score import Outcome, score
from groundrules.conformance.vectors import load

VECTORS = {vector.id: vector for vector in load().vectors}
POSITIVE = VECTORS["canon.jcs.names.astral-before-private-use"]
NEGATIVE = VECTORS["ijson.depth.arrays-65"]
EVIDENCE = VECTORS["evidence.shown.member-absent"]


def good(vector):
    return answer(vector.kind, vector.inputs)


@pytest.mark.parametrize("vector", [POSITIVE, NEGATIVE, EVIDENCE], ids=lambda vector: vector.id)
def test_the_right_answer_passes(vector):
    """The verifier's own answer is a pass without detail."""
    result = score(vector, good(vector))
    assert (result.outcome, result.detail) == (Outcome.PASS, "")


@pytest.mark.parametrize(
    ("vector", "changes", "outcome", "detail"),
    [
        (POSITIVE, {"verdict": "fail", "stage": "parse", "codes": ["x.y"]}, Outcome.FAIL, "expected pass, came"),
        (POSITIVE, {"verdict": "indeterminate"}, Outcome.FAIL, "indeterminate"),
        (POSITIVE, {"canonical_b64": "e30="}, Outcome.FAIL, "canonical_b64: expected"),
        (POSITIVE, {"digest": "0" * 64}, Outcome.FAIL, "digest: expected"),
        (POSITIVE, {"digest": None}, Outcome.FAIL, "digest: expected"),
        (POSITIVE, {"canonical_b64": "?"}, Outcome.FAIL, "which is no base64"),
        (POSITIVE, {"stages": {"parsed_b64": "e30=", "projected_b64": "e30="}}, Outcome.FAIL, "stages parsed_b64"),
        (POSITIVE, {"stages": "none"}, Outcome.FAIL, "stages parsed_b64"),
        (NEGATIVE, {"verdict": "pass"}, Outcome.FAIL, "expected fail, came pass"),
        (NEGATIVE, {"stage": "decode"}, Outcome.WRONG_REASON, "stage: expected"),
        (NEGATIVE, {"codes": ["read.syntax"]}, Outcome.WRONG_REASON, "codes: expected"),
        (NEGATIVE, {"codes": ["read.too-deep", "read.syntax"]}, Outcome.WRONG_REASON, "codes: expected"),
        (NEGATIVE, {"codes": []}, Outcome.WRONG_REASON, "codes: expected"),
        (EVIDENCE, {"items": []}, Outcome.FAIL, "items: expected"),
    ],
)
def test_a_wrong_answer_is_told_apart(vector, changes, outcome, detail):
    """Another verdict or value fails, a refusal for another reason is the wrong reason, and the place is named."""
    result = score(vector, good(vector) | changes)
    assert result.outcome is outcome
    assert detail in result.detail


def test_the_first_stage_that_diverged_is_named():
    """Where the parse already differs, nothing later is blamed."""
    wrong = good(POSITIVE) | {"canonical_b64": "e30=", "digest": "0" * 64, "stages": {"parsed_b64": "e30="}}
    assert score(POSITIVE, wrong).detail.startswith("stages parsed_b64")


def test_codes_are_compared_as_sets():
    """Order and repetition of codes in an answer do not matter, nor in its items."""
    several = VECTORS["contract.c4.referred-with-neither"]
    reply = good(several)
    assert score(several, reply | {"codes": reply["codes"][::-1] * 2}).outcome is Outcome.PASS
    reply = good(EVIDENCE)
    assert (
        score(EVIDENCE, reply | {"items": [reply["items"][0] | {"notes": reply["items"][0]["notes"] * 2}]}).outcome
        is Outcome.PASS
    )
    assert score(EVIDENCE, reply | {"items": [7]}).outcome is Outcome.FAIL
    assert score(NEGATIVE, good(NEGATIVE) | {"codes": ["read.too-deep"] * 2}).outcome is Outcome.PASS


def test_an_answer_without_a_verdict_is_an_error():
    """Silence, and an adapter's own error, are errors and no answer."""
    for silent in ({}, {"error": {"code": "protocol"}}):
        assert score(POSITIVE, silent).outcome is Outcome.ERROR
