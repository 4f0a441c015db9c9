"""Reading the vectors: one folder, one ``vector.json``, the payload files beside it."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groundrules import strictjson
from groundrules.documents import kit, validate
from groundrules.errors import GroundrulesError, KitError, Where, bare
from groundrules.files import read_bytes
from groundrules.strictjson import LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from groundrules.strictjson import JSON

_LARGEST_PAYLOAD = 2 * LIMITS.document
FILE = "vector.json"
"""The name of the file that makes a folder a vector."""


@dataclass(frozen=True, slots=True)
class Vector:
    """One test vector; the members are those of ``schemas/vector.json``.

    Attributes:
        folder: where it stands.
        sha256: of the octets of its ``vector.json``, which pins its payload files in turn.
        inputs: the named values as octets.
        files: the names of the payload files.
        expect: what a conforming implementation answers.
        stages: what every stage yields, as base64 text by name; empty where none is given.
        twin: the id of the positive vector that differs in one thing, or None.
        features: optional features that an implementation needs for it.
    """

    id: str
    folder: Path
    sha256: str
    title: str
    why: str
    requires: tuple[str, ...]
    kind: str
    inputs: Mapping[str, bytes] = field(repr=False)
    files: tuple[str, ...] = field(repr=False)
    expect: Mapping[str, JSON] = field(repr=False)
    stages: Mapping[str, JSON] = field(repr=False)
    status: str
    since: str
    twin: str | None
    features: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """The first part of the id."""
        return self.id.partition(".")[0]

    @property
    def is_negative(self) -> bool:
        """The vector expects a failure."""
        return self.expect["verdict"] == "fail"

    @property
    def line(self) -> str:
        """What the corpus digest covers of this vector (conformance.manifest)."""
        return f"{self.id} {self.sha256} {self.status} {self.since}\n"


@dataclass(frozen=True, slots=True)
class Corpus:
    """The vectors of a folder, sorted by id, and what is wrong with those that could not be read."""

    vectors: tuple[Vector, ...]
    damaged: tuple[KitError, ...]

    @property
    def digest(self) -> str:
        """SHA-256 over the lines of all vectors (conformance.manifest)."""
        return hashlib.sha256("".join(vector.line for vector in self.vectors).encode()).hexdigest()


def load(root: Path | None = None) -> Corpus:
    """Read every vector below a folder. A damaged one is reported and the others are read.

    Args:
        root: the folder of families; the kit's own where None.
    """
    root = root or kit().vectors
    vectors, damaged = [], []
    for folder in folders(root):
        try:
            vectors.append(read_vector(folder, id_of(folder, root)))
        except GroundrulesError as error:
            damaged.append(damage(folder, error))
    vectors.sort(key=lambda vector: vector.id)
    return Corpus(tuple(vectors), tuple(damaged))


def damage(folder: Path, error: GroundrulesError) -> KitError:
    """What a refusal of one of its files means for a vector."""
    return KitError("kit.vector", error.detail, where=Where(file=str(folder), pointer=error.where.pointer))


def id_of(folder: Path, root: Path) -> str:
    """The id that a folder's path makes.

    Raises:
        KitError: ``kit.vector``: a part of the path holds a dot, which would make two paths of one id.
    """
    parts = folder.relative_to(root).parts
    if any("." in part for part in parts):
        raise KitError("kit.vector", "a part of its path holds a dot", remedy="rename the folder")
    return ".".join(parts)


def folders(root: Path) -> Iterator[Path]:
    """Every folder below ``root`` that holds a vector, in a fixed order."""
    return (path.parent for path in sorted(root.rglob(FILE)))


def read_vector(folder: Path, expected_id: str) -> Vector:
    """Read one vector and its payload files.

    Raises:
        GroundrulesError: strict reading, the schema or a payload's digest refuses it, or its id is not its path.
    """
    octets = read_bytes(str(folder / FILE))
    document = strictjson.loads(octets)
    for finding in validate(document, "vector"):
        raise KitError("kit.vector", finding.detail, where=Where(pointer=finding.pointer))
    assert isinstance(document, dict)  # noqa: S101 - the schema has just said so
    if document["id"] != expected_id:
        raise KitError(
            "kit.vector", f"its path makes its id {bare(expected_id)}, and it says another", where=Where(pointer="/id")
        )
    return _vector(document, folder, hashlib.sha256(octets).hexdigest())


def _vector(document: dict[str, JSON], folder: Path, sha256: str) -> Vector:
    match document:
        case {
            "id": str(id_),
            "title": str(title),
            "why": str(why),
            "requires": [*requires],
            "kind": str(kind),
            "input": dict(inputs),
            "expect": dict(expect),
            "status": str(status),
            "since": str(since),
            **rest,
        }:
            stages, twin, features = rest.get("stages", {}), rest.get("twin"), rest.get("features", [])
            return Vector(
                id=id_,
                folder=folder,
                sha256=sha256,
                title=title,
                why=why,
                requires=tuple(map(str, requires)),
                kind=kind,
                inputs={name: _octets(value, folder, f"/input/{name}") for name, value in inputs.items()},
                files=tuple(file_names(inputs)),
                expect=expect,
                stages=stages if isinstance(stages, dict) else {},
                status=status,
                since=since,
                twin=twin if isinstance(twin, str) else None,
                features=tuple(map(str, features)) if isinstance(features, list) else (),
            )
    raise AssertionError(id)  # pragma: no cover - the schema makes every document match


def file_names(inputs: dict[str, JSON]) -> Iterator[str]:
    """The names of the files that the ``input`` member of a vector refers to."""
    for value in inputs.values():
        if isinstance(value, dict) and "file" in value:
            yield str(value["file"])


def payload(folder: Path, name: str) -> bytes:
    """The octets of a payload file of a vector.

    Raises:
        KitError: ``kit.vector``: it is the vector itself, a link, or larger than any input may be.
        UsageError: it cannot be read.
    """
    path = folder / name
    if name == FILE or path.is_symlink():
        raise KitError("kit.vector", f"the file {name} is no payload: it is the vector itself, or a link")
    octets = read_bytes(str(path), limit=_LARGEST_PAYLOAD)
    if len(octets) > _LARGEST_PAYLOAD:
        raise KitError("kit.vector", f"the file {name} has more than {_LARGEST_PAYLOAD} bytes")
    return octets


def _octets(value: JSON, folder: Path, at: str) -> bytes:
    match value:
        case {"b64": str(text)}:
            return base64.b64decode(text)
        case {"text": str(text)}:
            return text.encode()
        case {"file": str(name), "sha256": str(sha256)}:
            octets = payload(folder, name)
            if hashlib.sha256(octets).hexdigest() != sha256:
                raise KitError("kit.vector", f"the file {name} is not the one pinned", where=Where(pointer=at))
            return octets
    raise AssertionError(at)  # pragma: no cover - the schema allows no other form
