"""Every rule, and every clause of every rule, is held by at least two vectors: without it two of them break."""

import sys

import pytest

from groundrules.catalogue import catalogue
from groundrules.conformance.builtin import answer
from groundrules.conformance.score import Outcome, score
from groundrules.conformance.vectors import load
from groundrules.linter.rules import CHECKS

KINDS = ("contract", "lint", "evidence", "sources", "run", "witness", "order", "contract-check", "authority")
STAGES = ("contract", "lint", "configuration", "sources", "run", "witness", "order", "contract-check", "authority")
VECTORS = [vector for vector in load().vectors if vector.kind in KINDS]
CLAUSES = [
    entry.code for entry in catalogue().codes if entry.stage in STAGES and entry.requirement not in catalogue().excluded
]
KIND_OF = {
    "C": "contract",
    "S": "sources",
    "I": "run",
    "D4": "run",
    "W": "witness",
    "O": "order",
    "W1": "contract-check",
    "W2": "contract-check",
    "P": "contract-check",
    "A": "authority",
}
"""The kind of vector that a rule is tested by, by its id or its letter; ``lint`` for the others."""
MODE_RULES = [check.rule for check in CHECKS]


@pytest.fixture(scope="module")
def answers():
    return {vector.id: answer(vector.kind, vector.inputs) for vector in VECTORS}


def without(found, removed):
    """The answer of a verifier that lacks the clauses for which ``removed`` is true."""
    if found.get("stage"):
        lacks = found["stage"] == "configuration" and any(map(removed, found["codes"]))
        return {"verdict": "pass"} if lacks else found
    codes = [code for code in found["codes"] if not removed(code)]
    changed = found | {"codes": codes}
    if found["codes"] and not codes:
        changed["verdict"] = "pass"
    return changed


def broken(answers, removed):
    outcomes = (score(vector, without(answers[vector.id], removed)) for vector in VECTORS)
    return [result.id for result in outcomes if result.outcome is not Outcome.PASS]


@pytest.mark.parametrize("code", CLAUSES)
def test_removing_a_clause_breaks_two_vectors(answers, code):
    """A verifier that never reports this code fails at least two vectors."""
    assert len(broken(answers, lambda found: found == code)) >= 2


@pytest.mark.parametrize("rule", [rule.id for rule in catalogue().rules])
def test_removing_a_rule_breaks_two_vectors(answers, rule):
    """A verifier without this rule fails at least two vectors."""
    assert len(broken(answers, lambda found: found.startswith(rule.lower() + "."))) >= 2


@pytest.mark.parametrize("rule", MODE_RULES)
def test_removing_a_check_from_the_table_breaks_two_vectors(monkeypatch, rule):
    """With its row taken out of the linter's own table the vectors fail for real."""
    module = sys.modules["groundrules.linter.lint"]
    monkeypatch.setattr(module, "CHECKS", tuple(check for check in CHECKS if check.rule != rule))
    failed = [
        vector.id
        for vector in VECTORS
        if vector.kind == "lint" and score(vector, answer(vector.kind, vector.inputs)).outcome is not Outcome.PASS
    ]
    assert len(failed) >= 2


@pytest.mark.parametrize("rule", catalogue().rules, ids=lambda rule: rule.id)
def test_every_rule_accepts_in_each_of_its_modes(answers, rule):
    """For every mode of a rule some vector passes under it."""
    kind = KIND_OF.get(rule.id) or KIND_OF.get(rule.id[0], "lint")
    accepted = {
        answers[vector.id].get("mode")
        for vector in VECTORS
        if vector.kind == kind and vector.expect["verdict"] == "pass"
    }
    assert accepted
    if kind == "lint":
        assert set(rule.modes) <= accepted
