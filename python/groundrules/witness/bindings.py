"""What a record alone shows of whether its refs are bound to what they name (rules P1 to P4, P8 and P9)."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from groundrules.findings import Finding, Place
from groundrules.witness.record import ids, objects
from groundrules.witness.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from groundrules.strictjson import JSON
    from groundrules.witness.record import Record, Ref

_DIGEST = re.compile(r"[0-9a-f]{64}")
_POINTER = re.compile(r"(/([^~/]|~[01])*)+")
_BOUND = frozenset({"arguments_sha256", "arguments_pointer"})
_NAMED = re.compile(r"sha256:[0-9a-f]{64}")


def binding_findings(record: Record) -> Iterator[Finding]:
    """P1 to P4, then P8 and P9, each in document order."""
    yield from _inferences(record)
    for find in (_subject, _arguments, _policy):
        yield from (Finding(*told) for ref in record.refs if (told := find(ref)) is not None)
    sources = _sources(record)
    for ref in record.refs:
        yield from _text(ref, sources)
    for ref in record.refs:
        yield from _fields(ref)


def _place(ref: Ref, member: str = "") -> Place:
    return Place(f"/refs/{ref.index}{member}")


def _inferences(record: Record) -> Iterator[Finding]:
    """P1: what a juror proposed explains why evidence is invalid, and stands nowhere else."""
    proposed = {ref.id for ref in record.refs if ref.source_type == "JUROR_INFERENCE"}
    detail = "a juror proposed it, and the claim does not say that its evidence is invalid"
    for claim in record.claims:
        if claim.state != "EVIDENCE_INVALID":
            for name, cited in (("evidence", claim.evidence), ("counterevidence", claim.counterevidence)):
                for position in _those(cited, proposed):
                    yield Finding("p1.inference-cited", Place(f"/claims/{claim.index}/{name}/{position}"), detail)
    for index, view in enumerate(objects(record.stated.get("views"))):
        for position in _those(ids(view["refs"]), proposed):
            at = Place(f"/views/{index}/refs/{position}")
            yield Finding("p1.inference-cited", at, "a juror proposed it, and a view rests on it")


def _those(cited: Iterable[str], wanted: set[str]) -> Iterator[int]:
    return (position for position, ref_id in enumerate(cited) if ref_id in wanted)


def _subject(ref: Ref) -> tuple[str, Place, str] | None:
    """P2: state is the state of something."""
    if ref.source_type != "STATE_LEDGER" or "subject" in ref.stated:
        return None
    return "p2.subject-unbound", _place(ref), "it comes from a state ledger and names no subject"


def _arguments(ref: Ref) -> tuple[str, Place, str] | None:
    """P3: the arguments of a call stay where they are; the record holds hashes, and pointers to what they are of."""
    if ref.kind != "TOOL_RECEIPT" or "inputs" not in ref.stated:
        return None
    inputs = ref.stated["inputs"]
    if isinstance(inputs, dict) and inputs.keys() >= _BOUND and all(_binds(*member) for member in inputs.items()):
        return None
    detail = "the inputs of a receipt are more, or less, than a hash of the arguments, a pointer to them, and a tool"
    return "p3.arguments-copied", _place(ref, "/inputs"), detail


def _binds(name: str, value: JSON) -> bool:
    """Whether a member of a receipt's inputs is a hash, a pointer, or the name of the tool."""
    if not isinstance(value, str):
        return False
    if name.endswith("_sha256"):
        return _DIGEST.fullmatch(value) is not None
    return _POINTER.fullmatch(value) is not None if name.endswith("_pointer") else name == "tool"


def _policy(ref: Ref) -> tuple[str, Place, str] | None:
    """P4: a policy is named by what it says, not by where it lies."""
    if ref.source_type != "POLICY_SOURCE" or "source_sha256" in ref.stated:
        return None
    if _NAMED.fullmatch(str(ref.stated.get("source_ref", ""))):
        return None
    return "p4.policy-unnamed", _place(ref), "it comes from a policy whose content hash is not stated"


def _fields(ref: Ref) -> Iterator[Finding]:
    """P9: the members that a kind of evidence has to have."""
    for name in vocabulary().kinds[ref.kind].required_fields:
        if name not in ref.stated:
            yield Finding("p9.missing-field", _place(ref), f"{ref.kind} has no {name}")


def _sources(record: Record) -> dict[str, Mapping[str, JSON]]:
    return {str(entry["id"]): entry for entry in objects(record.stated.get("sources"))}


def _text(ref: Ref, sources: Mapping[str, Mapping[str, JSON]]) -> Iterator[Finding]:
    """P8: a text has its hash and its length, and stands where the ref says where that can be seen."""
    text, where = ref.stated.get("text"), _where(ref)
    if isinstance(text, str) and ref.stated.get("text_sha256") not in (None, _sha256(text)):
        yield Finding("p8.text-hash", _place(ref, "/text_sha256"), "it is not the SHA-256 of the text")
    is_long = where is None or (
        where[0] <= where[1] and (not isinstance(text, str) or len(text) == where[1] - where[0])
    )
    if not is_long:
        yield Finding("p8.text-length", _place(ref, "/char_end"), "the text is not as long as its offsets say")
    source = sources.get(str(ref.stated.get("source_ref")))
    if source is None:
        return
    digest, whole = ref.stated.get("source_sha256"), source.get("text")
    actual = _sha256(whole) if isinstance(whole, str) else source.get("sha256")
    if digest is not None and actual is not None and digest != actual:
        yield Finding("p8.source-hash", _place(ref, "/source_sha256"), "it is not the SHA-256 of the record's source")
    if where is not None and is_long and isinstance(whole, str):
        yield from _in_source(ref, whole, slice(*where))


def _where(ref: Ref) -> tuple[int, int] | None:
    """The offsets of a ref, where both are stated."""
    start, end = ref.stated.get("char_start"), ref.stated.get("char_end")
    return (int(start), int(end)) if isinstance(start, int | float) and isinstance(end, int | float) else None


def _in_source(ref: Ref, whole: str, where: slice) -> Iterator[Finding]:
    if where.stop > len(whole):
        yield Finding("p8.outside-source", _place(ref, "/char_end"), "it lies behind the end of the source")
        return
    text, there = ref.stated.get("text"), whole[where]
    if isinstance(text, str) and text != there and not (ref.anchor == "casefold" and _folded(text) == _folded(there)):
        yield Finding("p8.text-differs", _place(ref, "/text"), "it is not what stands there in the source")


def _folded(text: str) -> str:
    return text.casefold()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
