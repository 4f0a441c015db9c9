"""The vocabulary of evidence, ``spec/evidence/vocabulary.json``, which the rules execute (witness.vocabulary)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.documents import kit, read_kit_json, validate
from groundrules.errors import KitError, Where

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of evidence; the members are those of ``schemas/evidence-vocabulary.json``."""

    id: str
    can_prove_agent_behaviour: bool
    required_fields: tuple[str, ...]
    compatible_source_types: frozenset[str]


@dataclass(frozen=True, slots=True)
class SourceType:
    """One type of source, likewise."""

    id: str
    may_witness: bool
    witness_requires: str | None


@dataclass(frozen=True, slots=True)
class Resolver:
    """One resolver, likewise; resolvers of a lower order class come first."""

    id: str
    kind: str
    order_class: int


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Kinds, source types and resolvers by id, and the anchors that witness."""

    kinds: Mapping[str, Kind]
    source_types: Mapping[str, SourceType]
    witnessing_anchors: frozenset[str]
    resolvers: Mapping[str, Resolver]


@functools.cache
def vocabulary() -> Vocabulary:
    """The vocabulary of this kit.

    Raises:
        KitError: ``kit.unreadable``: it is missing or not of its schema.
    """
    path = kit().vocabulary
    document = read_kit_json(path)
    for finding in validate(document, "evidence-vocabulary"):
        raise KitError("kit.unreadable", finding.detail, where=Where(file=str(path), pointer=finding.pointer))
    match document:
        case {
            "kinds": [*kinds],
            "source_types": [*source_types],
            "witnessing_anchors": [*anchors],
            "resolvers": [*resolvers],
        }:
            return Vocabulary(
                {kind.id: kind for kind in map(_kind, kinds)},  # type: ignore[arg-type]  # by the schema
                {entry.id: entry for entry in map(_source_type, source_types)},  # type: ignore[arg-type]
                frozenset(map(str, anchors)),
                {entry.id: entry for entry in map(_resolver, resolvers)},  # type: ignore[arg-type]
            )
    raise AssertionError(path)  # pragma: no cover - by the schema


def _kind(entry: dict[str, object]) -> Kind:
    fields, types = entry["required_fields"], entry["compatible_source_types"]
    assert isinstance(fields, list) and isinstance(types, list)  # noqa: S101, PT018 - by the schema
    return Kind(str(entry["id"]), entry["can_prove_agent_behaviour"] is True, tuple(fields), frozenset(types))


def _source_type(entry: dict[str, object]) -> SourceType:
    requires = entry.get("witness_requires")
    return SourceType(str(entry["id"]), entry["may_witness"] is True, None if requires is None else str(requires))


def _resolver(entry: dict[str, object]) -> Resolver:
    return Resolver(str(entry["id"]), str(entry["kind"]), int(str(entry["order_class"])))
