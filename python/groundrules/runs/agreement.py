"""Rules I1 to I3: request, envelope and trace are those of one run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groundrules.canonical import content_hash
from groundrules.citations import is_digest
from groundrules.documents import departures
from groundrules.errors import CanonicalError, show
from groundrules.findings import Finding, Place
from groundrules.runs.layout import ENVELOPE, REQUEST
from groundrules.strictjson import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundrules.linter.facts import Facts
    from groundrules.strictjson import JSON
    from groundrules.trace import SpanRecord


_KEPT = ("abstained", "referred", "suspended")
"""The statuses that the gate keeps; any other becomes failed."""


@dataclass(slots=True)
class Ledger:
    """What the rules have found, and what they could not find."""

    findings: list[Finding] = field(default_factory=list)
    missing: dict[str, None] = field(default_factory=dict)

    def find(self, code: str, at: Place, detail: str) -> None:
        """Enter a finding."""
        self.findings.append(Finding(code, at, detail))

    def miss(self, name: str) -> None:
        """Enter what is missing, once."""
        self.missing[name] = None


def in_file(file: str, *steps: str | int) -> Place:
    """A place in one of the run's files."""
    return Place(pointer(steps), file=file)


def agreement(ledger: Ledger, documents: Mapping[str, JSON], facts: Facts | None) -> None:
    """Hold request, envelope and root to each other.

    Args:
        ledger: takes what is found.
        documents: the run's documents that are there, by file name.
        facts: of trace and envelope, or None where there is no trace.
    """
    root = None if facts is None else facts.trail.root
    if facts is not None and root is None:
        ledger.miss("root")
    _input_hashes(ledger, documents, facts)
    _ids_agree(ledger, documents, root)
    _outcome_agrees(ledger, documents, facts)


def _input_hashes(ledger: Ledger, documents: Mapping[str, JSON], facts: Facts | None) -> None:
    """Rule I1."""
    request = documents.get(REQUEST)
    if REQUEST in documents:
        for path, detail in departures(request, "request"):
            ledger.find("i1.request-schema", in_file(REQUEST, *path), detail)
    if facts is None or facts.trail.root is None:
        return
    recorded = facts.trail.root.attributes.get("dd.input_hash")
    if not is_digest(recorded):
        ledger.miss("dd.input_hash")
    elif isinstance(request, dict) and "input" in request:
        place = in_file(REQUEST, "input")
        try:
            actual = content_hash(request["input"], facts.input_name)
        except CanonicalError as error:
            detail = f"the input has no hash under {facts.input_name}: {error.detail}"
            ledger.find("i1.outside-domain", place, detail)
            return
        if actual != recorded:
            ledger.find("i1.hash-differs", place, f"the input hashes to {actual}, the root says {recorded}")


_Stated = tuple[Place, "JSON"]


def _ids_agree(ledger: Ledger, documents: Mapping[str, JSON], root: SpanRecord | None) -> None:
    """Rule I2."""
    envelope, request = documents.get(ENVELOPE), documents.get(REQUEST)
    compared = (
        ("i2.invocation-id", "invocation_id", "dd.invocation_id"),
        ("i2.agent-id", "agent_id", "dd.agent_id"),
        ("i2.agent-version", "agent_version", "dd.agent_version"),
        ("i2.trace-id", "", ""),
        ("i2.lineage", "conversation_id", ""),
        ("i2.lineage", "parent_invocation_id", ""),
    )
    for code, member, attribute in compared:
        if code == "i2.trace-id":
            stated = [*_trace_ids(envelope, root)]
        else:
            stated = [*_members(envelope, ENVELOPE, member), *_members(request, REQUEST, member)]
            stated += _attribute(root, attribute)
        _all_same(ledger, code, stated)


def _members(document: JSON, file: str, name: str) -> Iterator[_Stated]:
    if isinstance(document, dict) and name in document:
        yield in_file(file, name), document[name]


def _attribute(root: SpanRecord | None, name: str) -> Iterator[_Stated]:
    if root is not None and name and name in root.attributes:
        yield Place(span=root.index, span_id=root.span_id), root.attributes[name]


def _trace_ids(envelope: JSON, root: SpanRecord | None) -> Iterator[_Stated]:
    match envelope:
        case {"telemetry": {"trace_id": stated}}:
            yield in_file(ENVELOPE, "telemetry", "trace_id"), stated
    if root is not None and root.trace_id is not None:
        yield Place(span=root.index, span_id=root.span_id), root.trace_id


def _all_same(ledger: Ledger, code: str, stated: list[_Stated]) -> None:
    for at, value in stated[1:]:
        first = stated[0]
        if not isinstance(value, str) or value != first[1]:
            ledger.find(code, at, f"it is {_shown(value)}, and {_shown(first[1])} at {first[0]}")


def _shown(value: JSON) -> str:
    return show(value) if isinstance(value, str) else "no string"


def _outcome_agrees(ledger: Ledger, documents: Mapping[str, JSON], facts: Facts | None) -> None:
    """Rule I3."""
    root = None if facts is None else facts.trail.root
    if facts is None or root is None:
        return
    if "dd.outcome" not in root.attributes:
        ledger.miss("dd.outcome")
        return
    if ENVELOPE not in documents:
        return
    recorded, status = root.attributes["dd.outcome"], facts.account.status
    was_withheld = facts.account.is_withheld and recorded not in _KEPT
    if not isinstance(recorded, str) or (recorded != status and not was_withheld):
        at = Place(span=root.index, span_id=root.span_id)
        ledger.find("i3.outcome", at, f"the root records {_shown(recorded)}, the envelope {facts.account.status}")
