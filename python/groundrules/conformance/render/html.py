"""A conformance report as one page of HTML that needs no script and asks no other server for anything."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from groundrules.conformance.render.document import (
    GREEN,
    Entry,
    Implementation,
    Report,
    Standing,
    by_detail,
    columns,
    departing,
    read,
)
from groundrules.conformance.score import Outcome
from groundrules.errors import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules.strictjson import JSON

_STYLE: Final = """\
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2024; --dim: #5b646e; --line: #d5dae0; --shade: #f3f5f7;
  --good: #18703a; --part: #8a5a00; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171a; --ink: #e4e8ec; --dim: #9ba5b0; --line: #343b43;
  --shade: #1e2328; --good: #5fce8a; --part: #e6b04d; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; -webkit-text-size-adjust: 100%; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 3rem 0 .5rem; padding-top: 1.5rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { margin: .3rem 0 0; padding: .5rem .75rem; background: var(--shade); border-radius: .3rem;
  white-space: pre-wrap; max-height: 24rem; overflow-y: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.25rem; margin: 0; }
dt { color: var(--dim); }
dd { margin: 0; }
.passed { font-size: 1.15rem; margin: 0 0 1rem; }
.passed strong { font-size: 1.5rem; }
.all { color: var(--good); } .applicable { color: var(--part); } .red, td.red { color: var(--bad); }
.claims { border-left: .25rem solid var(--line); padding: .1rem 0 .1rem 1rem; margin: 1.5rem 0 0; }
.claims h2 { font-size: 1rem; border: 0; margin: 0; padding: 0; }
.claims ul { margin: .3rem 0 0; padding-left: 1.1rem; }
.wide { overflow-x: auto; margin: 1.5rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal; min-width: 60%; }
th, td { padding: .3rem .75rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; }
thead th { color: var(--dim); font-size: .875rem; vertical-align: bottom; }
th:first-child { text-align: left; padding-left: 0; position: sticky; left: 0; background: var(--paper); }
tfoot th, tfoot td { font-weight: 600; border: 0; }
td.none { color: var(--dim); opacity: .55; }
.entry { margin: 0 0 1rem; }
.ids { margin: 0; padding: 0; list-style: none; columns: 22rem; column-gap: 2rem; }
.ids code { overflow-wrap: anywhere; }
details { margin: 1rem 0; }
summary { cursor: pointer; padding: .25rem 0; }
summary + * { margin-top: .5rem; }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; } }
"""

_WORDS: Final = {
    Standing.ALL: ("all", "Every vector is a pass or an expected failure."),
    Standing.APPLICABLE: ("applicable", "Every vector that is applicable is a pass or an expected failure."),
    Standing.RED: ("red", "The run is red."),
}


def html(report: dict[str, JSON]) -> str:
    """The report as a page: who answered, what it does not claim, a table by family, every departure, every id.

    Args:
        report: of ``schemas/conformance-report.json``.
    """
    return "\n".join(_page(read(report))) + "\n"


def _page(report: Report) -> Iterator[str]:
    titles = ", ".join(one.title for one in report.implementations)
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield (
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">"
    )
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>Conformance of {_safe(titles)}</title>"
    yield f"<style>\n{_STYLE}</style>"
    yield "</head>"
    yield "<body>"
    yield from _header(report)
    yield "<main>"
    for one in report.implementations:
        yield from _implementation(one, report)
    yield "</main>"
    yield "</body>"
    yield "</html>"


def _header(report: Report) -> Iterator[str]:
    names = [one.title for one in report.implementations]
    yield "<header>"
    yield "<h1>Conformance report</h1>"
    yield "<dl>"
    yield from _term("Implementations" if len(names) > 1 else "Implementation", "<br>".join(map(_safe, names)))
    yield from _term("Kit", f"groundrules {_safe(report.kit)}")
    yield from _term("Corpus", f"<code>{_safe(report.corpus)}</code>")
    yield from _term("Set", "all vectors" if report.set is None else _safe(report.set))
    yield from _term("Asked", f"{report.asked} vectors{', a part of them' if report.partial else ''}")
    if report.troubles:
        yield from _term("Not in order", "<br>".join(map(_safe, report.troubles)))
    yield "</dl>"
    yield '<section class="claims">'
    yield "<h2>What this report does not claim</h2>"
    yield "<ul>"
    yield from (f"<li>{_safe(claim)}</li>" for claim in report.does_not_claim)
    yield "</ul>"
    yield "</section>"
    yield "</header>"


def _term(name: str, value: str) -> tuple[str, str]:
    return f"<dt>{name}</dt>", f"<dd>{value}</dd>"


def _implementation(one: Implementation, report: Report) -> Iterator[str]:
    css, words = _WORDS[one.standing(report.asked)]
    yield "<section>"
    yield f"<h2>{_safe(one.title)}</h2>"
    passed = one.counts[Outcome.PASS]
    yield f'<p class="passed"><strong class="{css}">{passed} of {report.asked}</strong> vectors passed. {words}</p>'
    yield "<dl>"
    for name, member in (("Language", "language"), ("Address", "url")):
        if member in one.about:
            yield from _term(name, _safe(one.about[member]))
    yield from _term("Kinds", _safe(", ".join(one.kinds)) or "none")
    yield from _term("Features", _safe(", ".join(one.features)) or "none")
    yield from _term("Passes", one.passes)
    yield "</dl>"
    yield from _table(one)
    for outcome, entries in departing(one.entries).items():
        yield from _departures(outcome, entries)
    yield from _ids(one)
    yield "</section>"


def _table(one: Implementation) -> Iterator[str]:
    shown = columns(one.counts)
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("family", "vectors", *shown))
    yield '<div class="wide" tabindex="0" role="region" aria-label="Results by family">'
    yield "<table>"
    yield f"<thead><tr>{heads}</tr></thead>"
    yield "<tbody>"
    for family, counts in one.families.items():
        cells = "".join(_cell(outcome, counts[outcome]) for outcome in shown)
        yield f'<tr><th scope="row">{_safe(family)}</th><td>{counts.total()}</td>{cells}</tr>'
    yield "</tbody>"
    cells = "".join(_cell(outcome, one.counts[outcome]) for outcome in shown)
    yield f'<tfoot><tr><th scope="row">all</th><td>{len(one.entries)}</td>{cells}</tr></tfoot>'
    yield "</table>"
    yield "</div>"


def _cell(outcome: Outcome, number: int) -> str:
    if not number:
        return '<td class="none">0</td>'
    return f"<td>{number}</td>" if outcome in GREEN else f'<td class="red">{number}</td>'


def _departures(outcome: Outcome, entries: Sequence[Entry]) -> Iterator[str]:
    """What is red lies open; what is not, and may be a thousand vectors, is folded."""
    if outcome in GREEN:
        yield f"<details><summary>{outcome}: {len(entries)}</summary>"
    else:
        yield f'<h3 class="red">{outcome}: {len(entries)}</h3>'
    for detail, ids in by_detail(entries).items():
        yield '<div class="entry">'
        yield from _list(ids)
        if detail:
            yield f"<pre>{_safe(detail)}</pre>"
        yield "</div>"
    if outcome in GREEN:
        yield "</details>"


def _ids(one: Implementation) -> Iterator[str]:
    yield f"<details><summary>All {len(one.entries)} vectors</summary>"
    yield from _list([entry.id for entry in one.entries])
    yield "</details>"


def _list(ids: Sequence[str]) -> Iterator[str]:
    yield '<ul class="ids">'
    yield from (f"<li><code>{_safe(name)}</code></li>" for name in ids)
    yield "</ul>"


def _safe(foreign: str) -> str:
    return escape(escaped(foreign))
