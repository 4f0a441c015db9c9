"""One predicate over one part of a run: its questions in order, and the facts that they establish (resolve.engine)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groundrules.resolvers.base import Abstain, Decision, Lack, Sources
from groundrules.resolvers.predicates import DECISION, GRAPH_RULE
from groundrules.resolvers.registry import RESOLVERS
from groundrules.resolvers.rules import Known, Verdict, evaluate
from groundrules.witness.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from groundrules.resolvers.archive import Archive
    from groundrules.resolvers.base import Answer, Established, Question
    from groundrules.resolvers.evaluator import Evaluator
    from groundrules.resolvers.predicates import Predicate
    from groundrules.strictjson import JSON

RULE_OF = {"APPLICABLE_FAIL": "fails_when", "APPLICABLE_PASS": "passes_when"}
"""The rule that decides a state of a claim."""
WEIGHTS = {"deterministic": 0, "human": 1, "semantic": 2}
"""How weak what each kind of resolver establishes is; a decision is as weak as the weakest fact that it needs."""

_SHOWN = ("evidence", "counterevidence")


@dataclass(slots=True)
class Instance:
    """A predicate, the turns that it is decided over, and what is known so far.

    Attributes:
        predicate: the predicate.
        claim: the id of the claim that is to be made.
        scope: the indexes of the turns.
        facts: what is established, by name.
        weights: how weak each fact is.
        basis: by fact, the facts that its question read.
        lacks: by name, every abstention of a resolver that was asked for it, with the resolver.
        votes: how the evaluators answered each question that was put to them, whatever became of it.
        asked: the resolvers that were run, in their order.
        verdicts: the rules' results, by the rule's name.
        log: entries of the record's log, their ``seq`` apart.
    """

    predicate: Predicate
    claim: str
    scope: tuple[int, ...]
    facts: dict[str, Established] = field(default_factory=dict)
    weights: dict[str, int] = field(default_factory=dict)
    basis: dict[str, list[str]] = field(default_factory=dict)
    lacks: dict[str, list[tuple[str, Abstain]]] = field(default_factory=dict)
    votes: list[JSON] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    log: list[dict[str, JSON]] = field(default_factory=list)

    @property
    def open(self) -> list[str]:
        """What is asked for and not established, in the order of the questions, and the decision last."""
        names = dict.fromkeys(question.name for question in self.predicate.questions)
        return [*(name for name in names if name not in self.facts), *([] if self.is_decided else [DECISION])]

    @property
    def is_decided(self) -> bool:
        """Whether the rules say what the claim is."""
        return bool(self.verdicts) and self.state is not None

    @property
    def state(self) -> str | None:
        """The state that the rules decide, or None where they leave it open (resolve.decision)."""
        applies, fails, passes = (self._truth(name) for name in ("applies_when", "fails_when", "passes_when"))
        if "applies_when" in self.verdicts and applies is not True:
            return None if applies is None else "NOT_APPLICABLE"
        if fails is True and passes is not True:
            return "APPLICABLE_FAIL"
        return "APPLICABLE_PASS" if passes is True and fails is not True else None

    def run(self, archive: Archive, evaluators: Mapping[str, Evaluator]) -> None:
        """Ask every question, resolver by resolver in the predicate's order, and decide."""
        for resolver in self.predicate.resolvers:
            if resolver == GRAPH_RULE:
                self._decide()
                continue
            for question in self.predicate.questions:
                if question.resolver == resolver and self._is_open(question):
                    self._ask(question, Sources(archive, self.scope, self.facts, evaluators, self.weights, self._named))
            if GRAPH_RULE in self.asked:
                self._decide()

    @property
    def _named(self) -> tuple[str, str]:
        return self.predicate.id, self.predicate.version

    def _truth(self, rule: str) -> bool | None:
        verdict = self.verdicts.get(rule)
        return None if verdict is None else verdict.truth

    def _is_open(self, question: Question) -> bool:
        """Whether a question may still be asked: a person may settle anew what an evaluator said, and nobody else."""
        if question.name not in self.facts:
            return True
        is_human = vocabulary().resolvers[question.resolver].kind == "human"
        return is_human and self.weights[question.name] == WEIGHTS["semantic"]

    def _ask(self, question: Question, sources: Sources) -> None:
        open_before = self.open
        answer = RESOLVERS[question.resolver](question, sources)
        if not isinstance(answer, Decision) and answer.votes is not None:
            self.votes.append({"fact": question.name, "ballots": [*answer.votes]})
        if isinstance(answer, Abstain):
            self.lacks.setdefault(question.name, []).append((question.resolver, answer))
        else:
            basis = [name for name in self.facts if name in facts_read(question)]
            own = WEIGHTS[vocabulary().resolvers[question.resolver].kind]
            self.facts[question.name], self.basis[question.name] = answer, basis
            self.weights[question.name] = max([own, *(self.weights[name] for name in basis)])
        self._enter(question.resolver, [question.name], answer, open_before)

    def _decide(self) -> None:
        open_before = self.open
        known = Known(self.facts, self.weights)
        self.verdicts = {name: evaluate(rule, known) for name, rule in self.predicate.rules.items()}
        made: Answer = Decision(DECISION, self.state) if self.is_decided else Abstain(DECISION, Lack.OPEN, "unknown")
        self._enter(GRAPH_RULE, sorted(self.rests_on), made, open_before)

    @property
    def rests_on(self) -> frozenset[str]:
        """The facts that the rules rest on which decide; where nothing is decided those of all rules."""
        named = (
            ("applies_when", RULE_OF.get(self.state or "", "applies_when")) if self.is_decided else (*self.verdicts,)
        )
        return frozenset(name for rule in named if rule in self.verdicts for name in self.verdicts[rule].over)

    def _enter(self, resolver: str, asked: Iterable[str], answer: Answer, open_before: Iterable[str]) -> None:
        if resolver not in self.asked:
            self.asked.append(resolver)
        entry: dict[str, JSON] = {
            "claim": self.claim,
            "resolver": resolver,
            "asked": [*asked],
            "established": [] if isinstance(answer, Abstain) else [answer.name],
            "open_before": [*open_before],
        }
        votes = None if isinstance(answer, Decision) else answer.votes
        if votes:
            entry["evaluators"] = [vote["evaluator"] for vote in votes if isinstance(vote, dict)]
        self.log.append(entry)


def facts_read(question: Question) -> frozenset[str]:
    """The facts that a question names, apart from those whose spans are shown to evaluators and cited as such."""
    found: set[str] = set()
    pending = [value for name, value in question.parameters.items() if name not in _SHOWN]
    while pending:
        match pending.pop():
            case {"fact": str(name)}:
                found.add(name)
            case dict() as inner:
                pending.extend(inner.values())
            case list() as listed:
                pending.extend(listed)
    return frozenset(found)
