"""A conformance report as Markdown, for the summary of a CI step."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final

from groundrules.conformance.render.document import (
    Entry,
    Implementation,
    Report,
    by_detail,
    clipped,
    columns,
    departing,
    read,
)
from groundrules.conformance.score import Outcome
from groundrules.errors import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules.strictjson import JSON

_MARKUP: Final = re.compile(r"[\\`*_\[\]|~$]|:(?=//)|(?i:(?<=www))\.")


def markdown(report: dict[str, JSON]) -> str:
    """The report with headings, tables by family and the details folded; foreign text is escaped throughout.

    Args:
        report: of ``schemas/conformance-report.json``.
    """
    told = read(report)
    blocks = ["# Conformance", _head(told)]
    if told.troubles:
        blocks.append("\n".join(f"- **{inline(trouble)}**" for trouble in told.troubles))
    for one in told.implementations:
        blocks += _implementation(one, told)
    blocks += ["## What this does not claim", "\n".join(f"- {inline(claim)}" for claim in told.does_not_claim)]
    return "\n\n".join(blocks) + "\n"


def inline(foreign: str) -> str:
    """Foreign text as one line of Markdown that shows it and nothing else: no markup, no HTML, no link, no cell.

    It is not fit for the start of a line.
    """
    return _MARKUP.sub(lambda match: f"\\{match[0]}", html.escape(escaped(foreign), quote=False))


def table_row(cells: Sequence[str]) -> str:
    """One row of a table; the cells are Markdown already."""
    return f"| {' | '.join(cells)} |"


def _head(report: Report) -> str:
    of_set = f", set {report.set}" if report.set is not None else ""
    part = ", a part of them" if report.partial else ""
    return f"Kit {inline(report.kit)}, corpus `{report.corpus}`{of_set}, {report.asked} vectors asked{part}."


def _implementation(one: Implementation, report: Report) -> Iterator[str]:
    yield f"## {inline(one.title)}"
    yield f"**{one.counts[Outcome.PASS]} of {report.asked} vectors passed**; {one.passes}."
    stated = [f"{name}: {inline(one.about[name])}" for name in ("language", "url") if name in one.about]
    stated += [f"{name}: {', '.join(listed)}" for name, listed in _declared(one) if listed]
    if stated:
        yield "\n".join(f"- {line}" for line in stated)
    yield "\n".join(_table(one))
    for outcome, entries in departing(one.entries).items():
        yield "\n".join(_folded(outcome, entries))


def _declared(one: Implementation) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return ("kinds", one.kinds), ("features", one.features)


def _table(one: Implementation) -> Iterator[str]:
    shown = columns(one.counts)
    yield table_row(["family", "vectors", *shown])
    yield table_row(["---", *["--:"] * (len(shown) + 1)])
    for family, counts in one.families.items():
        yield table_row([family, str(counts.total()), *(str(counts[outcome]) for outcome in shown)])
    yield table_row(["**all**", str(len(one.entries)), *(str(one.counts[outcome]) for outcome in shown)])


def _folded(outcome: Outcome, entries: Sequence[Entry]) -> Iterator[str]:
    """One block of HTML without an empty line, so that nothing in it is read as Markdown."""
    yield "<details>"
    yield f"<summary>{outcome}: {len(entries)}</summary>"
    for detail, ids in by_detail(entries).items():
        yield f"<p>{', '.join(f'<code>{name}</code>' for name in ids)}</p>"
        if detail:
            yield f"<pre>{html.escape(escaped(clipped(detail)))}</pre>"
    yield "</details>"
