"""A conformance report as text for a terminal: a table, a line for each departure, a summary line."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from groundrules.conformance.render.document import Entry, Implementation, Report, clipped, columns, departing, read
from groundrules.conformance.score import Outcome
from groundrules.errors import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.strictjson import JSON

_WIDTH: Final = 80
_INDENT: Final = "    "
_HEADS: Final = {Outcome.WRONG_REASON: ["wrong-", "reason"], Outcome.NOT_APPLICABLE: ["not-", "applic-", "able"]}
"""The headings that are broken, by their outcome."""


def text(report: dict[str, JSON]) -> str:
    """The report as lines of at most 80 columns, as far as families and ids allow.

    Vectors that are not applicable are counted and not listed.

    Args:
        report: of ``schemas/conformance-report.json``.
    """
    told = read(report)
    blocks = ["\n".join(_block(one, told)) for one in told.implementations]
    if told.troubles:
        blocks.append("\n".join(map(escaped, told.troubles)))
    return "\n\n".join(blocks) + "\n"


def _block(one: Implementation, report: Report) -> Iterator[str]:
    language = one.about.get("language")
    yield escaped(f"{one.title} ({language})" if language else one.title)
    yield from _table(one)
    yield f"passes: {one.passes}"
    for outcome, entries in departing(one.entries).items():
        if outcome is not Outcome.NOT_APPLICABLE:
            for entry in entries:
                yield from _departure(entry)
    yield _summary(one, report)


def _table(one: Implementation) -> Iterator[str]:
    """Rows of families; long headings take several lines, so that all ten outcomes fit."""
    shown = columns(one.counts)
    heads = [["family"], ["total"], *(_HEADS.get(outcome, [outcome]) for outcome in shown)]
    rows = [[family, str(n.total()), *(str(n[outcome]) for outcome in shown)] for family, n in one.families.items()]
    rows.append(["all", str(len(one.entries)), *(str(one.counts[outcome]) for outcome in shown)])
    height = max(map(len, heads))
    lines = [*map(list, zip(*([""] * (height - len(head)) + head for head in heads), strict=True)), *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    gap = " " * (2 if sum(widths) + 2 * (len(widths) - 1) <= _WIDTH else 1)
    for first, *others in lines:
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
        yield gap.join(cells).rstrip()


def _departure(entry: Entry) -> list[str]:
    head, detail = f"{entry.outcome}: {entry.id}", escaped(clipped(entry.detail))
    line = f"{head}: {detail}" if detail else head
    if len(line) <= _WIDTH:
        return [line]
    wrapped = textwrap.wrap(detail, _WIDTH - len(_INDENT), break_on_hyphens=False)
    return [f"{head}:", *(_INDENT + part for part in wrapped)]


def _summary(one: Implementation, report: Report) -> str:
    inapplicable = one.counts[Outcome.NOT_APPLICABLE]
    beside = f", {inapplicable} not applicable" if inapplicable else ""
    name = f"{escaped(one.title)}: " if len(report.implementations) > 1 else ""
    of_set = f", set {report.set}" if report.set is not None else ""
    of_set += ", a part" if report.partial else ""
    of_set += ", by verdict alone" if one.by_verdict else ""
    passed = f"{one.counts[Outcome.PASS]} of {report.asked} vectors passed{beside}"
    return f"conform: {name}{passed} (corpus {report.corpus[:16]}{of_set})"
