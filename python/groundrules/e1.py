"""Rule E1: the content an evidence item shows is exactly what its hash covers.

The check is arithmetic on one item and relies on nobody's word but the item's. It says nothing of where the content
came from; the source check does.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from groundrules.canonical import Covers, content_hash, named, pyjson
from groundrules.citations import is_digest
from groundrules.errors import CanonicalError, SchemaError, UnknownNameError, Where, show
from groundrules.strictjson import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.canonical import Canonicalisation
    from groundrules.strictjson import JSON

_REQUIRED = ("source_id", "hash_algorithm", "canonicalisation", "content_hash")
_TEXT_MEMBERS = (*_REQUIRED, "snapshot_ref", "source_uri", "retrieved_at")


class ItemVerdict(StrEnum):
    """What E1 says of one item. ``unchecked``: it carries no content, so there was nothing to hash."""

    VERIFIED = "verified"
    FAILED = "failed"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class Remark:
    """One finding or note about one item.

    Attributes:
        code: permanent, ``e1.*`` for a finding, ``note.*`` for a note.
        pointer: JSON Pointer into the envelope.
        detail: one clause.
    """

    code: str
    pointer: str
    detail: str

    def as_dict(self) -> dict[str, JSON]:
        """The remark as data."""
        return {"code": self.code, "pointer": self.pointer, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class ItemResult:
    """E1 for one evidence item.

    Attributes:
        source_id: the item's id, or "" where it has none.
        pointer: JSON Pointer of the item.
        canonicalisation: the name it gives, or "".
        findings: what is wrong, in the order of the checks.
        notes: what a reader wants to know and what changes no verdict.
        has_content: the item carries content.
    """

    source_id: str
    pointer: str
    canonicalisation: str
    findings: tuple[Remark, ...]
    notes: tuple[Remark, ...]
    has_content: bool

    @property
    def verdict(self) -> ItemVerdict:
        """Failed with any finding; else unchecked without content; else verified."""
        if self.findings:
            return ItemVerdict.FAILED
        return ItemVerdict.VERIFIED if self.has_content else ItemVerdict.UNCHECKED

    def as_dict(self) -> dict[str, JSON]:
        """The result as data."""
        return {
            "source_id": self.source_id,
            "pointer": self.pointer,
            "canonicalisation": self.canonicalisation,
            "verdict": self.verdict.value,
            "findings": [finding.as_dict() for finding in self.findings],
            "notes": [note.as_dict() for note in self.notes],
        }


def check_envelope(envelope: JSON) -> list[ItemResult]:
    """E1 for every evidence item of an envelope, in document order.

    Args:
        envelope: an envelope; an absent ``evidence`` is an empty one.

    Raises:
        SchemaError: ``schema.envelope``: the envelope is not an object, or its evidence is not a list.
    """
    match envelope:
        case {"evidence": [*items]}:
            return [check_item(item, pointer(["evidence", index])) for index, item in enumerate(items)]
        case {"evidence": _}:
            raise SchemaError(
                "schema.envelope",
                "the evidence of an envelope is a list of items, and this is none",
                where=Where(pointer="/evidence"),
                remedy="give a list",
            )
        case dict():
            return []
        case _:
            raise SchemaError(
                "schema.envelope",
                "an envelope is a JSON object, and this is none",
                where=Where(pointer=""),
                remedy="name the envelope's file",
            )


def check_item(item: JSON, at: str = "") -> ItemResult:
    """E1 for one evidence item.

    Args:
        item: the item, of any shape; a malformed one is a finding.
        at: JSON Pointer of the item, the start of every remark's pointer.
    """
    fault = malformation(item)
    if fault or not isinstance(item, dict):
        source_id = item.get("source_id") if isinstance(item, dict) else None
        return _malformed(at, source_id if isinstance(source_id, str) else "", *(fault or ("", "")))
    remarks = list(_remarks(item, at))
    return ItemResult(
        source_id=str(item["source_id"]),
        pointer=at,
        canonicalisation=str(item["canonicalisation"]),
        findings=tuple(remark for remark in remarks if remark.code.startswith("e1.")),
        notes=tuple(remark for remark in remarks if remark.code.startswith("note.")),
        has_content="content" in item,
    )


def _malformed(at: str, source_id: str, step: str, detail: str) -> ItemResult:
    finding = Remark("e1.malformed-item", at + step, detail)
    return ItemResult(source_id, at, "", findings=(finding,), notes=(), has_content=False)


def malformation(item: JSON) -> tuple[str, str] | None:
    """Where (a pointer into it) and why a value is not a well-formed evidence item, or None where it is."""
    if not isinstance(item, dict):
        return "", "an evidence item is a JSON object, and this is none"
    for name in _REQUIRED:
        if name not in item:
            return "", f"the member {name} is missing"
    for name, value in item.items():
        detail = _member_fault(name, value)
        if detail:
            return pointer([name]), detail
    return None


def _member_fault(name: str, value: JSON) -> str:
    """What is wrong with one member of an evidence item, or ""."""
    if name == "content":
        return ""
    if name not in _TEXT_MEMBERS:
        return f"an evidence item has no member {show(str(name))}"
    if not isinstance(value, str):
        return f"the member {name} is not a string"
    if not value and name in ("source_id", "snapshot_ref"):
        return f"the member {name} is empty"
    if name == "hash_algorithm" and value != "sha256":
        return 'the hash algorithm is not "sha256"'
    if name == "content_hash" and not is_digest(value):
        return "the content hash is not 64 lower-case hex digits"
    return ""


def _remarks(item: dict[str, JSON], at: str) -> Iterator[Remark]:
    name, expected = str(item["canonicalisation"]), str(item["content_hash"])
    try:
        entry = named(name)
    except UnknownNameError:
        yield Remark(
            "e1.unknown-canonicalisation",
            at + "/canonicalisation",
            f"{show(name)} is not a registered canonicalisation",
        )
        return
    if "content" not in item:
        return
    content = item["content"]
    if not isinstance(content, dict) and entry.covers is not Covers.INPUT:
        yield Remark("e1.content-not-object", at + "/content", "the content is not a JSON object")
        return
    try:
        actual = content_hash(content, name)
    except CanonicalError as error:
        yield Remark("e1.outside-domain", at + "/content" + (error.where.pointer or ""), error.detail)
        return
    if actual != expected:
        yield Remark(
            "e1.hash-mismatch",
            at + "/content",
            f"the content hashes to {actual}, the item says {expected}",
        )
        if _hash_if_integers_had_stayed(content, name) == expected:
            yield Remark(
                "note.numbers-changed",
                at + "/content",
                "with every integral float as an integer the hash matches: numbers were changed in transport",
            )
    if isinstance(content, dict) and entry.members is not None:
        yield from _projected_members(content, entry, entry.members, at + "/content")


def _projected_members(
    content: dict[str, JSON], entry: Canonicalisation, members: tuple[str, ...], at: str
) -> Iterator[Remark]:
    """Whether a reader is shown exactly what is hashed, member by member in the order of the content."""
    projected = entry.project(content)
    assert isinstance(projected, dict)  # noqa: S101 - every projection with members yields an object
    for name, value in content.items():
        place = at + pointer([name])
        if name not in members:
            yield Remark("e1.unhashed-member", place, f"the hash does not cover the member {show(name)}")
        elif pyjson.encode(value) != pyjson.encode(projected[name]):
            yield _difference(value, projected[name], place)
    for name in members:
        if name not in content:
            yield Remark("note.member-absent", at, f"the member {name} is absent and hashed as null")


def _difference(value: JSON, projected: JSON, at: str) -> Remark:
    if isinstance(value, list) and isinstance(projected, list) and _same_elements(value, projected):
        return Remark("note.label-order", at, "the labels stand in another order than they are hashed in")
    return Remark("e1.coerced-value", at, "the value is not what is hashed: a label was turned into text")


def _same_elements(value: list[JSON], projected: list[JSON]) -> bool:
    return all(isinstance(label, str) for label in value) and sorted(map(str, value)) == projected


def _hash_if_integers_had_stayed(content: JSON, name: str) -> str:
    return content_hash(_integral_floats_as_integers(content), name)


def _integral_floats_as_integers(value: JSON) -> JSON:
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_integral_floats_as_integers(element) for element in value]
        case dict():
            return {name: _integral_floats_as_integers(element) for name, element in value.items()}
        case _:
            return value
