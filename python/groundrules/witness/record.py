"""An evaluation record as the rules read it: its refs, and the claims that cite them (witness.record)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.documents import departures
from groundrules.errors import SchemaError, Where
from groundrules.strictjson import pointer
from groundrules.witness.contract import read_predicate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.strictjson import JSON
    from groundrules.witness.contract import Predicate


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
        turn: turn index, or None.
        stated: the ref as data, all that it states.
    """

    index: int
    id: str
    kind: str
    source_type: str
    anchor: str
    call: tuple[int, int] | None
    stated_flag: bool | None
    turn: int | None
    stated: Mapping[str, JSON]


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim, by the ids of what it cites for and against itself.

    Attributes:
        predicate: id and version of its predicate.
        turns: the turns that it is about, each once.
        decided_by: ``deterministic``, ``semantic`` or ``human``, as declared.
        parameters: what else is recorded of it, as data.
        stated: the claim as data, all that it states.
    """

    index: int
    id: str
    evidence: tuple[str, ...]
    counterevidence: tuple[str, ...]
    predicate: tuple[str, str]
    state: str
    turns: frozenset[int]
    decided_by: str
    parameters: Mapping[str, JSON]
    stated: Mapping[str, JSON]

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
        evaluators: the ids of who was asked, where that is told.
    """

    index: int
    seq: int
    claim: str
    resolver: str
    asked: tuple[str, ...]
    established: tuple[str, ...]
    open_before: tuple[str, ...]
    evaluators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """An evaluation record.

    Attributes:
        refs: the pieces of evidence.
        claims: what is claimed.
        predicates: what the claims are instances of.
        log: which resolver was asked what.
        episodes: the turns of each declared episode.
        stated: the record as data, all that it states.
    """

    refs: tuple[Ref, ...]
    claims: tuple[Claim, ...]
    predicates: tuple[Predicate, ...]
    log: tuple[Entry, ...]
    episodes: tuple[frozenset[int], ...]
    stated: Mapping[str, JSON]

    def known_predicates(self) -> dict[tuple[str, str], Predicate]:
        """The predicates by id and version; of what is declared twice nothing is known."""
        counted = Counter((entry.id, entry.version) for entry in self.predicates)
        named = {(entry.id, entry.version): entry for entry in self.predicates}
        return {name: entry for name, entry in named.items() if counted[name] == 1}

    def known_refs(self) -> dict[str, Ref]:
        """The refs by id; of what is there twice nothing is known."""
        counted = Counter(ref.id for ref in self.refs)
        return {ref.id: ref for ref in self.refs if counted[ref.id] == 1}


def read_record(document: JSON | Record) -> Record:
    """The record that a document states.

    Args:
        document: of ``schemas/evaluation-record.json``; a record that was read is given back.

    Raises:
        SchemaError: ``schema.evaluation-record``, at the first place that departs from the schema.
    """
    if isinstance(document, Record):
        return document
    for path, detail in departures(document, "evaluation-record"):
        where = Where(pointer=pointer(path))
        remedy = "see schemas/evaluation-record.json"
        raise SchemaError("schema.evaluation-record", detail, where=where, remedy=remedy)
    assert isinstance(document, dict)  # noqa: S101 - by its schema
    return Record(
        tuple(_ref(index, entry) for index, entry in enumerate(objects(document["refs"]))),
        tuple(_claim(index, entry) for index, entry in enumerate(objects(document["claims"]))),
        tuple(map(read_predicate, objects(document.get("predicates", [])))),
        tuple(_entry(index, entry) for index, entry in enumerate(objects(document.get("log", [])))),
        tuple(_turns(entry["turns"]) for entry in objects(document.get("episodes", []))),
        document,
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
        int(turn) if isinstance(turn, int | float) else None,
        entry,
    )


def _claim(index: int, entry: dict[str, JSON]) -> Claim:
    parameters = entry.get("parameters", {})
    return Claim(
        index,
        str(entry["id"]),
        ids(entry["evidence"]),
        ids(entry.get("counterevidence", [])),
        (str(entry["predicate"]), str(entry["predicate_version"])),
        str(entry["state"]),
        _turns(entry["turn_indices"]),
        str(entry["decided_by"]),
        parameters if isinstance(parameters, dict) else {},
        entry,
    )


def _entry(index: int, entry: dict[str, JSON]) -> Entry:
    seq = entry["seq"]
    assert isinstance(seq, int | float)  # noqa: S101 - by the schema
    asked, established, open_before = (ids(entry[name]) for name in ("asked", "established", "open_before"))
    evaluators = ids(entry.get("evaluators", []))
    claim, resolver = str(entry["claim"]), str(entry["resolver"])
    return Entry(index, int(seq), claim, resolver, asked, established, open_before, evaluators)


def objects(listed: JSON) -> list[dict[str, JSON]]:
    """The objects of a list of a record, or none where there is none."""
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


def _turns(listed: JSON) -> frozenset[int]:
    return (
        frozenset(int(turn) for turn in listed if isinstance(turn, int | float))
        if isinstance(listed, list)
        else frozenset()
    )


def ids(listed: JSON) -> tuple[str, ...]:
    """The ids of a list of a record, or none where there is none."""
    return tuple(map(str, listed)) if isinstance(listed, list) else ()
