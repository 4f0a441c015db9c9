"""Sets of vectors: what a claim of a version rests on, frozen; and the smoke set (conformance.sets)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.documents import read_kit_json, validate
from groundrules.errors import KitError, UsageError, Where, show

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from groundrules.conformance.vectors import Corpus
    from groundrules.strictjson import JSON

FOLDER = "sets"
"""The folder of sets in the folder of families."""


@dataclass(frozen=True, slots=True)
class VectorSet:
    """One set.

    Attributes:
        name: a version such as ``1.0``, or a word.
        is_released: a released set never changes.
        vectors: SHA-256 of the ``vector.json`` by id.
    """

    name: str
    is_released: bool
    vectors: dict[str, str]


def read_sets(root: Path) -> list[VectorSet]:
    """Every set of a folder of families, sorted by name.

    Raises:
        KitError: ``kit.unreadable``: one of them is not of its schema, or under another name than its own.
    """
    return [_read(path) for path in sorted((root / FOLDER).glob("*.json"))]


def named_set(root: Path, name: str) -> VectorSet:
    """The set of a name.

    Raises:
        UsageError: ``usage.unknown-set``.
        KitError: ``kit.unreadable``.
    """
    sets = read_sets(root)
    for found in sets:
        if found.name == name:
            return found
    known = ", ".join(found.name for found in sets)
    remedy = f"use one of {known}" if known else "name a folder that has sets"
    raise UsageError("usage.unknown-set", f"there is no set {show(name)}", remedy=remedy)


def _read(path: Path) -> VectorSet:
    document = read_kit_json(path)
    for finding in validate(document, "vector-set"):
        raise KitError("kit.unreadable", finding.detail, where=Where(file=str(path), pointer=finding.pointer))
    match document:
        case {"name": name, "status": status, "vectors": [*entries]} if name == path.stem:
            pins = {str(entry["id"]): str(entry["sha256"]) for entry in entries if isinstance(entry, dict)}
            return VectorSet(str(name), status == "released", pins)
    raise KitError("kit.unreadable", "the set has another name than its file", where=Where(file=str(path)))


def refreshed(found: VectorSet, corpus: Corpus) -> JSON:
    """A draft set as it is to be: a version's holds every vector up to it, others keep their ids; none is withdrawn."""
    wanted = [
        vector
        for vector in corpus.vectors
        if vector.status != "withdrawn"
        and (_version(vector.since) <= _version(found.name) if found.name[0].isdigit() else vector.id in found.vectors)
    ]
    return {
        "format": "vector-set/1",
        "name": found.name,
        "status": "draft",
        "vectors": [{"id": vector.id, "sha256": vector.sha256} for vector in wanted],
    }


def departures(root: Path, corpus: Corpus) -> Iterator[tuple[str, str]]:
    """What is wrong with the sets of a corpus: the set, and one clause."""
    now = {vector.id: vector for vector in corpus.vectors}
    for found in read_sets(root):
        for id_, sha256 in found.vectors.items():
            vector = now.get(id_)
            if vector is None:
                yield f"set {found.name}", f"it names {id_}, which is not there"
            elif vector.sha256 != sha256 and not (found.is_released and vector.status == "withdrawn"):
                yield f"set {found.name}", f"its {id_} is not the vector that is there: run groundrules vectors seal"


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))
