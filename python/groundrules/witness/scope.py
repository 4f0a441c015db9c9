"""The scope of a contract: where evidence has to lie to count for a claim (contracts.scope)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.witness.vocabulary import vocabulary

if TYPE_CHECKING:
    from groundrules.strictjson import JSON
    from groundrules.witness.record import Claim, Record, Ref

_TURNS_OF_A_TURN = 1
_EPISODES_OF_A_PAIR = 2


@dataclass(frozen=True, slots=True)
class Scope:
    """Where the evidence for one claim has to lie.

    Attributes:
        turns: the turns, or None for every turn.
        to_cover: the turns that a search has to have covered to show an absence.
        artifact: source and digest of the one artifact that the agent's words come from, or None where that is free.
        fault: why the claim has no such scope, or None; nothing lies in a scope that there is not.
    """

    turns: frozenset[int] | None
    to_cover: frozenset[int]
    artifact: tuple[JSON, JSON] | None = None
    fault: str | None = None

    def fault_of(self, ref: Ref) -> str | None:
        """Why a ref does not lie in the scope, or None where it does."""
        if self.fault is not None:
            return self.fault
        if self.turns is not None and not self._is_within(ref, self.turns):
            return "it does not lie in the scope"
        if self.artifact is not None and ref.kind == "AGENT_SPAN" and _artifact(ref) != self.artifact:
            return "it comes from another artifact"
        if ref.kind == "TYPED_ABSENCE" and not self.to_cover <= _searched(ref):
            return "its inputs do not name every turn of the scope"
        return None

    def _is_within(self, ref: Ref, turns: frozenset[int]) -> bool:
        if ref.turn is None:
            return "turn_index" not in vocabulary().kinds[ref.kind].required_fields
        return ref.turn in turns


def scope_of(claim: Claim, scope: str | None, record: Record, cited: list[Ref]) -> Scope:
    """The scope of a claim.

    Args:
        claim: the claim.
        scope: what the contract states.
        record: where episodes are declared.
        cited: the claim's evidence, in its order.
    """
    match scope:
        case "turn":
            one = len(claim.turns) == _TURNS_OF_A_TURN
            return Scope(claim.turns, claim.turns, fault=None if one else "the claim is not about one turn")
        case "episode":
            holding = [turns for turns in record.episodes if claim.turns and claim.turns <= turns]
            if not holding:
                return Scope(claim.turns, claim.turns, fault="the claim's turns lie in no declared episode")
            return Scope(holding[0], holding[0])
        case "paired-episode":
            return _paired(claim, record)
        case "run":
            return Scope(None, _run(record))
        case "artifact":
            spans = [ref for ref in cited if ref.kind == "AGENT_SPAN"]
            return Scope(None, claim.turns, _artifact(spans[0]) if spans else None)
    return Scope(None, claim.turns)


def _paired(claim: Claim, record: Record) -> Scope:
    touched = [turns for turns in record.episodes if turns & claim.turns]
    both = frozenset[int]().union(*touched)
    if len(touched) != _EPISODES_OF_A_PAIR or not claim.turns <= both:
        return Scope(both, both, fault="the claim's turns do not lie in two declared episodes")
    return Scope(both, both)


def _run(record: Record) -> frozenset[int]:
    """The turns of a run: those of its episodes, or where none is declared, all that the record names."""
    if record.episodes:
        return frozenset[int]().union(*record.episodes)
    named = [ref.turn for ref in record.refs if ref.turn is not None]
    return frozenset(named).union(*(claim.turns for claim in record.claims))


def _artifact(ref: Ref) -> tuple[JSON, JSON]:
    return ref.stated.get("source_ref"), ref.stated.get("source_sha256")


def _searched(ref: Ref) -> frozenset[int]:
    """The turns that an absence was searched for in."""
    match ref.stated.get("inputs"):
        case {"turns": [*turns]}:
            return frozenset(
                int(turn) for turn in turns if isinstance(turn, int | float) and not isinstance(turn, bool)
            )
    return frozenset()
