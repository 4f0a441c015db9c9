"""The registry of canonicalisations. A name never changes its bytes; a change is a new name; old names stay."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from groundrules.canonical import projections
from groundrules.errors import UnknownNameError, show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from groundrules.strictjson import JSON


class Form(StrEnum):
    """How projected documents are written as octets."""

    PYJSON = "pyjson"
    JCS_SAFE = "jcs-safe"


class Covers(StrEnum):
    """What kind of document a name is for. Evidence content may be any JSON value under an input name only."""

    RECORD = "record"
    INPUT = "input"
    DOCUMENT = "document"
    ENVELOPE = "envelope"
    FACT = "fact"


@dataclass(frozen=True, slots=True)
class Canonicalisation:
    """One registered name.

    Attributes:
        name: the permanent name.
        covers: the kind of document it is for.
        form: how its octets are written.
        project: the projection; idempotent.
        members: the members it keeps, or None where it covers the whole document.
    """

    name: str
    covers: Covers
    form: Form
    project: Callable[[JSON], JSON]
    members: tuple[str, ...] | None = None


def _whole(name: str, covers: Covers, form: Form) -> Canonicalisation:
    return Canonicalisation(name, covers, form, projections.whole)


CANONICALISATIONS: Mapping[str, Canonicalisation] = MappingProxyType(
    {
        entry.name: entry
        for entry in (
            Canonicalisation(
                "json-sorted-utf8-v1",
                Covers.RECORD,
                Form.PYJSON,
                projections.record,
                projections.RECORD_MEMBERS,
            ),
            _whole("dd-input-json-v1", Covers.INPUT, Form.PYJSON),
            _whole("dd-json-document-v1", Covers.DOCUMENT, Form.PYJSON),
            _whole("dd-envelope-json-v1", Covers.ENVELOPE, Form.PYJSON),
            _whole("jcs-input-v1", Covers.INPUT, Form.JCS_SAFE),
            _whole("jcs-document-v1", Covers.DOCUMENT, Form.JCS_SAFE),
            _whole("jcs-envelope-v1", Covers.ENVELOPE, Form.JCS_SAFE),
            Canonicalisation(
                "groundrules-fact-v1",
                Covers.FACT,
                Form.JCS_SAFE,
                projections.fact,
                projections.FACT_MEMBERS,
            ),
        )
    }
)
"""Every registered canonicalisation by name, read-only."""


def named(name: str) -> Canonicalisation:
    """The registered canonicalisation of this name (canon.registered-names).

    Raises:
        UnknownNameError: nothing is registered under it; names are compared exactly.
    """
    try:
        return CANONICALISATIONS[name]
    except (KeyError, TypeError):
        shown = show(name) if isinstance(name, str) else f"a Python {type(name).__name__}"
        raise UnknownNameError(
            "canon.unknown-name",
            f"{shown} is not a registered canonicalisation",
            stage="project",
            remedy=f"use one of {', '.join(CANONICALISATIONS)}",
        ) from None
