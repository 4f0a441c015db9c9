"""The span tree, in time linear in the number of spans (g0.tree)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules.trace.spans import SpanRecord

SpanFault = tuple[int, str, str]
"""Index of a span, a G0 code, and one clause."""


def tree_faults(spans: Sequence[SpanRecord], root: int | None) -> Iterator[SpanFault]:
    """What keeps the spans from being one tree.

    Args:
        spans: every span of the file.
        root: the index of the one root, or None where there is not exactly one; trace and descent are then not judged.
    """
    by_id: dict[str, int] = {}
    for span in spans:
        if span.span_id is not None and by_id.setdefault(span.span_id, span.index) != span.index:
            yield span.index, "g0.duplicate-span-id", "an earlier span has the same id"
    parents = [by_id.get(span.parent_id) if span.parent_id is not None else None for span in spans]
    cycles = _cycles(parents)
    for cycle in cycles:
        yield min(cycle), "g0.cycle", "the span is its own ancestor"
    if root is None:
        return
    on_cycle = {index for cycle in cycles for index in cycle}
    descends = _descendants(parents, root)
    for span in spans:
        if None not in (span.trace_id, spans[root].trace_id) and span.trace_id != spans[root].trace_id:
            yield span.index, "g0.foreign-trace", "the span belongs to another trace than the root"
        if not descends[span.index] and span.index not in on_cycle:
            yield span.index, "g0.outside-tree", "the span does not descend from the root"


def _cycles(parents: Sequence[int | None]) -> list[list[int]]:
    """The cycles of a graph in which every node has at most one parent."""
    fresh, active, done = 0, 1, 2
    state = [fresh] * len(parents)
    cycles = []
    for start in range(len(parents)):
        path: list[int] = []
        node: int | None = start
        while node is not None and state[node] == fresh:
            state[node] = active
            path.append(node)
            node = parents[node]
        if node is not None and state[node] == active:
            cycles.append(path[path.index(node) :])
        for visited in path:
            state[visited] = done
    return cycles


def _descendants(parents: Sequence[int | None], root: int) -> list[bool]:
    """For every span whether the root is among its ancestors, or it is the root."""
    known: list[bool | None] = [None] * len(parents)
    known[root] = True
    for start in range(len(parents)):
        path: list[int] = []
        node: int | None = start
        while node is not None and known[node] is None:
            known[node] = False
            path.append(node)
            node = parents[node]
        answer = node is not None and bool(known[node])
        for visited in path:
            known[visited] = answer
    return [bool(answer) for answer in known]
