"""Every vector, by id, answered by the reference verifier."""

import pytest

from groundrules.conformance.builtin import answer
from groundrules.conformance.score import Outcome, score
from groundrules.conformance.vectors import load

CORPUS = load()


def test_no_vector_is_damaged():
    """All folders that hold a vector.json were read."""
    assert CORPUS.damaged == ()
    assert len(CORPUS.vectors) >= 487


@pytest.mark.parametrize("vector", CORPUS.vectors, ids=lambda vector: vector.id)
def test_vector(vector):
    """The verifier's answer is the expected one, to the octet and the code."""
    result = score(vector, answer(vector.kind, vector.inputs))
    assert result.outcome is Outcome.PASS, result.detail
