"""A stored run as a timeline: its span tree, with what the verdicts say beside the spans they name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.errors import bare

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from groundrules.findings import Finding
    from groundrules.trace import SpanRecord

_BAR = 14
_NAME = 36
_TOLD = ("dd.source_id", "dd.requested_source_id", "dd.delegated_invocation_id", "dd.delegated_agent_id")
"""The attributes of which the first that a span has is shown beside it."""
MOST = 200
"""How many spans are shown where not all are asked for; those that a finding names always are."""


@dataclass(frozen=True, slots=True)
class _Row:
    span: SpanRecord
    depth: int
    lies_outside: bool


def timeline(spans: Sequence[SpanRecord], findings: Iterable[Finding], *, most: int | None = MOST) -> Iterator[str]:
    """The lines of a timeline: start from the first start, duration, a bar, the name in its place in the tree.

    Args:
        spans: of the run.
        findings: findings and notes; those that name a span stand under it.
        most: how many spans are shown, or None for all.
    """
    by_span: dict[int, list[Finding]] = {}
    for finding in findings:
        if finding.at.span is not None:
            by_span.setdefault(finding.at.span, []).append(finding)
    starts = [span.start_us for span in spans if span.start_us is not None]
    ends = [span.end_us for span in spans if span.end_us is not None]
    begin, end = min(starts, default=0), max(ends, default=0)
    if not spans:
        return
    yield f"{'start ms':>9} {'lasts':>9}  {'':<{_BAR}}  span"
    shown = hidden = 0
    for row in _rows(spans):
        found = by_span.get(row.span.index, ())
        if most is not None and shown >= most and not found:
            hidden += 1
            continue
        shown += 1
        yield _line(row, begin, end)
        for finding in found:
            yield f"{'':>{_BAR + 21}}  {'  ' * row.depth}! {finding.code}: {finding.detail}"
    if hidden:
        yield f"... and {hidden} spans more; --all shows them"


def _line(row: _Row, begin: int, end: int) -> str:
    span = row.span
    start, stop = span.start_us, span.end_us
    since = "?" if start is None else _milliseconds(start - begin)
    lasts = "?" if start is None or stop is None else _milliseconds(stop - start)
    error = " (error)" if span.status.value == "error" else ""
    outside = "outside the tree: " if row.lies_outside else ""
    told = next((f" {bare(str(span.attributes[name]))}" for name in _TOLD if name in span.attributes), "")
    name = bare(span.name[:_NAME]) if span.name else "?"
    head = f"{since:>9} {lasts:>9}  {_bar(start, stop, begin, end):<{_BAR}}"
    return f"{head}  {'  ' * row.depth}{outside}{name}{told}{error}"


def _bar(start: int | None, stop: int | None, begin: int, end: int) -> str:
    """Where a span lies between the first start and the last end; at least one mark wide."""
    if start is None or stop is None or stop < start or end <= begin:
        return ""
    first = min((start - begin) * _BAR // (end - begin), _BAR - 1)
    after = max(-((begin - stop) * _BAR // (end - begin)), first + 1)
    return " " * first + "#" * (min(after, _BAR) - first)


def _milliseconds(us: int) -> str:
    return f"{us / 1000:.3f}"


def _rows(spans: Sequence[SpanRecord]) -> Iterator[_Row]:
    """The spans, parents before their children, siblings by their start; then those that hang on none of these."""
    by_id: dict[str, SpanRecord] = {}
    for span in spans:
        if span.span_id is not None:
            by_id.setdefault(span.span_id, span)
    children: dict[str | None, list[SpanRecord]] = {}
    for span in spans:
        parent = span.parent_id if span.parent_id in by_id else None
        children.setdefault(parent, []).append(span)
    told: set[int] = set()
    tops = children.get(None, [])
    for top in (*(span for span in tops if span.parent_id is None), *(span for span in tops if span.parent_id)):
        yield from _below(top, children, told, lies_outside=top.parent_id is not None)
    for span in spans:  # a cycle hangs on nothing
        if span.index not in told:
            yield from _below(span, children, told, lies_outside=True)


def _below(
    top: SpanRecord, children: Mapping[str | None, list[SpanRecord]], told: set[int], *, lies_outside: bool
) -> Iterator[_Row]:
    pending = [(top, 0)]
    while pending:
        span, depth = pending.pop()
        if span.index in told:
            continue
        told.add(span.index)
        yield _Row(span, depth, lies_outside=lies_outside and depth == 0)
        below = children.get(span.span_id, []) if span.span_id is not None else []
        pending += [(child, depth + 1) for child in sorted(below, key=_by_start, reverse=True)]


def _by_start(span: SpanRecord) -> tuple[int, int]:
    return (span.start_us or 0, span.index)
