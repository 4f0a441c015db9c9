"""state-transition: what held before and after, and when it changed (resolve.state-transition)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from groundrules.resolvers.base import Relation, missing, numbered, undecided
from groundrules.strictjson import JSON
from groundrules.times import parse_rfc3339

if TYPE_CHECKING:
    from groundrules.resolvers.base import Answer, Question, Ref, Sources

_Entry = tuple[int, int, dict[str, JSON]]
"""When, at which index of the ledger, and what it says."""
_Step = tuple[_Entry, _Entry]


def resolve(question: Question, sources: Sources) -> Answer:
    """What one state of one subject was before and after the steps that the ledger has in scope.

    A step is from one entry to the next in time; it lies in scope where the later one does. The value is whether a
    step changed anything (``changed``), what held before the first (``before``) or after the last (``after``), or what
    brought the one step about and when (``event``, ``event_time``).

    Abstains for want of ``after_state`` where the ledger has nothing in scope, of ``before_state`` where it has nothing
    earlier, of ``event_time`` where an entry has no time or two have one time, and of ``event``; as
    ``contradictory`` where times and turns disagree, and ``several_steps`` where one is asked for.
    """
    subject, state = str(question.parameters["subject"]), str(question.parameters["state"])
    listed = sources.archive.listed("ledger") or []
    entries = [
        (index, entry) for index, entry in enumerate(listed) if (entry["subject"], entry["name"]) == (subject, state)
    ]
    if not any(entry["turn_index"] in sources.scope for _, entry in entries):
        return missing(question, "after_state")
    ordered = _in_time(entries)
    if ordered is None:
        return missing(question, "event_time")
    if any(_turn(later) < _turn(earlier) for earlier, later in pairwise(ordered)):
        return undecided(question, "contradictory")
    steps = [(earlier, later) for earlier, later in pairwise(ordered) if _turn(later) in sources.scope]
    if not steps:
        return missing(question, "before_state")
    return _answer(question, steps, subject, state)


def _in_time(entries: list[tuple[int, dict[str, JSON]]]) -> list[_Entry] | None:
    """The entries in the order of their times; None where one has none, or two the same."""
    timed: dict[int, _Entry] = {}
    for index, entry in entries:
        at = parse_rfc3339(str(entry.get("at")))
        if at is None or at in timed:
            return None
        timed[at] = (at, index, entry)
    return [timed[at] for at in sorted(timed)]


def _turn(entry: _Entry) -> int:
    turn = entry[2]["turn_index"]
    assert isinstance(turn, int)  # noqa: S101 - by the schema
    return turn


def _answer(question: Question, steps: list[_Step], subject: str, state: str) -> Answer:
    first, last = steps[0][0][2], steps[-1][1][2]
    value: JSON
    match question.parameters["ask"]:
        case "changed":
            value = any(not _same(earlier[2]["value"], later[2]["value"]) for earlier, later in steps)
        case "before":
            value = first["value"]
        case "after":
            value = last["value"]
        case _ if len(steps) > 1:
            return undecided(question, "several_steps")
        case "event" if "event" not in last:
            return missing(question, "event")
        case ask:
            value = last["event" if ask == "event" else "at"]
    refs = numbered(question.name, [_ref(step, subject) for step in steps])
    return Relation(question.name, subject, state, value, refs)


def _same(one: JSON, other: JSON) -> bool:
    return type(one) is type(other) and one == other


def _ref(step: _Step, subject: str) -> Ref:
    (_, before_index, before), (_, after_index, after) = step
    event = {"event": after["event"]} if "event" in after else {}
    return {
        "kind": "STATE_TRANSITION",
        "source_type": "STATE_LEDGER",
        "anchor": "receipt",
        "source_ref": f"/ledger/{after_index}",
        "subject": subject,
        "turn_index": after["turn_index"],
        "inputs": {"before_ref": f"/ledger/{before_index}", "state": after["name"], **event},
        "output": {"before": before["value"], "after": after["value"], "at": after["at"]},
    }
