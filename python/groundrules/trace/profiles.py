"""Span profiles: which spans are roots, retrievals and model calls, as data (trace.profile)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from groundrules.documents import kit, read_kit_json
from groundrules.errors import UsageError, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.trace.spans import SpanRecord

OWNED_ATTRIBUTES = frozenset(
    {
        "dd.grounding_mode",
        "dd.input_hash",
        "dd.outcome",
        "dd.input_canonicalisation",
        "dd.invocation_id",
        "dd.agent_id",
        "dd.agent_version",
        "dd.span_profile",
        "dd.clock_skew_us",
    }
)
"""What the conductor alone may write, and on the root alone (trace.owned)."""

PROFILES = ("dd", "genai")
"""The known profiles; the first is the default."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One profile.

    Attributes:
        id: its name.
        convention: the published convention it follows, with its version, or None for our own.
        operation_attribute: the attribute that names a span's operation, or None: the span's name does.
        root_names: names that make a span a root.
        root_by_attributes: a span with any conductor-owned attribute is a root.
        retrieval: operations that are retrievals.
        model_call: operations that are model calls.
        embedding: operations that are model calls for N1 and not for G1.
    """

    id: str
    convention: str | None
    operation_attribute: str | None
    root_names: frozenset[str]
    root_by_attributes: bool
    retrieval: frozenset[str]
    model_call: frozenset[str]
    embedding: frozenset[str]

    def operation(self, span: SpanRecord) -> str:
        """The operation of a span under this profile."""
        if self.operation_attribute is None:
            return span.name
        stated = span.attributes.get(self.operation_attribute)
        return stated if isinstance(stated, str) else span.name.partition(" ")[0]

    def is_root(self, span: SpanRecord) -> bool:
        """Whether a span is a root under this profile."""
        if self.root_by_attributes:
            return not OWNED_ATTRIBUTES.isdisjoint(span.attributes)
        return span.name in self.root_names


def profile_named(name: str) -> Profile:
    """A profile by its name.

    Raises:
        UsageError: ``usage.unknown-profile``.
    """
    if name not in PROFILES:
        raise UsageError(
            "usage.unknown-profile",
            f"{show(name)} is not a span profile",
            remedy=f"use one of {', '.join(PROFILES)}",
        )
    return _profiles()[name]


def profile_of(spans: list[SpanRecord]) -> Profile:
    """The profile that a trace asks for: that of the first span that names one; ``dd`` where it names none known."""
    for span in spans:
        if "dd.span_profile" in span.attributes:
            name = span.attributes["dd.span_profile"]
            return _profiles()[name if isinstance(name, str) and name in PROFILES else PROFILES[0]]
    return _profiles()[PROFILES[0]]


@functools.cache
def _profiles() -> Mapping[str, Profile]:
    return MappingProxyType({name: _read(name) for name in PROFILES})


def _read(name: str) -> Profile:
    data: Any = read_kit_json(kit().profiles / f"{name}.json")
    return Profile(
        id=data["id"],
        convention=data["convention"],
        operation_attribute=data["operation_attribute"],
        root_names=frozenset(data["roots"]["names"]),
        root_by_attributes=data["roots"]["owned_attributes"],
        retrieval=frozenset(data["retrieval"]),
        model_call=frozenset(data["model_call"]),
        embedding=frozenset(data["embedding"]),
    )
