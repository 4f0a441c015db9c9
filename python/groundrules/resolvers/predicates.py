"""Predicates: what an engine decides, the questions that it asks, and the rules that decide (resolve.predicates)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from groundrules.canonical.domain import survey
from groundrules.documents import departures
from groundrules.errors import CanonicalError, SchemaError, Where
from groundrules.resolvers.archive import objects
from groundrules.resolvers.base import PREFIX, Question
from groundrules.resolvers.rules import check, mentioned
from groundrules.strictjson import pointer
from groundrules.witness.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundrules.strictjson import JSON

GRAPH_RULE = f"{PREFIX}graph-rule"
DECISION = "decision"
"""What graph-rule establishes in an engine's log."""
RULES = ("applies_when", "fails_when", "passes_when")


@dataclass(frozen=True, slots=True)
class Predicate:
    """One predicate.

    Attributes:
        stated: its members that belong in an evaluation record.
        resolvers: their ids, in the order in which they are run.
        questions: in the order in which those of one resolver are asked.
        rules: those of ``applies_when``, ``fails_when`` and ``passes_when`` that it has.
        scope: what one claim is about: ``turn``, ``episode``, or the run.
    """

    stated: Mapping[str, JSON]
    resolvers: tuple[str, ...]
    questions: tuple[Question, ...]
    rules: Mapping[str, JSON]
    scope: str

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.stated["id"])

    @property
    def version(self) -> str:
        """Its version."""
        return str(self.stated["version"])


def read_predicates(document: JSON) -> tuple[Predicate, ...]:
    """The predicates that a document states.

    Args:
        document: of ``schemas/predicates.json``.

    Raises:
        SchemaError: ``schema.predicates``, at the first place that departs from the schema, names a resolver after one
            of a later class, asks one that is not listed, or rules over what is not asked; ``schema.expression``: a
            rule departs from the grammar.
    """
    try:
        survey(document)
    except CanonicalError as error:
        _refuse(error.detail, error.where.pointer or "")
    for path, detail in departures(document, "predicates"):
        _refuse(detail, pointer(path))
    assert isinstance(document, dict)  # noqa: S101 - by its schema
    listed = objects(document["predicates"])
    predicates = tuple(_predicate(index, entry) for index, entry in enumerate(listed))
    seen: set[tuple[str, str]] = set()
    for index, predicate in enumerate(predicates):
        if (predicate.id, predicate.version) in seen:
            _refuse("its id and version stand twice", f"/predicates/{index}/id")
        seen.add((predicate.id, predicate.version))
        for place, detail in _departures(index, predicate):
            _refuse(detail, pointer(place))
    return predicates


def _predicate(index: int, entry: dict[str, JSON]) -> Predicate:
    kept = ("id", "version", "polarity", "evidence_contract", "resolvers")
    questions = []
    for asked in objects(entry["questions"]):
        parameters = asked["parameters"]
        assert isinstance(parameters, dict)  # noqa: S101 - by the schema
        questions.append(Question(str(asked["resolver"]), str(asked["name"]), parameters))
    rules = {name: entry[name] for name in RULES if name in entry}
    for name, rule in rules.items():
        check(rule, ("predicates", index, name))
    match entry:
        case {"resolvers": [*resolvers], "evidence_contract": dict(contract)}:
            stated = {name: entry[name] for name in kept}
            scope = str(contract.get("scope", "run"))
            return Predicate(stated, tuple(map(str, resolvers)), tuple(questions), rules, scope)
    raise AssertionError(entry)  # pragma: no cover - by the schema


def _departures(index: int, predicate: Predicate) -> Iterator[tuple[list[str | int], str]]:
    """What the schema cannot say."""
    here: list[str | int] = ["predicates", index]
    classes = [vocabulary().resolvers[name].order_class for name in predicate.resolvers]
    for position, order_class in enumerate(classes):
        if order_class < max(classes[: position + 1]):
            yield [*here, "resolvers", position], "it stands after a resolver of a later class"
    for position, question in enumerate(predicate.questions):
        if question.resolver not in predicate.resolvers:
            yield [*here, "questions", position, "resolver"], "the predicate does not list it"
        if question.name == DECISION:
            yield [*here, "questions", position, "name"], "it is what graph-rule establishes"
    names = {question.name for question in predicate.questions}
    for name, rule in predicate.rules.items():
        if GRAPH_RULE not in predicate.resolvers:
            yield [*here, name], "a rule is given, and the predicate does not list graph-rule"
        if mentioned(rule) - names:
            yield [*here, name], "it reads a fact that no question asks for"


def _refuse(detail: str, at: str) -> NoReturn:
    raise SchemaError("schema.predicates", detail, where=Where(pointer=at), remedy="see schemas/predicates.json")
