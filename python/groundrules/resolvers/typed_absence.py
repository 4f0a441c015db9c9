"""typed-absence: that something stands nowhere in a set of sources that is complete (resolve.typed-absence)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.resolvers.base import Fact, missing, numbered, refuse_parameter, undecided
from groundrules.resolvers.exact_span import texts_in_scope
from groundrules.resolvers.search import matches
from groundrules.resolvers.texts import digest, hashed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.resolvers.archive import Archive, Call
    from groundrules.resolvers.base import Answer, Question, Ref, Sources
    from groundrules.strictjson import JSON

_NOT_COUNTED = frozenset({"STATE_LEDGER", "POLICY_SOURCE"})
"""The types of source that no manifest counts, so that no set of them can be known to be complete."""


def resolve(question: Question, sources: Sources) -> Answer:
    """That a value, or a call of a tool, is nowhere in scope; the value of the fact is 0.

    Abstains for want of ``predicate`` where nothing is looked for, of ``complete_source_set`` where the set of sources
    is not the one that the manifest counts, and as ``present`` where something was found.

    Raises:
        SchemaError: ``schema.question``: a search and a tool are asked for at once, or a tool elsewhere than in calls.
    """
    asked = _asked(question)
    if asked is None:
        return missing(question, "predicate")
    types, sought = asked
    if not types or not sources.scope or _NOT_COUNTED & {*types} or not is_complete(sources.archive):
        return missing(question, "complete_source_set")
    if not all(_is_recorded(sources, source_type) for source_type in types):
        return missing(question, "complete_source_set")
    if any(_found(sources, source_type, sought) for source_type in types):
        return undecided(question, "present")
    return Fact(question.name, 0, numbered(question.name, [_ref(sources, types, sought)]))


def is_complete(archive: Archive) -> bool:
    """Whether the transcript is the one that its manifest counts: turns, calls of each turn, and content hash."""
    counted = tuple(None if turn.calls is None else len(turn.calls) for turn in archive.turns)
    manifest = archive.manifest
    return (
        manifest is not None
        and manifest.turns == len(archive.turns)
        and manifest.calls == counted
        and manifest.sha256 == archive.sha256
    )


def _asked(question: Question) -> tuple[tuple[str, ...], dict[str, JSON]] | None:
    """The types of source to search, sorted, and what to look for in them."""
    parameters = question.parameters
    listed = parameters.get("in")
    types = tuple(sorted(map(str, listed))) if isinstance(listed, list) else ()
    match parameters:
        case {"search": dict(), "tool": str()}:
            refuse_parameter("it looks for a text and for a tool at once", "tool")
        case {"tool": str(tool)}:
            if types not in ((), ("AGENT_TOOL_CALL",)):
                refuse_parameter("a tool is called nowhere but in AGENT_TOOL_CALL", "in")
            return ("AGENT_TOOL_CALL",), {"tool": tool}
        case {"search": dict(search)}:
            return types, {"search": search}
    return None


def _is_recorded(sources: Sources, source_type: str) -> bool:
    return texts_in_scope(sources, source_type) is not None


def _calls(sources: Sources) -> Iterator[Call]:
    for turn in sources.turns:
        yield from turn.calls or ()


def _found(sources: Sources, source_type: str, sought: dict[str, JSON]) -> bool:
    match sought:
        case {"search": dict(search)}:
            return any(matches(text.text, search) for text in texts_in_scope(sources, source_type) or ())
    return any(call.name == sought["tool"] for call in _calls(sources))


def _ref(sources: Sources, types: tuple[str, ...], sought: dict[str, JSON]) -> Ref:
    formula = "count of calls of inputs.tool" if "tool" in sought else "count of matches of inputs.search"
    turn: Ref = {"turn_index": sources.scope[0]} if len(sources.scope) == 1 else {}
    enumerated: list[JSON] = [
        {"source_ref": place, "sha256": sha256}
        for source_type in types
        for place, sha256 in _enumerated(sources, source_type)
    ]
    return {
        "kind": "TYPED_ABSENCE",
        "source_type": types[0] if len(types) == 1 else "HARNESS_SIGNAL",
        "anchor": "computed",
        "source_ref": "/transcript",
        "source_sha256": sources.archive.sha256,
        **turn,
        "inputs": {**sought, "in": [*types], "turns": [*sources.scope], "sources": enumerated},
        "formula": f"{formula} in inputs.sources",
        "output": 0,
    }


def _enumerated(sources: Sources, source_type: str) -> Iterator[tuple[str, str]]:
    """Each source of a type in scope: where it stands and its hash."""
    if source_type == "AGENT_TOOL_CALL":
        for call in _calls(sources):
            yield call.pointer, hashed({"name": call.name, "arguments": call.arguments})
    elif source_type == "TOOL_RESULT":
        for call in _calls(sources):
            for member in ("result", "error"):
                if member in call.recorded:
                    yield f"{call.pointer}/{member}", hashed(call.recorded[member])
    else:
        for text in texts_in_scope(sources, source_type) or ():
            yield text.source_ref, digest(text.text)
