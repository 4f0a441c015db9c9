"""What resolvers are asked and what they answer: a fact, a relation, a decision, or an abstention (resolve.answers)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NoReturn, Protocol, TypeAlias

from groundrules.errors import SchemaError, Where
from groundrules.strictjson import JSON

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.resolvers.archive import Archive, Turn
    from groundrules.resolvers.evaluator import Evaluator

Ref: TypeAlias = dict[str, JSON]
"""A piece of evidence, of ``schemas/evaluation-record.json#/$defs/ref``."""

PREFIX = "eio.resolver."
"""What the id of every resolver begins with."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a resolver is asked.

    Attributes:
        resolver: the id of the resolver.
        name: the fact, relation or decision that is asked for.
        parameters: the resolver's own, of ``schemas/question.json``.
    """

    resolver: str
    name: str
    parameters: Mapping[str, JSON]


class Lack(StrEnum):
    """Why there is no answer, in kind: a thing is missing, the matter is open, or an evaluator failed."""

    MISSING = "missing"
    OPEN = "open"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that holds of the run.

    Attributes:
        name: what was asked.
        value: a JSON value; a decimal is a string.
        refs: the evidence that was produced, its ids ``<name>.<n>``.
        votes: how the evaluators answered, where some were asked.
        counterrefs: what was held against it, its ids numbered on.
    """

    name: str
    value: JSON
    refs: tuple[Ref, ...] = ()
    votes: tuple[JSON, ...] | None = None
    counterrefs: tuple[Ref, ...] = ()

    def as_dict(self) -> dict[str, JSON]:
        """The answer as data."""
        told: dict[str, JSON] = {"answer": "fact", "name": self.name, "value": self.value, "refs": [*self.refs]}
        if self.votes is not None:
            told |= {"counterrefs": [*self.counterrefs], "votes": [*self.votes]}
        return told


@dataclass(frozen=True, slots=True)
class Relation:
    """Something that holds, or does not, between two things; the members are those of a fact and its two ends."""

    name: str
    subject: str
    object: str
    value: JSON
    refs: tuple[Ref, ...] = ()
    votes: tuple[JSON, ...] | None = None
    counterrefs: tuple[Ref, ...] = ()

    def as_dict(self) -> dict[str, JSON]:
        """The answer as data."""
        told = Fact(self.name, self.value, self.refs, self.votes, self.counterrefs).as_dict()
        return told | {"answer": "relation", "subject": self.subject, "object": self.object}


@dataclass(frozen=True, slots=True)
class Decision:
    """What follows from facts; ``over`` names those that it rests on, sorted."""

    name: str
    value: JSON
    over: tuple[str, ...] = ()
    refs: tuple[Ref, ...] = ()

    def as_dict(self) -> dict[str, JSON]:
        """The answer as data."""
        told = Fact(self.name, self.value, self.refs).as_dict()
        return told | {"answer": "decision", "over": [*self.over]}


@dataclass(frozen=True, slots=True)
class Abstain:
    """No answer.

    Attributes:
        name: what was asked.
        lack: why not, in kind.
        because: the requirement that is missing, or a word for what leaves the matter open.
        over: the facts that are open, where a rule over facts was asked for; sorted.
        votes: how the evaluators answered, where some were asked.
    """

    name: str
    lack: Lack
    because: str
    over: tuple[str, ...] = ()
    votes: tuple[JSON, ...] | None = None

    def as_dict(self) -> dict[str, JSON]:
        """The answer as data."""
        told: dict[str, JSON] = {"answer": "abstain", "name": self.name, "lack": self.lack.value}
        told["because"] = self.because
        if self.over:
            told["over"] = [*self.over]
        return told if self.votes is None else told | {"votes": [*self.votes]}


Established: TypeAlias = Fact | Relation | Decision
Answer: TypeAlias = Established | Abstain


@dataclass(frozen=True, slots=True)
class Sources:
    """What a resolver may read.

    Attributes:
        archive: the run.
        scope: the indexes of the turns that the question is about, ascending.
        facts: what was established before, by name.
        evaluators: whom semantic resolvers ask, by name.
        predicate: id and version of the predicate that is decided, or None where a question is asked by itself.
        weights: by fact, how weak what established it is: 0 computed, 1 a person, 2 an evaluator.
    """

    archive: Archive
    scope: tuple[int, ...]
    facts: Mapping[str, Established] = field(default_factory=dict)
    evaluators: Mapping[str, Evaluator] = field(default_factory=dict)
    weights: Mapping[str, int] = field(default_factory=dict)
    predicate: tuple[str, str] | None = None

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns in scope."""
        return tuple(self.archive.turns[index] for index in self.scope)


class Resolver(Protocol):
    """One of the eleven (resolve.protocol)."""

    def __call__(self, question: Question, sources: Sources, /) -> Answer:
        """Answer a question whose parameters satisfy ``schemas/question.json``.

        Raises:
            SchemaError: ``schema.question`` or ``schema.expression``: the parameters say nothing that can be asked.
        """


def missing(question: Question, requirement: str) -> Abstain:
    """An abstention for want of a requirement."""
    return Abstain(question.name, Lack.MISSING, requirement)


def undecided(question: Question, because: str) -> Abstain:
    """An abstention where everything is there and does not settle the matter."""
    return Abstain(question.name, Lack.OPEN, because)


def numbered(name: str, refs: list[Ref], start: int = 0) -> tuple[Ref, ...]:
    """Refs with their ids: the name of what was asked, and a number."""
    return tuple({"id": f"{name}.{number}", **ref} for number, ref in enumerate(refs, start))


def refuse_parameter(detail: str, member: str) -> NoReturn:
    """Refuse parameters that their schema admits and that ask for nothing.

    Raises:
        SchemaError: ``schema.question``.
    """
    where = Where(pointer=f"/parameters/{member}")
    raise SchemaError("schema.question", detail, where=where, remedy="see the chapter Resolvers")
