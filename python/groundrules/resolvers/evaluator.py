"""Whom a semantic resolver asks: a bounded question, and the ballot that comes back (resolve.ballots)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from groundrules.resolvers.base import Lack

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundrules.strictjson import JSON

ABSTENTION = "abstain"
"""What an evaluator writes that cannot tell; no class has this name."""


@dataclass(frozen=True, slots=True)
class BoundedQuestion:
    """One relation between two things, or the class of one thing, and the spans that it may be decided on.

    Attributes:
        name: the fact or relation that is asked for.
        task: what is to be decided, in one sentence for a person or a model.
        classes: the answers that there are: each class and what it means.
        evidence: the texts that speak for it.
        counterevidence: the texts that speak against it.
    """

    name: str
    task: str
    classes: Mapping[str, str]
    evidence: tuple[str, ...]
    counterevidence: tuple[str, ...]


class Outcome(StrEnum):
    """What became of a question: an answer, an abstention, or one of four faults."""

    VOTE = "vote"
    ABSTAINED = "abstained"
    REFUSED = "refused"
    MALFORMED = "malformed"
    TIMED_OUT = "timed-out"
    FAILED = "failed"

    @property
    def is_fault(self) -> bool:
        """Whether the evaluator did not do what it was asked; an abstention is what it may do."""
        return self not in (Outcome.VOTE, Outcome.ABSTAINED)


@dataclass(frozen=True, slots=True)
class Ballot:
    """What one evaluator answered: a class with a vote, and no class with anything else."""

    outcome: Outcome
    answer: str | None = None
    rationale: str = ""


class Evaluator(Protocol):
    """A model, a service or a rule that judges what cannot be computed."""

    def ask(self, prompt: BoundedQuestion, /) -> Ballot:
        """Answer, or abstain; a fault is a ballot too, and no exception."""


@dataclass(frozen=True, slots=True)
class RecordedEvaluator:
    """An evaluator that answers as it was recorded: by the name of what is asked, and malformed to anything else."""

    ballots: Mapping[str, Ballot]
    default: Ballot = Ballot(Outcome.MALFORMED)

    def ask(self, prompt: BoundedQuestion, /) -> Ballot:
        """The recorded ballot."""
        return self.ballots.get(prompt.name, self.default)


def recorded(ballot: Mapping[str, JSON]) -> RecordedEvaluator:
    """An evaluator that gives one recorded ballot, of ``schemas/question.json#/$defs/ballot``, to any question."""
    answer = ballot.get("answer")
    cast = Ballot(Outcome(str(ballot["outcome"])), None if answer is None else str(answer))
    return RecordedEvaluator({}, cast)


@dataclass(frozen=True, slots=True)
class Poll:
    """The ballots of several evaluators.

    Attributes:
        answer: the class that enough of them voted for, or None.
        lack: why there is none, in kind.
        because: why there is none, in a word.
        votes: every ballot as data.
    """

    answer: str | None
    lack: Lack
    because: str
    votes: tuple[JSON, ...]


def poll(prompt: BoundedQuestion, evaluators: Mapping[str, Evaluator], *, majority: bool) -> Poll:
    """Ask every evaluator once, and count.

    A class is the answer where all of them vote for it, or with ``majority`` more than half of all that were asked.
    Where it is not, and would be if those that failed had voted for it, the lack is a fault.
    """
    ballots = {name: _valid(evaluator.ask(prompt), prompt) for name, evaluator in evaluators.items()}
    votes = tuple(_as_data(name, ballot) for name, ballot in ballots.items())
    needed = len(ballots) // 2 + 1 if majority else max(len(ballots), 1)
    return _counted([*ballots.values()], needed, votes)


def _valid(ballot: Ballot, prompt: BoundedQuestion) -> Ballot:
    """A vote for no class that there is, is malformed; what is no vote has no answer."""
    if ballot.outcome is not Outcome.VOTE:
        return Ballot(ballot.outcome)
    return ballot if ballot.answer in prompt.classes else Ballot(Outcome.MALFORMED)


def _as_data(name: str, ballot: Ballot) -> JSON:
    told: dict[str, JSON] = {"evaluator": name, "outcome": ballot.outcome.value}
    return told if ballot.answer is None else told | {"answer": ballot.answer}


def _counted(ballots: Sequence[Ballot], needed: int, votes: tuple[JSON, ...]) -> Poll:
    if not ballots:
        return Poll(None, Lack.OPEN, "no_evaluator", votes)
    counted = Counter(ballot.answer for ballot in ballots if ballot.answer is not None)
    leading = max(counted.values(), default=0)
    if leading >= needed:
        return Poll(next(answer for answer, number in counted.items() if number == leading), Lack.OPEN, "", votes)
    faults = [ballot.outcome for ballot in ballots if ballot.outcome.is_fault]
    if leading + len(faults) >= needed:
        return Poll(None, Lack.FAULT, faults[0].value, votes)
    return Poll(None, Lack.OPEN, "split" if counted else "abstained", votes)
