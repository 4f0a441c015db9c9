"""Conformance reports side by side: families down, implementations across, then where they differ."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from groundrules.conformance.render.document import Implementation, Report, clipped, read
from groundrules.conformance.render.markdown import inline, table_row
from groundrules.conformance.score import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules.strictjson import JSON

_INAPPLICABLE: Final = "–"  # noqa: RUF001 - a dash is what stands in an empty cell
_TITLE: Final = 40
"""How many characters of a name and version a column's head shows."""


@dataclass(frozen=True, slots=True)
class _Column:
    """One implementation of one report; ``head`` is Markdown, and no other column has it."""

    head: str
    one: Implementation
    report: Report


def matrix(report: dict[str, JSON], *others: dict[str, JSON]) -> str:
    """Reports merged into one table of passed and applicable vectors, and the vectors on which implementations differ.

    Vectors are compared by id and SHA-256, so reports of different corpora may be put together. A vector that is not
    applicable to an implementation says nothing of it.

    Args:
        report: of ``schemas/conformance-report.json``.
        others: more of them, each with its columns to the right.
    """
    columns = list(_columns([read(one) for one in (report, *others)]))
    blocks = ["\n".join(_table(columns)), "\n".join(_origins(columns))]
    if len(columns) > 1:
        differing = list(_differing(columns))
        blocks += ["## Where they differ", "\n".join(differing) or "On no vector."]
    return "\n\n".join(blocks) + "\n"


def _columns(reports: Sequence[Report]) -> Iterator[_Column]:
    seen: Counter[str] = Counter()
    for report in reports:
        for one in report.implementations:
            head = inline(clipped(one.title, _TITLE))
            seen[head] += 1
            again = f" ({seen[head]})" if seen[head] > 1 else ""
            yield _Column(head + again, one, report)


def _table(columns: Sequence[_Column]) -> Iterator[str]:
    by_family = [column.one.families for column in columns]
    rows = [["family", *(column.head for column in columns)]]
    names = sorted({family for families in by_family for family in families})
    rows += [[name, *(_cell(families.get(name, Counter())) for families in by_family)] for name in names]
    rows += [["all", *(_cell(column.one.counts) for column in columns)]]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    rows.insert(1, ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    for first, *cells in rows:
        padded = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        yield table_row([first.ljust(widths[0]), *padded])


def _cell(counts: Counter[Outcome]) -> str:
    applicable = counts.total() - counts[Outcome.NOT_APPLICABLE]
    return f"{counts[Outcome.PASS]}/{applicable}" if applicable else _INAPPLICABLE


def _origins(columns: Sequence[_Column]) -> Iterator[str]:
    for column in columns:
        report = column.report
        of_set = f", set {report.set}" if report.set is not None else ""
        yield f"- {column.head}: kit {inline(report.kit)}, corpus {report.corpus[:16]}{of_set}, {report.asked} asked"


def _differing(columns: Sequence[_Column]) -> Iterator[str]:
    told: dict[tuple[str, str], dict[str, Outcome]] = defaultdict(dict)
    for column in columns:
        for entry in column.one.entries:
            if entry.outcome is not Outcome.NOT_APPLICABLE:
                told[entry.id, entry.sha256][column.head] = entry.outcome
    for (name, _), outcomes in sorted(told.items()):
        if len(set(outcomes.values())) > 1:
            yield f"- `{name}`: " + ", ".join(f"{head} {outcome}" for head, outcome in outcomes.items())
