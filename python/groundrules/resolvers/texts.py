"""The addressable texts of an archive: every one of a type of source, with where it stands (resolve.texts)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groundrules.canonical import content_hash
from groundrules.canonical.jcs import number_text
from groundrules.resolvers.archive import CANONICALISATION
from groundrules.strictjson import pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from groundrules.resolvers.archive import Archive, Call, Turn
    from groundrules.resolvers.base import Ref
    from groundrules.strictjson import JSON

SPAN_KINDS = {
    "AGENT_ANSWER": "AGENT_SPAN",
    "USER_INPUT": "USER_INPUT",
    "RETRIEVAL": "RETRIEVAL",
    "POLICY_SOURCE": "POLICY_SPAN",
    "AGENT_TOOL_CALL": "TOOL_RECEIPT",
    "TOOL_RESULT": "TOOL_RECEIPT",
}
"""The kind of evidence that a span of each type of source is."""

_LONGEST_NAME = 2000


@dataclass(frozen=True, slots=True)
class Text:
    """One text, in full.

    Attributes:
        source_type: where it comes from.
        source_ref: its JSON Pointer in the archive, or the content hash of a policy.
        text: the text itself; for a number in a call its canonical notation, for a member's name the name.
        turn: index of its turn, or None for a policy.
        call: the call that it is part of, or None.
        inputs: what else names it.
    """

    source_type: str
    source_ref: str
    text: str
    turn: int | None = None
    call: Call | None = None
    inputs: Mapping[str, JSON] = field(default_factory=dict)


def texts_of(turn: Turn, source_type: str) -> tuple[Text, ...] | None:
    """The texts of one turn and type of source, in the order of the archive.

    Args:
        turn: a turn of an archive.
        source_type: one of :data:`SPAN_KINDS`, policies apart.

    Returns:
        None where some of them were not recorded.
    """
    match source_type:
        case "AGENT_ANSWER":
            return _said(turn, "answer", source_type, turn.answer)
        case "USER_INPUT":
            return _said(turn, "question", source_type, turn.question)
        case "RETRIEVAL":
            return None if turn.retrievals is None else tuple(_retrieved(turn))
    if turn.calls is None:
        return None
    member = "arguments" if source_type == "AGENT_TOOL_CALL" else "result"
    found: list[Text] = []
    for call in turn.calls:
        if member == "result" and not _came_back(call):
            return None
        value = archive_value(call, member)
        found.extend(
            Text(source_type, _place(call, member, path), text, turn.index, call, {"part": part})
            for path, part, text in _leaves(value)
        )
        error = call.recorded.get("error")
        if member == "result" and isinstance(error, str):
            found.append(Text(source_type, f"{call.pointer}/error", error, turn.index, call, {"part": "value"}))
    return tuple(found)


def _came_back(call: Call) -> bool:
    """Whether what came back was recorded: an error where the call says that it failed, else a result or an error."""
    has_error = call.recorded.get("error") is not None
    return has_error or ("result" in call.recorded and call.recorded.get("status", "ok") == "ok")


def policy_texts(archive: Archive) -> tuple[Text, ...] | None:
    """The texts of the policies; None where there are none, or where one is not the text that its hash names."""
    policies = archive.listed("policies")
    if policies is None or not all(map(is_own_text, policies)):
        return None
    return tuple(
        Text("POLICY_SOURCE", f"sha256:{entry['sha256']}", str(entry["text"]), None, None, {"policy": entry["id"]})
        for entry in policies
    )


def is_own_text(policy: dict[str, JSON]) -> bool:
    """Whether a policy's text hashes to what the policy says."""
    return digest(str(policy["text"])) == policy["sha256"]


def archive_value(call: Call, member: str) -> JSON:
    """The arguments or the result of a call; null where there is no result."""
    return call.arguments if member == "arguments" else call.recorded.get("result")


def digest(text: str) -> str:
    """SHA-256 of a text in UTF-8, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def hashed(value: JSON) -> str:
    """The content hash of a value of the archive."""
    return content_hash(value, CANONICALISATION)


def receipt(call: Call, source_type: str, told: Mapping[str, JSON], at: str = "") -> Ref:
    """A ref to a call or to what came back of it: by hash and pointer, never by a copy (resolve.receipts).

    Args:
        call: the call.
        source_type: ``AGENT_TOOL_CALL`` or ``TOOL_RESULT``.
        told: what else the receipt says.
        at: JSON Pointer, below the call, of what the receipt is of.
    """
    result = {"result_sha256": hashed(call.recorded["result"])} if "result" in call.recorded else {}
    status = {"status": call.recorded["status"]} if "status" in call.recorded else {}
    return {
        "kind": "TOOL_RECEIPT",
        "source_type": source_type,
        "anchor": "receipt",
        "source_ref": call.pointer + at,
        "turn_index": call.turn,
        "call_index": call.index,
        "inputs": {
            "tool": call.name,
            "arguments_pointer": f"{call.pointer}/arguments",
            "arguments_sha256": hashed(call.arguments),
        },
        "output": {**status, **result, **told},
    }


def _place(call: Call, member: str, path: tuple[str | int, ...]) -> str:
    """The pointer of a text in a call; the hash of a pointer that is too long for a name."""
    place = f"{call.pointer}/{member}{pointer(path)}"
    return place if len(place) <= _LONGEST_NAME else f"{call.pointer}/{member}#sha256:{digest(place)}"


def _said(turn: Turn, member: str, source_type: str, text: str | None) -> tuple[Text, ...] | None:
    place = f"/transcript/{turn.index}/{member}"
    return None if text is None else (Text(source_type, place, text, turn.index),)


def _retrieved(turn: Turn) -> Iterator[Text]:
    for index, entry in enumerate(turn.retrievals or ()):
        place = f"/transcript/{turn.index}/retrievals/{index}"
        named = {} if entry.source_ref is None else {"retrieved": entry.source_ref}
        yield Text("RETRIEVAL", place, entry.text, turn.index, None, named)


def _leaves(value: JSON) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Every text in a value in document order: its path, whether it is a value or a member's name, and the text."""
    pending: list[tuple[tuple[str | int, ...], str, JSON]] = [((), "value", value)]
    while pending:
        path, part, inner = pending.pop()
        match inner:
            case str():
                yield path, part, inner
            case bool() | None:
                pass
            case int():
                yield path, part, str(inner)
            case float():
                yield path, part, number_text(inner)
            case list():
                pending.extend(((*path, index), "value", item) for index, item in reversed([*enumerate(inner)]))
            case _:
                pending.extend(reversed([*_members(path, inner.items())]))


def _members(
    path: tuple[str | int, ...], members: Iterable[tuple[str, JSON]]
) -> Iterator[tuple[tuple[str | int, ...], str, JSON]]:
    for name, item in members:
        yield (*path, name), "name", name
        yield (*path, name), "value", item
