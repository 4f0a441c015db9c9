"""Rule B4: the trace shows the retrievals that the conductor recorded, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.times import microseconds

if TYPE_CHECKING:
    from groundrules.citations import RetrievalRecord
    from groundrules.linter.facts import Facts
    from groundrules.linter.rules import Found
    from groundrules.linter.trail import Retrieval


def spans_and_records(facts: Facts) -> Found:
    """B4: spans and records match one to one by span id, and agree in pair and times."""
    spans = facts.trail.spans
    by_span_id = {spans[retrieval.span].span_id: retrieval for retrieval in reversed(facts.trail.retrievals)}
    matched: dict[str, RetrievalRecord] = {}
    unmatched, differing = set(), set()
    for record in facts.account.records:
        retrieval = by_span_id.get(record.span_id)
        if retrieval is None or record.span_id in matched:
            unmatched.add(record.index)
            continue
        matched[record.span_id] = record
        if not _agree(facts, retrieval, record):
            differing.add(record.index)
    for retrieval in facts.trail.retrievals:
        span_id = spans[retrieval.span].span_id
        if span_id not in matched or by_span_id[span_id] is not retrieval:
            yield "b4.span-without-record", retrieval.span, "the conductor has no record of this retrieval"
    for record in facts.account.records:
        path = ("retrievals", record.index)
        if record.index in unmatched:
            yield "b4.record-without-span", path, "no retrieval span of its own belongs to this record"
        elif record.index in differing:
            yield "b4.record-differs", path, "the record and its span differ in what was retrieved or when"


def _agree(facts: Facts, retrieval: Retrieval, record: RetrievalRecord) -> bool:
    pairs = () if record.pair is None else (record.pair,)
    span = facts.trail.spans[retrieval.span]
    return retrieval.pairs == pairs and all(
        time is not None and abs(time - microseconds(recorded)) <= facts.clock_skew_us
        for time, recorded in ((span.start_us, record.started_ns), (span.end_us, record.ended_ns))
    )
