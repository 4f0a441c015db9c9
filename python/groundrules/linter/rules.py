"""The mode rules: one table of checks, one check for every rule of the same kind.

Which modes a rule has is the catalogue's to say. A check yields a code, a place and one clause.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from groundrules.linter.broker import spans_and_records
from groundrules.times import microseconds

if TYPE_CHECKING:
    from groundrules.citations import Pair, Path
    from groundrules.linter.account import Item
    from groundrules.linter.facts import Facts

At = "int | Path"
"""A span's index, or a path into the envelope."""
Found = Iterator[tuple[str, "int | Path", str]]


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the table: a rule of the catalogue and what finds its violations."""

    rule: str
    find: Callable[[Facts], Found]


def retrieved_first(facts: Facts) -> Found:
    """G1: no model call starts before some retrieval has ended."""
    for call, _ in calls_before(facts):
        yield "g1.call-before-retrieval", call, "the model call starts before any retrieval has ended"


def calls_before(facts: Facts) -> Iterator[tuple[int, int]]:
    """The model calls that start too early, with how many microseconds; skew within the allowance is not too early."""
    for call, early in lead_times(facts):
        if early is None or early > (facts.clock_skew_us if facts.mode == "brokered" else 0):
            yield call, early or 0


def lead_times(facts: Facts) -> Iterator[tuple[int, int | None]]:
    """For every model call by how many microseconds it precedes the first end of a retrieval other than itself.

    None where there is no retrieval, or a time is missing; zero or less where a retrieval had ended.
    """
    ends = list(_ends(facts))
    earliest = min(ends, key=itemgetter(0), default=None)
    others = [entry for entry in ends if earliest and entry[1] != earliest[1]]
    candidates = [entry for entry in (earliest, min(others, key=itemgetter(0), default=None)) if entry]
    for call in facts.trail.calls:
        span = facts.trail.spans[call]
        first = next((end for end, origin in candidates if origin not in (call, span.span_id)), None)
        yield call, None if span.start_us is None or first is None else first - span.start_us


def _ends(facts: Facts) -> Iterator[tuple[int, int | str]]:
    """Rule time at which each retrieval ended, with the index of its span, or the span id of its record."""
    if facts.mode == "brokered":
        for record in facts.account.records:
            if record.pair is not None:
                yield microseconds(record.ended_ns), record.span_id
        return
    for retrieval in facts.trail.retrievals:
        end = facts.trail.spans[retrieval.span].end_us
        if retrieval.pairs and end is not None:
            yield end, retrieval.span


def references_retrieved(facts: Facts) -> Found:
    """G2: references match retrievals, and a success has one."""
    yield from _references(facts, "g2.not-retrieved", facts.retrieved, "the reference is on no declared retrieval")
    yield from _rests_on_nothing(facts, "g2.rests-on-nothing")


def evidence_retrieved(facts: Facts) -> Found:
    """G3: evidence matches retrievals."""
    detail = "the evidence item is on no declared retrieval"
    yield from _items(facts, "g3.not-retrieved", lambda item: item.pair in facts.retrieved, detail)


def references_in_evidence(facts: Facts) -> Found:
    """G4: a reader can resolve every reference."""
    yield from _references(facts, "g4.not-in-evidence", facts.account.pairs, "the reference is on no evidence item")


def no_retrieval(facts: Facts) -> Found:
    """R1: nothing was retrieved."""
    for retrieval in facts.trail.retrievals:
        yield "r1.retrieval", retrieval.span, f"a retrieval has no place in mode {facts.mode}"


def input_alone(facts: Facts) -> Found:
    """R2: the input is all that is cited."""
    allowed = () if facts.input_pair is None else (facts.input_pair,)
    yield from _references(facts, "r2.reference", allowed, "the reference is not the input, by the conductor's hash")
    detail = "the evidence item is not the input, by the conductor's hash and canonicalisation"
    yield from _items(facts, "r2.evidence", lambda item: _is_input(facts, item), detail)


def input_cited(facts: Facts) -> Found:
    """R3: a success cites the input."""
    yield from _cites_input(facts, "r3.input-not-cited", "r3.rests-on-nothing")


def no_model_call(facts: Facts) -> Found:
    """N1: no model was called."""
    for call in sorted((*facts.trail.calls, *facts.trail.embeddings)):
        yield "n1.model-call", call, "a model call has no place in mode none"


def references_delegated(facts: Facts) -> Found:
    """D1: references are the input or recorded child runs."""
    allowed = {pair for pair, _ in facts.delegated} | ({facts.input_pair} - {None})
    yield from _references(
        facts, "d1.reference", allowed, "the reference is neither the input nor a recorded delegation"
    )


def evidence_delegated(facts: Facts) -> Found:
    """D2: evidence is the input or recorded child runs."""
    detail = "the evidence item is neither the input nor a recorded delegation"
    yield from _items(
        facts,
        "d2.evidence",
        lambda item: _is_input(facts, item) or (item.pair, item.canonicalisation) in facts.delegated,
        detail,
    )


def input_cited_in_delegation(facts: Facts) -> Found:
    """D3: a success cites the input."""
    yield from _cites_input(facts, "d3.input-not-cited", "d3.rests-on-nothing")


def references_recorded(facts: Facts) -> Found:
    """B1: references are on records."""
    yield from _references(facts, "b1.reference", facts.recorded, "the reference is on no ok retrieval record")


def evidence_recorded(facts: Facts) -> Found:
    """B2: evidence is on records, under their name and from their copy."""
    recorded = {
        (record.pair, record.canonicalisation, record.snapshot_ref)
        for record in facts.account.records
        if record.pair is not None
    }
    detail = "the evidence item is on no ok retrieval record"
    yield from _items(
        facts, "b2.evidence", lambda item: (item.pair, item.canonicalisation, item.snapshot_ref) in recorded, detail
    )


def rests_on_record(facts: Facts) -> Found:
    """B3: a success rests on something recorded."""
    if facts.succeeded and not any(reference.pair in facts.recorded for reference in facts.account.references):
        yield (
            "b3.rests-on-no-record",
            facts.account.path_to("payload"),
            "no reference is on an ok record",
        )


CHECKS: Final = (
    Check("G1", retrieved_first),
    Check("G2", references_retrieved),
    Check("G3", evidence_retrieved),
    Check("G4", references_in_evidence),
    Check("R1", no_retrieval),
    Check("R2", input_alone),
    Check("R3", input_cited),
    Check("N1", no_model_call),
    Check("D1", references_delegated),
    Check("D2", evidence_delegated),
    Check("D3", input_cited_in_delegation),
    Check("B1", references_recorded),
    Check("B2", evidence_recorded),
    Check("B3", rests_on_record),
    Check("B4", spans_and_records),
)
"""The table, in the order of findings."""


def _references(facts: Facts, code: str, allowed: Collection[Pair | None], detail: str) -> Found:
    """Citation in the allowed set, for references."""
    for reference in facts.account.references:
        if reference.pair not in allowed:
            yield code, reference.path, detail


def _items(facts: Facts, code: str, is_allowed: Callable[[Item], bool], detail: str) -> Found:
    """Citation in the allowed set, for evidence items."""
    for item in facts.account.items:
        if not is_allowed(item):
            yield code, ("evidence", item.index), detail


def _is_input(facts: Facts, item: Item) -> bool:
    return item.pair == facts.input_pair and item.canonicalisation == facts.input_name


def _rests_on_nothing(facts: Facts, code: str) -> Found:
    if facts.succeeded and not facts.account.references:
        yield code, facts.account.path_to("payload"), "the succeeded run has no reference in its payload"


def _cites_input(facts: Facts, not_cited: str, nothing: str) -> Found:
    if facts.succeeded and not any(_is_input(facts, item) for item in facts.account.items):
        yield (
            not_cited,
            facts.account.path_to("evidence"),
            "no evidence item cites the input",
        )
    yield from _rests_on_nothing(facts, nothing)
