"""Rules S1 to S3: every evidence item against the pinned copy that it names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groundrules.canonical import content_hash, named
from groundrules.e1 import check_item, malformation
from groundrules.errors import CanonicalError, UnknownNameError, show
from groundrules.findings import Finding, Place
from groundrules.sources.copies import NO_COPIES, Copies
from groundrules.strictjson import pointer
from groundrules.verdict import Consulted, SourceVerdict, Strictness, Unresolved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.strictjson import JSON

_ACCOUNTED_MODES = ("input_only", "none", "delegation")
_ACCOUNTED_IDS = ("input:", "invocation:")


@dataclass(slots=True)
class _Tally:
    """What has been found so far, item by item."""

    verified: list[str] = field(default_factory=list)
    unresolved: list[Unresolved] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    consulted: dict[int, set[str]] = field(default_factory=dict)


def check_sources(envelope: JSON, copies: Copies = NO_COPIES, *, profile: Strictness | None = None) -> SourceVerdict:
    """Hold the evidence of an envelope to pinned copies (rules S1, S2 and S3).

    Args:
        envelope: any JSON value as strict reading yields it.
        copies: the copies that the deployment holds.
        profile: what is asked beyond what the list of copies asks; it only tightens.

    Raises:
        ConfigurationError: ``config.copy-changed``: a copy changed after its pin was proven.
    """
    return check_under(envelope, copies, copies.profile | (profile or Strictness()))


def check_under(envelope: JSON, copies: Copies, strictness: Strictness) -> SourceVerdict:
    """As :func:`check_sources`, exactly as strict as is asked, whatever the list of copies asks."""
    tally = _Tally()
    evidence = envelope.get("evidence", []) if isinstance(envelope, dict) else None
    if isinstance(envelope, dict) and isinstance(evidence, list):
        is_accounted = str(envelope.get("grounding_mode")) in _ACCOUNTED_MODES
        for index, item in enumerate(evidence):
            at = pointer(["evidence", index])
            _judge(item, at, tally, copies, is_accounted=is_accounted)
            if strictness.require_content and _lacks_content(item):
                tally.findings.append(Finding("s3.content-missing", Place(at), "the item carries no content"))
    else:
        at, what = ("/evidence", "evidence") if isinstance(envelope, dict) else ("", "envelope")
        detail = f"the {what} does not have its type, so nothing can be looked up"
        tally.findings.append(Finding("s1.malformed", Place(at), detail))
    return SourceVerdict(
        judged_hash=content_hash(envelope, "dd-envelope-json-v1"),
        profile=strictness,
        copies=tuple(_consulted(copies, tally)),
        verified=tuple(tally.verified),
        unresolved=tuple(tally.unresolved),
        findings=tuple(tally.findings),
        skipped=tuple(tally.skipped),
    )


def _judge(item: JSON, at: str, tally: _Tally, copies: Copies, *, is_accounted: bool) -> None:
    """Look one item up, and note whether it is verified, unresolved, skipped or in violation."""
    fault = malformation(item)
    if fault is not None or not isinstance(item, dict):
        detail = fault[1] if fault else ""
        tally.findings.append(Finding("s1.malformed", Place(at), detail))
        return
    ref, snapshot_ref = str(item["source_id"]), item.get("snapshot_ref")
    if is_accounted and ref.startswith(_ACCOUNTED_IDS):
        tally.skipped.append(ref)
        return
    if not isinstance(snapshot_ref, str):
        tally.unresolved.append(Unresolved(ref, None, "no-snapshot-ref"))
        return
    index = copies.index(snapshot_ref)
    proof = None if index is None else copies.proof(index)
    if index is None or proof is None:
        tally.unresolved.append(Unresolved(ref, snapshot_ref, "not-listed" if index is None else "not-fetched"))
        return
    tally.consulted.setdefault(index, set()).add(snapshot_ref)
    violations = [*_violations(item, at, proof.record(ref))]
    tally.findings += violations
    if not violations:
        tally.verified.append(ref)


def _lacks_content(item: JSON) -> bool:
    """Whether a well-formed item carries no content."""
    return isinstance(item, dict) and "content" not in item and malformation(item) is None


def _violations(item: dict[str, JSON], at: str, record: JSON) -> Iterator[Finding]:
    name, expected = str(item["canonicalisation"]), item["content_hash"]
    if record is None:
        yield Finding("s1.record-missing", Place(at), "the pinned copy holds no record with this id")
        return
    try:
        actual = content_hash(record, name)
    except UnknownNameError:
        place = Place(f"{at}/canonicalisation")
        yield Finding("s2.unknown-canonicalisation", place, f"{show(name)} is not a registered canonicalisation")
        return
    except CanonicalError as error:
        detail = f"the pinned record has no octets under this name: {error.detail}"
        yield Finding("s2.outside-domain", Place(at), detail)
        return
    if actual == expected and not is_covered(record, name):
        yield Finding("s2.nothing-covered", Place(at), "the pinned record has none of the members that the name covers")
    elif actual != expected:
        yield Finding("s2.hash-differs", Place(at), f"the pinned record hashes to {actual}, the item says {expected}")
    elif check_item(item).findings:
        yield Finding("s2.content-differs", Place(f"{at}/content"), "the content shown is not what the hash covers")


def is_covered(record: JSON, name: str) -> bool:
    """Whether a name covers anything of a record."""
    members = named(name).members
    return members is None or (isinstance(record, dict) and any(member in record for member in members))


def _consulted(copies: Copies, tally: _Tally) -> Iterator[Consulted]:
    for index, entry in enumerate(copies.listing.entries):
        named = tally.consulted.get(index, ())
        if named:
            yield Consulted(tuple(ref for ref in entry.snapshot_refs if ref in named), entry.sha256)
