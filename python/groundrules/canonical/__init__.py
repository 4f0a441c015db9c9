"""Canonical octets and the content hash over them (chapter *Canonical JSON*)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.canonical import jcs, pyjson
from groundrules.canonical.domain import survey
from groundrules.canonical.names import CANONICALISATIONS, Canonicalisation, Covers, Form, named
from groundrules.errors import CanonicalError

if TYPE_CHECKING:
    from groundrules.strictjson import JSON

__all__ = [
    "CANONICALISATIONS",
    "Canonicalisation",
    "Covers",
    "Form",
    "Stages",
    "canonicalise",
    "content_hash",
    "named",
    "project",
    "stages",
]


@dataclass(frozen=True, slots=True)
class Stages:
    """Every step from a value to its hash, so that two implementations can see where they part.

    Attributes:
        parsed: the value as read, in pyjson octets.
        projected: its projection, in pyjson octets.
        canonical: the canonical octets.
        digest: their SHA-256, 64 lower-case hex digits.
    """

    parsed: bytes
    projected: bytes
    canonical: bytes
    digest: str


def project(document: JSON, name: str) -> JSON:
    """The part of a document that a name's hash covers.

    Args:
        document: a JSON value as strict reading yields it.
        name: a registered canonicalisation.

    Returns:
        The projection; projecting it again changes nothing (canon.idempotent). The document is never altered.

    Raises:
        UnknownNameError: the name is not registered.
        CanonicalError: the document is no JSON value or lies outside the name's domain.
    """
    entry = named(name)
    survey(document)
    return entry.project(document)


def canonicalise(document: JSON, name: str) -> bytes:
    """The canonical octets of a document under a name: its projection, written in the name's form.

    Args:
        document: a JSON value as strict reading yields it; nothing is coerced.
        name: a registered canonicalisation.

    Raises:
        UnknownNameError: the name is not registered.
        CanonicalError: the document is no JSON value or lies outside the name's domain.
    """
    entry = named(name)
    found = survey(document)
    projected = entry.project(document)
    try:
        if entry.form is Form.PYJSON:
            return pyjson.encode(projected)
        return jcs.encode(projected, found)
    except RecursionError:
        raise CanonicalError(
            "canon.out-of-stack",
            "the caller left too little of the call stack to write the document",
            stage="canonicalise",
            remedy="call from a shallower place, or raise sys.setrecursionlimit",
        ) from None


def content_hash(document: JSON, name: str) -> str:
    """The SHA-256 of the canonical octets, 64 lower-case hex digits (canon.digest). Raises as canonicalise does."""
    return hashlib.sha256(canonicalise(document, name)).hexdigest()


def stages(document: JSON, name: str) -> Stages:
    """Every stage of a document's canonicalisation. Raises as canonicalise does."""
    canonical = canonicalise(document, name)
    return Stages(
        parsed=pyjson.encode(document),
        projected=pyjson.encode(named(name).project(document)),
        canonical=canonical,
        digest=hashlib.sha256(canonical).hexdigest(),
    )
