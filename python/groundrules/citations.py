"""What an envelope cites: references, evidence, delegations, retrieval records, each by id and hash.

Shapes are checked by hand here, once, for the linter; ``schemas/`` says the same, and a test holds the two together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.canonical import CANONICALISATIONS, Covers
from groundrules.times import parse_rfc3339

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.strictjson import JSON

Pair = tuple[str, str]
"""A source id and a content hash: what a citation is."""
Path = tuple[str | int, ...]
"""Member names and indexes from the top of a document."""

STATUSES = ("succeeded", "abstained", "referred", "failed", "suspended")
"""The statuses of an outcome."""
MODES = ("retrieval", "input_only", "none", "delegation", "brokered")
"""The grounding modes."""
INPUT_NAMES = tuple(name for name, entry in CANONICALISATIONS.items() if entry.covers is Covers.INPUT)
"""The input canonicalisations."""
DELEGATION_NAME = "dd-envelope-json-v1"
"""The canonicalisation of a delegation that states none."""

_DIGEST = re.compile(r"[0-9a-f]{64}")
_SPAN_ID = re.compile(r"[0-9a-f]{16}")
_UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_LONGEST_NAME = 2000
_DELEGATION_TEXT = ("delegated_agent_id", "delegated_agent_version")
_DELEGATION = {"delegated_invocation_id", *_DELEGATION_TEXT, "delegated_status", "content_hash"}
_RECORD = {"span_id", "status", "source_id", "snapshot_ref", "canonicalisation", "started_at", "ended_at"}


@dataclass(frozen=True, slots=True)
class Delegation:
    """A recorded child run, as it is cited (envelope.delegation)."""

    index: int
    pair: Pair
    canonicalisation: str
    status: str


@dataclass(frozen=True, slots=True)
class RetrievalRecord:
    """A recorded retrieval (envelope.retrieval-record); ``pair`` is None unless the status is ok; times in ns."""

    index: int
    span_id: str
    pair: Pair | None
    canonicalisation: str
    snapshot_ref: str
    started_ns: int
    ended_ns: int


def is_digest(value: JSON) -> bool:
    """64 lower-case hex digits."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def is_invocation_id(value: JSON) -> bool:
    """A UUID of version 7 in lower case."""
    return isinstance(value, str) and _UUID7.fullmatch(value) is not None


def is_text(value: JSON) -> bool:
    """A string that is not empty."""
    return isinstance(value, str) and value != ""


def is_name(value: JSON) -> bool:
    """A string of 1 to 2 000 characters."""
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_NAME


def reference(value: JSON) -> Pair | None:
    """The pair of a well-formed grounding reference (envelope.reference), or None."""
    match value:
        case {"source_id": str(source_id), "content_hash": str(digest), **rest} if not rest:
            return (source_id, digest) if source_id and is_digest(digest) else None
    return None


def delegation(value: JSON, index: int) -> Delegation | None:
    """A well-formed delegation, or None."""
    if not isinstance(value, dict) or not value.keys() >= _DELEGATION >= value.keys() - {"canonicalisation"}:
        return None
    invocation_id, digest, status = value["delegated_invocation_id"], value["content_hash"], value["delegated_status"]
    name = value.get("canonicalisation", DELEGATION_NAME)
    if not (is_invocation_id(invocation_id) and is_digest(digest) and status in STATUSES and is_name(name)):
        return None
    if not all(is_name(value[member]) for member in _DELEGATION_TEXT):
        return None
    return Delegation(index, (f"invocation:{invocation_id}", str(digest)), str(name), str(status))


def retrieval_record(value: JSON, index: int) -> RetrievalRecord | None:
    """A well-formed retrieval record, or None."""
    if not isinstance(value, dict) or not value.keys() >= _RECORD >= value.keys() - {"content_hash"}:
        return None
    span_id, started, ended = value["span_id"], _time(value["started_at"]), _time(value["ended_at"])
    if not isinstance(span_id, str) or not _SPAN_ID.fullmatch(span_id) or started is None or ended is None:
        return None
    if not all(is_text(value[member]) for member in ("source_id", "snapshot_ref", "canonicalisation")):
        return None
    found = value["status"] == "ok"
    if value["status"] not in ("ok", "not-found", "error") or found != ("content_hash" in value):
        return None
    if found and not is_digest(value["content_hash"]):
        return None
    pair = (str(value["source_id"]), str(value["content_hash"])) if found else None
    name, snapshot = str(value["canonicalisation"]), str(value["snapshot_ref"])
    return RetrievalRecord(index, span_id, pair, name, snapshot, started, ended)


def grounded_on(payload: JSON) -> Iterator[tuple[Path, JSON]]:
    """Every member named ``grounded_on`` at any depth, in document order, and not inside one (lint.references)."""
    pending: list[tuple[Path, JSON]] = [(("payload",), payload)]
    while pending:
        path, value = pending.pop()
        if path[-1] == "grounded_on" and path != ("payload",):
            yield path, value
        elif isinstance(value, dict):
            pending.extend(((*path, name), inner) for name, inner in reversed(value.items()))
        elif isinstance(value, list):
            pending.extend(((*path, index), value[index]) for index in reversed(range(len(value))))


def _time(value: JSON) -> int | None:
    return parse_rfc3339(value) if isinstance(value, str) else None
