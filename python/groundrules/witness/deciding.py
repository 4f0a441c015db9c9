"""Who decided a claim: by the log where it tells, else as declared (a1.decided-by)."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from groundrules.witness.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundrules.witness.record import Claim, Entry, Record

DETERMINISTIC: Final = "deterministic"
SEMANTIC: Final = "semantic"
HUMAN: Final = "human"
_GRAPH_RULE = "eio.resolver.graph-rule"


@dataclass(frozen=True, slots=True)
class Decider:
    """Who decided a claim.

    Attributes:
        kind: ``deterministic``, ``semantic`` or ``human``; None where the log does not tell.
        basis: ``log``, or ``declared`` where the log has nothing of the claim.
        evaluators: the ids of who was asked by the semantic entries that established something.
    """

    kind: str | None
    basis: str
    evaluators: tuple[str, ...] = ()


def deciders(record: Record) -> dict[str, Decider]:
    """Who decided each claim, by its id; a claim without an entry that established something is not among them."""
    entries: dict[str, list[Entry]] = {}
    for entry in sorted(record.log, key=attrgetter("seq")):
        if entry.established:
            entries.setdefault(entry.claim, []).append(entry)
    return {claim: _by_log(told) for claim, told in entries.items()}


def decider_of(claim: Claim, told: dict[str, Decider]) -> Decider:
    """Who decided a claim."""
    return told.get(claim.id) or Decider(claim.decided_by, "declared")


def _by_log(entries: list[Entry]) -> Decider:
    """Through all entries in time: each fact has the kind of who established it last; the last entry decides."""
    kinds: dict[str, str | None] = {}
    evaluators: dict[str, None] = {}
    kind: str | None = None
    judged = False
    for entry in entries:
        kind = _kind_of(entry, kinds, is_judged=judged)
        judged = judged or kind == SEMANTIC
        kinds |= dict.fromkeys(entry.established, kind)
        resolver = vocabulary().resolvers.get(entry.resolver)
        if resolver is not None and resolver.kind == SEMANTIC:
            evaluators |= dict.fromkeys(entry.evaluators)
    return Decider(kind, "log", tuple(evaluators))


def _kind_of(entry: Entry, kinds: dict[str, str | None], *, is_judged: bool) -> str | None:
    """The sort of what an entry established; after an opinion a computation may rest on it, and does not tell."""
    if entry.resolver == _GRAPH_RULE and entry.asked:
        return _weakest(kinds.get(fact) for fact in entry.asked)
    resolver = vocabulary().resolvers.get(entry.resolver)
    kind = None if resolver is None else resolver.kind
    return SEMANTIC if is_judged and kind == DETERMINISTIC else kind


def _weakest(kinds: Iterable[str | None]) -> str | None:
    """Of what a rule rests on the least that can be said: unknown, then semantic, then human."""
    found = set(kinds)
    return next((kind for kind in (None, SEMANTIC, HUMAN) if kind in found), DETERMINISTIC)
