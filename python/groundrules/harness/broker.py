"""Brokered retrieval: the conductor reads the pinned copy, hands the record over, and writes down both (broker.*)."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from opentelemetry.trace import Status, StatusCode

from groundrules import strictjson
from groundrules.canonical import CANONICALISATIONS, content_hash, project
from groundrules.errors import CanonicalError, GroundrulesError, UnknownNameError, show
from groundrules.harness.outcomes import Refused, is_plain
from groundrules.harness.tracing import line_of
from groundrules.sources.check import is_covered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.trace import Span

    from groundrules.harness.tracing import RunTracer
    from groundrules.sources import Copies
    from groundrules.strictjson import JSON

_LOG = logging.getLogger(__name__)
MOST_CALLS = 10_000
"""How many records the conductor reads for one run."""
_NAME = "retrieval"


class Retriever(Protocol):
    """Finds records of pinned copies for a query; the conductor reads them itself."""

    def __call__(self, query: JSON) -> Sequence[tuple[str, str]]:
        """Pairs of snapshot reference and source id, best first."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What an agent asked for; of a query the reference and the id are the conductor's."""

    snapshot_ref: str
    source_id: str
    canonicalisation: str
    is_query: bool = False


class Broker:
    """Retrieves for one run, and records every retrieval: those that found nothing and those that failed too."""

    def __init__(self, tracer: RunTracer, copies: Copies, retrievers: Mapping[str, Retriever]) -> None:
        """Read for a run.

        Args:
            tracer: of the conductor's own spans of the run, each a child of the root.
            copies: the pinned copies.
            retrievers: by name.
        """
        self._tracer = tracer
        self._copies = copies
        self._retrievers = retrievers
        self._lock = threading.Lock()
        self._is_open = True
        self._records: list[JSON] = []

    @property
    def records(self) -> list[JSON]:
        """What was recorded: the ``retrievals`` of the envelope."""
        with self._lock:
            return list(self._records)

    def close(self) -> None:
        """Answer nothing any more: the run is over."""
        with self._lock:
            self._is_open = False

    def record(self, snapshot_ref: str, source_id: str, canonicalisation: str) -> dict[str, JSON]:
        """One record. See :meth:`Task.retrieve`."""
        _mind_texts(snapshot_ref, source_id, canonicalisation)
        wanted = _Wanted(snapshot_ref, source_id, canonicalisation)
        with self._lock:
            span = self._begin()
            try:
                item = self._read(wanted)
            except Refused as refusal:
                self._end(span, wanted, refusal=refusal)
                raise
            self._end(span, wanted, digest=str(item["content_hash"]))
        return item

    def query(self, retriever: str, query: JSON, canonicalisation: str) -> list[dict[str, JSON]]:
        """The records that a retriever names. See :meth:`Task.query`."""
        _mind_texts(retriever, canonicalisation)
        if retriever not in self._retrievers:
            raise Refused("retrieve.unknown-retriever", f"{show(retriever)} is no retriever")
        try:
            digest = content_hash(query, "dd-json-document-v1")
        except CanonicalError as error:
            raise Refused("retrieve.malformed", f"the query is no JSON value: {error.detail}") from None
        asked = _Wanted(f"retriever:{retriever}", f"query:{digest}", canonicalisation, is_query=True)
        items: list[dict[str, JSON]] = []
        refusal: Refused | None = None
        for snapshot_ref, source_id in self._found(asked, self._retrievers[retriever], query):
            try:
                items.append(self.record(snapshot_ref, source_id, canonicalisation))
            except Refused as refused:
                refusal = refused
        if refusal is not None and not items:
            raise refusal
        return items

    def _found(self, asked: _Wanted, retriever: Retriever, query: JSON) -> list[tuple[str, str]]:
        """What a retriever names; that it names nothing, or fails, is a retrieval of its own."""
        started = time.time_ns()
        try:
            pairs = [(str(snapshot_ref), str(source_id)) for snapshot_ref, source_id in retriever(query)]
        except Exception:  # noqa: BLE001 - it is the deployment's code; the run goes on
            _LOG.exception("the retriever of %s failed", asked.snapshot_ref)  # for the deployment, not for the agent
            refusal = Refused("retrieve.failed", "the retriever failed")
        else:
            if pairs:
                return pairs
            refusal = Refused("retrieve.not-found", "the retriever found nothing")
        with self._lock:
            self._end(self._begin(started), asked, refusal=refusal)
        raise refusal

    def _read(self, wanted: _Wanted) -> dict[str, JSON]:
        """The evidence item of a record.

        Raises:
            Refused: there is none.
        """
        index = self._copies.index(wanted.snapshot_ref)
        proof = None if index is None else self._copies.proof(index)
        if proof is None:
            raise Refused("retrieve.not-listed", "no copy that was fetched is listed under this snapshot reference")
        name = wanted.canonicalisation
        try:
            record = proof.record(wanted.source_id)
            if record is None:
                raise Refused("retrieve.not-found", "the copy holds no record with this id")
            if not is_covered(record, name):
                raise Refused("retrieve.nothing-covered", "the record has none of the members that the name covers")
            digest, content = content_hash(record, name), project(record, name)
        except UnknownNameError:
            raise Refused("retrieve.unknown-canonicalisation", f"{show(name)} is not registered") from None
        except GroundrulesError as error:
            raise Refused("retrieve.failed", f"{error.detail} [{error.code}]") from None
        return {
            "source_id": wanted.source_id,
            "hash_algorithm": "sha256",
            "canonicalisation": name,
            "content_hash": digest,
            "content": content,
            "snapshot_ref": wanted.snapshot_ref,
        }

    def _named(self, wanted: _Wanted, *, is_found: bool) -> dict[str, JSON]:
        """What was wanted, as the record says it: what is not known to be there is an agent's word, and concealed."""
        is_known = is_found or wanted.is_query
        is_listed = is_known or self._copies.index(wanted.snapshot_ref) is not None
        named = wanted.canonicalisation
        return {
            "source_id": wanted.source_id if is_known else _concealed(wanted.source_id),
            "snapshot_ref": wanted.snapshot_ref if is_listed else _concealed(wanted.snapshot_ref),
            "canonicalisation": named if named in CANONICALISATIONS else _concealed(named),
        }

    def _begin(self, started: int | None = None) -> Span:
        if not self._is_open:
            raise Refused("retrieve.over", "the run is over")
        if len(self._records) >= MOST_CALLS:
            raise Refused("retrieve.too-many", f"a run retrieves at most {MOST_CALLS} times")
        return self._tracer.start_span(_NAME, start_time=started)

    def _end(self, span: Span, wanted: _Wanted, *, digest: str = "", refusal: Refused | None = None) -> None:
        """End the span of a retrieval, and record it."""
        span.set_attribute("dd.snapshot_ref", wanted.snapshot_ref)
        status = "ok"
        if refusal is None:
            span.set_attributes({"dd.source_id": wanted.source_id, "dd.content_hash": digest})
        else:
            span.set_attributes({"dd.requested_source_id": wanted.source_id, "dd.refusal": refusal.code})
            status = "not-found" if refusal.code == "retrieve.not-found" else "error"
            if status == "error":
                span.set_status(Status(StatusCode.ERROR))
        span.end()
        line = strictjson.loads(line_of(span))
        assert isinstance(line, dict)  # noqa: S101 - a line is one span
        self._records.append(
            {
                "span_id": f"{span.get_span_context().span_id:016x}",
                "status": status,
                **self._named(wanted, is_found=refusal is None),
                "started_at": line["start_time"],
                "ended_at": line["end_time"],
            }
            | ({"content_hash": digest} if digest else {})
        )


def _concealed(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _mind_texts(*texts: str) -> None:
    """Refuse what no record could repeat."""
    for text in texts:
        if not is_plain(text) or not text.isprintable():
            raise Refused("retrieve.malformed", "a reference is no string of 1 to 2000 printable characters")
