"""The scope of a contract: where evidence has to lie to count for a claim (contracts.scope)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from groundrules.witness.vocabulary import vocabulary

if TYPE_CHECKING:
    from groundrules.strictjson import JSON
    from groundrules.witness.record import Claim, Record, Ref

_TURNS_OF_A_TURN = 1
_EPISODES_OF_A_PAIR = 2
_UNPAIRED = "the claim's turns do not lie in two declared episodes"


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
        if not self._is_within(ref):
            return "it does not lie in the scope"
        if self.artifact is not None and ref.kind == "AGENT_SPAN" and _artifact(ref) != self.artifact:
            return "it comes from another artifact"
        if ref.kind == "TYPED_ABSENCE" and not self.to_cover <= _searched(ref):
            return "its inputs do not name every turn of the scope"
        return None

    def _is_within(self, ref: Ref) -> bool:
        if ref.turn is None:
            return "turn_index" not in vocabulary().kinds[ref.kind].required_fields
        return self.turns is None or ref.turn in self.turns


class Turns:
    """Which turns of a record belong together."""

    def __init__(self, record: Record) -> None:
        self._holding: dict[int, list[frozenset[int]]] = {}
        for turns in record.episodes:
            for turn in turns:
                self._holding.setdefault(turn, []).append(turns)
        if record.episodes:
            self.run = frozenset[int]().union(*record.episodes)
        else:
            named = [ref.turn for ref in record.refs if ref.turn is not None]
            self.run = frozenset(named).union(*(claim.turns for claim in record.claims))

    def scope_of(self, claim: Claim, scope: str | None, cited: list[Ref]) -> Scope:
        """The scope of a claim.

        Args:
            claim: the claim.
            scope: what the contract states.
            cited: the claim's evidence, in its order.
        """
        match scope:
            case "turn":
                one = len(claim.turns) == _TURNS_OF_A_TURN
                return Scope(claim.turns, claim.turns, fault=None if one else "the claim is not about one turn")
            case "episode":
                return self._episode(claim)
            case "paired-episode":
                return self._paired(claim)
            case "run":
                return Scope(None, self.run)
            case "artifact":
                spans = [ref for ref in cited if ref.kind == "AGENT_SPAN"]
                return Scope(None, claim.turns, _artifact(spans[0]) if spans else None)
        return Scope(None, claim.turns)

    def _episode(self, claim: Claim) -> Scope:
        holding = [turns for turns in self._holding.get(min(claim.turns, default=-1), []) if claim.turns <= turns]
        if holding:
            smallest = min(holding, key=len)  # the first of equals
            return Scope(smallest, smallest)
        return Scope(claim.turns, claim.turns, fault="the claim's turns lie in no declared episode")

    def _paired(self, claim: Claim) -> Scope:
        touched = {id(turns): turns for turn in claim.turns for turns in self._holding.get(turn, [])}
        if len(touched) != _EPISODES_OF_A_PAIR:
            return Scope(claim.turns, claim.turns, fault=_UNPAIRED)
        both = frozenset[int]().union(*touched.values())
        return Scope(both, both, fault=None if claim.turns <= both else _UNPAIRED)


def _artifact(ref: Ref) -> tuple[JSON, JSON]:
    return ref.stated.get("source_ref"), ref.stated.get("source_sha256")


def _searched(ref: Ref) -> frozenset[int]:
    """The turns that an absence was searched for in."""
    match ref.stated.get("inputs"):
        case {"turns": [*turns]}:
            return frozenset(int(turn) for turn in turns if _is_whole(turn))
    return frozenset()


def _is_whole(value: JSON) -> TypeGuard[int | float]:
    return type(value) is int or (isinstance(value, float) and value.is_integer())
