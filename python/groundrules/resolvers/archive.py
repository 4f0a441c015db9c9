"""The transcript archive: what was said and done in a run, read once and held to its schema (resolve.archive)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from groundrules.canonical import content_hash
from groundrules.canonical.domain import LARGEST_SAFE, survey
from groundrules.documents import departures
from groundrules.errors import CanonicalError, SchemaError, Where
from groundrules.strictjson import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundrules.strictjson import JSON

CANONICALISATION = "jcs-document-v1"
"""The name under which transcripts, arguments and results are hashed."""

_OWN_NUMBERS = frozenset({"arguments", "result", "side_effects"})
"""The members of a call whose numbers are the tool's own."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool.

    Attributes:
        turn: index of its turn.
        index: its index among the calls of the turn.
        name: the tool's name.
        arguments: what the agent passed.
        recorded: those of ``result``, ``status``, ``error`` and ``side_effects`` that were recorded.
    """

    turn: int
    index: int
    name: str
    arguments: JSON
    recorded: Mapping[str, JSON]

    @property
    def pointer(self) -> str:
        """Where the call stands in the archive."""
        return f"/transcript/{self.turn}/tools_called/{self.index}"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A text that the agent was shown, and what the harness calls its source."""

    text: str
    source_ref: str | None


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn; a member is None where it was not recorded."""

    index: int
    question: str | None
    answer: str | None
    calls: tuple[Call, ...] | None
    retrievals: tuple[Retrieval, ...] | None


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the harness counted: turns, calls in each turn, and the transcript's content hash."""

    turns: int
    calls: tuple[int, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive, checked.

    Attributes:
        document: the archive as data.
        turns: the transcript.
        sha256: the transcript's content hash, computed.
        manifest: what the harness counted, or None.
        episodes: the turns of each episode by its id, in the order of the archive.
    """

    document: Mapping[str, JSON]
    turns: tuple[Turn, ...]
    sha256: str
    manifest: Manifest | None
    episodes: tuple[tuple[str, tuple[int, ...]], ...]

    def listed(self, member: str) -> list[dict[str, JSON]] | None:
        """The objects of ``policies``, ``ledger``, ``scenarios`` or ``labels``; None where none were recorded."""
        return objects(self.document[member]) if member in self.document else None

    def tool(self, name: str) -> JSON:
        """The JSON Schema of a tool's arguments, or None where the archive has none."""
        match self.document:
            case {"tools": dict(tools)}:
                return tools.get(name)
        return None


def read_archive(document: JSON) -> Archive:
    """The archive that a document states.

    Args:
        document: of ``schemas/archive.json``.

    Raises:
        SchemaError: ``schema.archive``, at the first place that is no JSON, departs from the schema, holds a binary
            fraction or a whole number beyond 2^53 - 1 where a decimal belongs, or leads outside the archive.
    """
    try:
        survey(document)
    except CanonicalError as error:
        _refuse(error.detail, error.where.pointer or "")
    for path, detail in departures(document, "archive"):
        _refuse(detail, pointer(path))
    assert isinstance(document, dict)  # noqa: S101 - by its schema
    for place, detail in (*_numbers(document), *_strays(document), *_doubles(document)):
        _refuse(detail, pointer(place))
    turns = tuple(_turn(index, turn) for index, turn in enumerate(objects(document["transcript"])))
    try:
        sha256 = content_hash(document["transcript"], CANONICALISATION)
    except CanonicalError as error:
        _refuse(error.detail, f"/transcript{error.where.pointer}")
    everything = ("transcript", tuple(range(len(turns))))
    episodes = tuple((str(entry["id"]), whole(entry["turns"])) for entry in objects(document.get("episodes", [])))
    return Archive(document, turns, sha256, _manifest(document), episodes or (everything,))


def objects(listed: JSON) -> list[dict[str, JSON]]:
    """The objects of a list that a schema admitted."""
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


def whole(listed: JSON) -> tuple[int, ...]:
    """The whole numbers of a list that a schema admitted."""
    return tuple(int(entry) for entry in listed if isinstance(entry, int | float)) if isinstance(listed, list) else ()


def _turn(index: int, turn: dict[str, JSON]) -> Turn:
    question, answer = turn.get("question"), turn.get("answer")
    calls = tuple(_call(index, position, call) for position, call in enumerate(objects(turn.get("tools_called"))))
    retrievals = tuple(
        Retrieval(str(entry["text"]), str(entry["source_ref"]) if "source_ref" in entry else None)
        for entry in objects(turn.get("retrievals"))
    )
    return Turn(
        index,
        question if isinstance(question, str) else None,
        answer if isinstance(answer, str) else None,
        calls if "tools_called" in turn else None,
        retrievals if "retrievals" in turn else None,
    )


def _call(turn: int, index: int, call: dict[str, JSON]) -> Call:
    recorded = {name: value for name, value in call.items() if name not in ("name", "arguments")}
    return Call(turn, index, str(call["name"]), call["arguments"], recorded)


def _manifest(document: dict[str, JSON]) -> Manifest | None:
    match document.get("manifest"):
        case {"turns": int(turns), "calls": [*calls], "sha256": str(sha256)}:
            return Manifest(turns, whole(calls), sha256)
    return None


def _numbers(document: dict[str, JSON]) -> Iterator[tuple[list[str | int], str]]:
    """Each number that no decimal may be, outside of what belongs to a tool."""
    pending: list[tuple[JSON, list[str | int]]] = [
        (value, [name]) for name, value in reversed(document.items()) if name != "tools"
    ]
    while pending:
        value, path = pending.pop()
        match value:
            case float():
                yield path, "it is a binary fraction; write a decimal as a string"
            case bool():
                pass
            case int() if abs(value) > LARGEST_SAFE:
                yield path, "it is beyond 2^53 - 1; write it as a string"
            case dict():
                own = _OWN_NUMBERS if len(path) == 4 and path[2] == "tools_called" else frozenset()  # noqa: PLR2004
                kept = [(inner, [*path, name]) for name, inner in value.items() if name not in own]
                pending.extend(reversed(kept))
            case list():
                pending.extend((inner, [*path, index]) for index, inner in reversed([*enumerate(value)]))


def _strays(document: dict[str, JSON]) -> Iterator[tuple[list[str | int], str]]:
    """Each place that leads outside the archive."""
    turns = len(objects(document["transcript"]))
    for index, episode in enumerate(objects(document.get("episodes"))):
        if max(whole(episode["turns"])) >= turns:
            yield ["episodes", index, "turns"], "it names a turn that is not there"
    for index, entry in enumerate(objects(document.get("ledger"))):
        if whole([entry["turn_index"]])[0] >= turns:
            yield ["ledger", index, "turn_index"], "it names a turn that is not there"
    for index, policy in enumerate(objects(document.get("policies"))):
        for position, rule in enumerate(objects(policy["rules"])):
            start, end = whole([rule["char_start"], rule["char_end"]])
            if not start < end <= len(str(policy["text"])):
                yield ["policies", index, "rules", position, "char_end"], "it marks no part of the policy's text"


def _doubles(document: dict[str, JSON]) -> Iterator[tuple[list[str | int], str]]:
    """Each id that stands twice."""
    for member in ("episodes", "policies", "scenarios"):
        seen: set[JSON] = set()
        for index, entry in enumerate(objects(document.get(member))):
            if entry["id"] in seen:
                yield [member, index, "id"], "it stands twice"
            seen.add(entry["id"])


def _refuse(detail: str, at: str) -> NoReturn:
    raise SchemaError("schema.archive", detail, where=Where(pointer=at), remedy="see schemas/archive.json")
