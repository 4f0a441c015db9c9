"""One question of one resolver, as data: an archive and a question in, an answer out (resolve.asking)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.canonical.domain import survey
from groundrules.documents import departures
from groundrules.errors import CanonicalError, SchemaError, Where
from groundrules.resolvers.archive import read_archive, whole
from groundrules.resolvers.base import Fact, Question, Relation, Sources
from groundrules.resolvers.evaluator import recorded
from groundrules.resolvers.registry import RESOLVERS
from groundrules.strictjson import pointer

if TYPE_CHECKING:
    from groundrules.resolvers.archive import Archive
    from groundrules.resolvers.base import Answer, Established
    from groundrules.strictjson import JSON


def answer(archive: JSON, question: JSON) -> Answer:
    """Ask one question.

    Args:
        archive: of ``schemas/archive.json``.
        question: of ``schemas/question.json``; what was established before and the ballots of evaluators stand in it.

    Raises:
        SchemaError: ``schema.archive``, ``schema.question``, ``schema.expression``.
    """
    run = read_archive(archive)
    stated = read_question(question)
    asked = Question(str(stated["resolver"]), str(stated["name"]), _object(stated["parameters"]))
    scope = tuple(dict.fromkeys(whole(stated["turns"]))) if "turns" in stated else tuple(range(len(run.turns)))
    sources = Sources(
        run,
        _within(run, scope),
        {name: _established(name, _object(fact)) for name, fact in _object(stated.get("facts", {})).items()},
        {name: recorded(_object(ballot)) for name, ballot in _object(stated.get("ballots", {})).items()},
    )
    return RESOLVERS[asked.resolver](asked, sources)


def read_question(document: JSON) -> dict[str, JSON]:
    """A question, held to its schema.

    Raises:
        SchemaError: ``schema.question``.
    """
    try:
        survey(document)
    except CanonicalError as error:
        raise _refused(error.detail, error.where.pointer or "") from None
    for path, detail in departures(document, "question"):
        raise _refused(detail, pointer(path))
    return _object(document)


def _within(archive: Archive, scope: tuple[int, ...]) -> tuple[int, ...]:
    for position, index in enumerate(scope):
        if index >= len(archive.turns):
            raise _refused("it names a turn that is not there", f"/turns/{position}")
    return tuple(sorted(scope))


def _established(name: str, stated: dict[str, JSON]) -> Established:
    refs = tuple(_object(ref) for ref in _list(stated.get("refs", [])))
    if "subject" in stated:
        return Relation(name, str(stated["subject"]), str(stated["object"]), stated["value"], refs)
    return Fact(name, stated["value"], refs)


def _object(value: JSON) -> dict[str, JSON]:
    assert isinstance(value, dict)  # noqa: S101 - by the schema
    return value


def _list(value: JSON) -> list[JSON]:
    assert isinstance(value, list)  # noqa: S101 - by the schema
    return value


def _refused(detail: str, at: str) -> SchemaError:
    return SchemaError("schema.question", detail, where=Where(pointer=at), remedy="see schemas/question.json")
