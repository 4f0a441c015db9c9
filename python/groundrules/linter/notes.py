"""What is told and changes no verdict (lint.notes)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from groundrules.linter.rules import Found, lead_times

if TYPE_CHECKING:
    from groundrules.linter.facts import Facts


def notes(facts: Facts) -> Found:
    """Every note of a run but those of E1: on spans in file order, then on the envelope in document order."""
    on_spans = [*_root(facts), *_retrievals(facts), *_calls(facts), *_unclassified(facts)]
    yield from sorted(on_spans, key=lambda note: note[1])
    yield from _children(facts)
    yield from _content(facts)


_SpanNotes = Iterator[tuple[str, int, str]]


def _root(facts: Facts) -> _SpanNotes:
    root = facts.trail.root
    if root is None:
        return
    if root.parent_id is not None and all(span.span_id != root.parent_id for span in facts.trail.spans):
        yield "note.root-has-parent", root.index, "the root has a parent that is not in the file"
    for span in facts.trail.spans:
        if _is_before(span.start_us, root.start_us) or _is_before(root.end_us, span.end_us):
            yield "note.outside-root-interval", span.index, "the span lies outside the root's interval: clocks differ"


def _is_before(first: int | None, second: int | None) -> bool:
    """Whether one known time is before another; an unknown one is before and after nothing."""
    return first is not None and second is not None and first < second


def _retrievals(facts: Facts) -> _SpanNotes:
    for retrieval in facts.trail.retrievals:
        if retrieval.is_empty:
            yield "note.empty-retrieval", retrieval.span, "the retrieval declares nothing and grounds nothing"
        if retrieval.unhashed:
            detail = f"{retrieval.unhashed} retrieved documents have no hash and satisfy nothing"
            yield "note.document-without-hash", retrieval.span, detail


def _calls(facts: Facts) -> _SpanNotes:
    if facts.mode not in ("retrieval", "brokered"):
        return
    for call, early in lead_times(facts):
        if early == 0:
            yield "note.tie", call, "the model call starts at the very time the first retrieval ends"
        elif early is not None and facts.mode == "brokered" and 0 < early <= facts.clock_skew_us:
            yield "note.clock-skew", call, f"the model call starts {early} µs early, within the clock skew"


def _unclassified(facts: Facts) -> _SpanNotes:
    for index in facts.trail.unclassified:
        yield (
            "note.unclassified-call",
            index,
            f"it looks like a model call, and is none under profile {facts.trail.profile.id}",
        )


def _children(facts: Facts) -> Found:
    cited = facts.account.pairs | {reference.pair for reference in facts.account.references}
    for child in facts.account.delegations:
        if child.pair in cited and child.status != "succeeded":
            yield "note.child-not-succeeded", ("delegations", child.index), f"the cited child run {child.status}"


def _content(facts: Facts) -> Found:
    for item in facts.account.items:
        if not item.has_content:
            yield "note.legacy-no-content", ("evidence", item.index), "the item carries no content to show or to hash"
