"""Projections: which part of a document a name's hash covers. Every projection is idempotent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.canonical import pyjson
from groundrules.errors import CanonicalError, Where
from groundrules.strictjson import pointer

if TYPE_CHECKING:
    from groundrules.strictjson import JSON

RECORD_MEMBERS = (
    "fairsharing_id",
    "doi",
    "name",
    "abbreviation",
    "record_type",
    "status",
    "description",
    "subjects",
    "domains",
)
"""The members of a record that ``json-sorted-utf8-v1`` covers (canon.record-members)."""

FACT_MEMBERS = (
    "source_id",
    "domain",
    "text",
    "citation",
    "citation_id",
    "published_date",
    "indexed_at",
    "authority",
)
"""The members of a knowledge-base fact that ``groundrules-fact-v1`` covers (canon.fact-members)."""


def whole(document: JSON) -> JSON:
    """The document itself, whatever its type (canon.whole-document)."""
    return document


def record(document: JSON) -> JSON:
    """Nine members, the missing ones null, every list as sorted label texts (canon.record-members, canon.label-order).

    Raises:
        CanonicalError: ``canon.not-an-object``, or ``canon.label-not-scalar`` for an object or array as a label.
    """
    members = _members(document)
    return {name: _labels(members.get(name), name) for name in RECORD_MEMBERS}


def fact(document: JSON) -> JSON:
    """Eight members, each present and a string (canon.fact-members).

    Raises:
        CanonicalError: ``canon.not-an-object``, or ``canon.fact-member`` for a member that is missing or no string.
    """
    members = _members(document)
    for name in FACT_MEMBERS:
        if not isinstance(members.get(name), str):
            state = "is not a string" if name in members else "is missing"
            raise CanonicalError(
                "canon.fact-member",
                f"the member {name} of a fact {state}",
                stage="project",
                where=Where(pointer=pointer([name])),
                remedy="give all eight members as strings",
            )
    return {name: members[name] for name in FACT_MEMBERS}


def _members(document: JSON) -> dict[str, JSON]:
    if isinstance(document, dict):
        return document
    raise CanonicalError(
        "canon.not-an-object",
        "this canonicalisation covers members of an object, and the document is not one",
        stage="project",
        where=Where(pointer=""),
        remedy="choose a name that covers whole documents",
    )


def _labels(value: JSON, member: str) -> JSON:
    if not isinstance(value, list):
        return value
    texts = [_label(label, member, index) for index, label in enumerate(value)]
    return sorted(texts)  # type: ignore[return-value]  # list is invariant; every element is a string


def _label(label: JSON, member: str, index: int) -> str:
    if isinstance(label, (dict, list)):
        raise CanonicalError(
            "canon.label-not-scalar",
            "a label is an object or an array, whose text no two interpreters need agree on",
            stage="project",
            where=Where(pointer=pointer([member, index])),
            remedy="use strings as labels",
        )
    return pyjson.scalar_text(label)
