"""``runs``: what a store holds, one run of it as a timeline, and whether runs and index still agree."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from groundrules.citations import is_digest, is_invocation_id
from groundrules.cli.render import AsJson, Exit, print_json, print_line
from groundrules.cli.running import StoreFolder
from groundrules.cli.sources import CopiesFile, RequireContent, RequireResolved
from groundrules.cli.verify import Report, tell_all
from groundrules.errors import UsageError, bare, show
from groundrules.findings import Finding, Place
from groundrules.runs import RunVerdict, StoredRun, read_run
from groundrules.runs.layout import ENVELOPE, GROUNDING, SOURCES
from groundrules.runs.store import RunStore
from groundrules.runs.storecheck import check_store
from groundrules.runs.timeline import MOST, timeline
from groundrules.runs.verify import judge_run
from groundrules.sources import NO_COPIES, load_copies
from groundrules.strictjson import JSON
from groundrules.verdict import Strictness

app = typer.Typer(help="Read a store of runs.", no_args_is_help=True)

_COLUMNS = ("invocation", "completed", "agent", "mode", "status", "grounding", "sources")


@app.command("list")
def list_(store: StoreFolder = Path("runs"), as_json: AsJson = False) -> int:
    """List the stored runs, oldest first, with their verdicts as they were recorded."""
    held = RunStore(store)
    rows = [_row(invocation_id, _read(held.folder / invocation_id)) for invocation_id in held.ids()]
    if as_json:
        print_json({"format": "runs/1", "runs": rows})
    else:
        for row in rows:
            print_line(f"{row['invocation']}  {row['agent']}, {row['mode']}")
            words = f"{row['status']}, grounding {row['grounding']}, sources {row['sources']}"
            print_line(f"  {str(row['completed'])[:19]}  {words}")
        print_line(f"runs: {len(rows)} in {show(str(store))}")
    return Exit.GOOD if rows else Exit.NOTHING_RUN


@app.command("show")
def show_(
    run: Annotated[str, typer.Argument(metavar="RUN", help="An invocation id in the store, or a run's folder.")],
    store: StoreFolder = Path("runs"),
    copies: CopiesFile = None,
    all_spans: Annotated[bool, typer.Option("--all", help=f"Show every span, not the first {MOST}.")] = False,
) -> int:
    """Show a run: its outcome, its verdicts, and its spans as a timeline with the findings beside them."""
    if not run:
        raise UsageError("usage.arguments", "the name of the run is empty", remedy="name a run or its folder")
    folder = store / run if is_invocation_id(run) else Path(run)
    stored = read_run(folder)
    with load_copies(copies) if copies is not None else contextlib.nullcontext(NO_COPIES) as held:
        verdict = judge_run(stored, held)
    row = _row(folder.name, stored)
    print_line(f"run {bare(str(row['invocation']))}: {row['agent']}, {row['mode']}, {row['completed']}")
    print_line(f"outcome: {row['status']}: {show(_statement(stored))}")
    for line in verdict.lines():
        print_line(line)
    found = [*verdict.grounding.findings, *verdict.grounding.notes, *_recorded(verdict)]
    for line in timeline(stored.spans or [], found, most=None if all_spans else MOST):
        print_line(line)
    return Exit.GOOD


@app.command("verify")
def verify(
    store: StoreFolder = Path("runs"),
    copies: CopiesFile = None,
    head: Annotated[
        str | None, typer.Option("--head", metavar="DIGEST", help="A head of the index that was kept elsewhere.")
    ] = None,
    require_resolved: RequireResolved = False,
    require_content: RequireContent = False,
    as_json: AsJson = False,
) -> int:
    """Check every stored run again, and the index against the runs."""
    if head is not None and not is_digest(head):
        remedy = "give the head as groundrules run printed it"
        raise UsageError("usage.arguments", "the head is no 64 lower-case hex digits", remedy=remedy)
    held = RunStore(store)
    findings, now = check_store(held, anchor=head)
    folders = [os.fspath(held.folder / invocation_id) for invocation_id in held.ids()]
    report = Report(as_json=as_json, several=True)
    tell_all(report, folders, copies, strictness=Strictness(require_content, require_resolved))
    report.close({"head": now, "index": [finding.as_dict() for finding in findings]})
    if not as_json:
        for finding in findings:
            print_line(f"  {finding}")
        word = "DISAGREES" if findings else "agrees"
        print_line(f"index: {word}{'' if now is None else f' (head {now})'}")
    if findings:
        return Exit.FAILED
    return report.exit_code if folders else Exit.NOTHING_RUN


@app.command("reindex")
def reindex(store: StoreFolder = Path("runs")) -> int:
    """Write the index anew from the runs; the old one is kept beside it."""
    held = RunStore(store)
    head = held.reindex()
    print_line(f"index: {len(held.ids())} runs{'' if head is None else f' (head {head})'}")
    return Exit.GOOD if head is not None else Exit.NOTHING_RUN


def _read(folder: Path) -> StoredRun:
    """A run for the list, also where nothing of one is in its folder."""
    try:
        return read_run(folder)
    except UsageError:
        return StoredRun({}, None, {})


def _recorded(verdict: RunVerdict) -> Iterator[Finding]:
    """The findings on spans of a stored verdict that is repeated."""
    match (verdict.recorded or {}).get("grounding"):
        case {"findings": [*findings]}:
            for finding in findings:
                match finding:
                    case {"code": str(code), "at": {"span": int(span)}, "detail": str(detail)}:
                        yield Finding(code, Place(span=span), detail)


def _row(invocation_id: str, stored: StoredRun) -> dict[str, JSON]:
    """What a list tells of a run; a question mark for what is not there."""
    envelope = stored.documents.get(ENVELOPE)
    told = [_at(envelope, name) for name in ("completed_at", "agent_id", "grounding_mode")]
    outcome = envelope.get("outcome") if isinstance(envelope, dict) else None
    words = [_at(stored.documents.get(file), "status") for file in (GROUNDING, SOURCES)]
    return dict(zip(_COLUMNS, (invocation_id, *told, _at(outcome, "status"), *words), strict=True))


def _at(document: JSON, name: str) -> str:
    value = document.get(name) if isinstance(document, dict) else None
    return bare(value) if isinstance(value, str) else "?"


def _statement(stored: StoredRun) -> str:
    match stored.documents.get(ENVELOPE):
        case {"outcome": {"statement": str(statement)}}:
            return statement
    return "?"
