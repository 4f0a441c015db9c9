"""An evaluation record as the rules read it: its refs, and the claims that cite them (witness.record)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.documents import departures
from groundrules.errors import SchemaError, Where
from groundrules.strictjson import pointer

if TYPE_CHECKING:
    from groundrules.strictjson import JSON


@dataclass(frozen=True, slots=True)
class Ref:
    """One piece of evidence.

    Attributes:
        index: its position in the record.
        id: its id.
        kind: a kind of the vocabulary.
        source_type: a source type of the vocabulary.
        anchor: how it was found where it stands.
        call: turn and call index, or None where one of them is not stated.
        stated_flag: what the producer says that it can prove, or None.
    """

    index: int
    id: str
    kind: str
    source_type: str
    anchor: str
    call: tuple[int, int] | None
    stated_flag: bool | None


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim, by the ids of what it cites for and against itself."""

    index: int
    id: str
    evidence: tuple[str, ...]
    counterevidence: tuple[str, ...]

    @property
    def cited(self) -> frozenset[str]:
        """All that it cites."""
        return frozenset((*self.evidence, *self.counterevidence))


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the log: a resolver that was asked for a claim, and what it established.

    Attributes:
        index: its position in the record.
        seq: its place in time.
        claim: the id of the claim.
        resolver: the id of the resolver.
        asked: the facts or relations that it was asked for.
        established: those that it established.
        open_before: those that were open when it was asked.
    """

    index: int
    seq: int
    claim: str
    resolver: str
    asked: tuple[str, ...]
    established: tuple[str, ...]
    open_before: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """An evaluation record; ``resolvers`` are those of each predicate, in their order."""

    refs: tuple[Ref, ...]
    claims: tuple[Claim, ...]
    resolvers: tuple[tuple[str, ...], ...]
    log: tuple[Entry, ...]


def read_record(document: JSON) -> Record:
    """The record that a document states.

    Args:
        document: of ``schemas/evaluation-record.json``.

    Raises:
        SchemaError: ``schema.evaluation-record``, at the first place that departs from the schema.
    """
    for path, detail in departures(document, "evaluation-record"):
        where = Where(pointer=pointer(path))
        remedy = "see schemas/evaluation-record.json"
        raise SchemaError("schema.evaluation-record", detail, where=where, remedy=remedy)
    assert isinstance(document, dict)  # noqa: S101 - by its schema
    return Record(
        tuple(_ref(index, entry) for index, entry in enumerate(_objects(document["refs"]))),
        tuple(_claim(index, entry) for index, entry in enumerate(_objects(document["claims"]))),
        tuple(_ids(entry["resolvers"]) for entry in _objects(document.get("predicates", []))),
        tuple(_entry(index, entry) for index, entry in enumerate(_objects(document.get("log", [])))),
    )


def _ref(index: int, entry: dict[str, JSON]) -> Ref:
    turn, call, stated = entry.get("turn_index"), entry.get("call_index"), entry.get("can_prove_agent_behaviour")
    return Ref(
        index,
        str(entry["id"]),
        str(entry["kind"]),
        str(entry["source_type"]),
        str(entry["anchor"]),
        (int(turn), int(call)) if isinstance(turn, int | float) and isinstance(call, int | float) else None,
        stated if isinstance(stated, bool) else None,
    )


def _claim(index: int, entry: dict[str, JSON]) -> Claim:
    return Claim(index, str(entry["id"]), _ids(entry["evidence"]), _ids(entry.get("counterevidence", [])))


def _entry(index: int, entry: dict[str, JSON]) -> Entry:
    seq = entry["seq"]
    assert isinstance(seq, int | float)  # noqa: S101 - by the schema
    asked, established, open_before = (_ids(entry[name]) for name in ("asked", "established", "open_before"))
    return Entry(index, int(seq), str(entry["claim"]), str(entry["resolver"]), asked, established, open_before)


def _objects(listed: JSON) -> list[dict[str, JSON]]:
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


def _ids(listed: JSON) -> tuple[str, ...]:
    return tuple(map(str, listed)) if isinstance(listed, list) else ()
