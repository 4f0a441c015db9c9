"""The resolvers, which establish from a transcript archive what an evaluation rests on (chapter *Resolvers*)."""

from groundrules.resolvers.archive import Archive, read_archive
from groundrules.resolvers.asking import answer
from groundrules.resolvers.base import Abstain, Answer, Decision, Fact, Lack, Question, Relation, Resolver, Sources
from groundrules.resolvers.engine import resolve_archive
from groundrules.resolvers.evaluator import Ballot, BoundedQuestion, Evaluator, Outcome, RecordedEvaluator
from groundrules.resolvers.evaluators import load_evaluators
from groundrules.resolvers.http_evaluator import HttpEvaluator
from groundrules.resolvers.predicates import Predicate, read_predicates
from groundrules.resolvers.registry import RESOLVERS

__all__ = [
    "RESOLVERS",
    "Abstain",
    "Answer",
    "Archive",
    "Ballot",
    "BoundedQuestion",
    "Decision",
    "Evaluator",
    "Fact",
    "HttpEvaluator",
    "Lack",
    "Outcome",
    "Predicate",
    "Question",
    "RecordedEvaluator",
    "Relation",
    "Resolver",
    "Sources",
    "answer",
    "load_evaluators",
    "read_archive",
    "read_predicates",
    "resolve_archive",
]
