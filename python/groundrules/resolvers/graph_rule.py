"""graph-rule: a decision by a declared rule over the facts that are established (resolve.graph-rule)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.resolvers.base import Abstain, Decision, Lack, missing
from groundrules.resolvers.rules import Known, check, evaluate, mentioned

if TYPE_CHECKING:
    from groundrules.resolvers.base import Answer, Question, Sources


def resolve(question: Question, sources: Sources) -> Answer:
    """The truth of a rule; it rests on the facts that it names and adds no evidence of its own.

    Abstains for want of ``predicate_version``, of ``evidence_graph`` where none of the facts that the rule mentions is
    established, and as ``unknown``, with the facts that leave it so.

    Raises:
        SchemaError: ``schema.expression``: the rule departs from the grammar.
    """
    rule = question.parameters["rule"]
    check(rule, ("parameters", "rule"))
    if "predicate_version" not in question.parameters:
        return missing(question, "predicate_version")
    names = mentioned(rule)
    if names and not names & sources.facts.keys():
        return missing(question, "evidence_graph")
    verdict = evaluate(rule, Known(sources.facts, sources.weights))
    if verdict.truth is None:
        return Abstain(question.name, Lack.OPEN, "unknown", tuple(sorted(verdict.over)))
    return Decision(question.name, verdict.truth, tuple(sorted(verdict.over)))
