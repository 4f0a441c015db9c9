"""``sources check`` and ``sources pin``: evidence against pinned copies, and the entry that pins one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from groundrules import strictjson
from groundrules.cli.render import AsJson, Exit, print_json, print_line
from groundrules.errors import ReadError, UsageError
from groundrules.files import STANDARD_INPUT, read_bytes
from groundrules.sources import check_sources, load_copies
from groundrules.sources.pin import entry_of
from groundrules.verdict import SourceStatus, SourceVerdict, Strictness

app = typer.Typer(help="Check evidence against pinned copies of its sources.", rich_markup_mode=None)

CopiesFile = Annotated[
    str | None, typer.Option("--copies", metavar="FILE", help="The list of copies, YAML or JSON (.json).")
]
RequireResolved = Annotated[
    bool, typer.Option("--require-resolved", help="End with exit code 3 where an item is unresolved.")
]
RequireContent = Annotated[bool, typer.Option("--require-content", help="Evidence without content violates S3.")]


@app.callback()
def _group() -> None:
    """Check evidence against pinned copies of its sources."""


@app.command("check")
def check(
    envelope: Annotated[str, typer.Argument(metavar="ENVELOPE", help="An envelope's file, or - for standard input.")],
    copies: Annotated[str, typer.Option("--copies", metavar="FILE", help="The list of copies, YAML or JSON (.json).")],
    require_resolved: RequireResolved = False,
    require_content: RequireContent = False,
    as_json: AsJson = False,
) -> int:
    """Hold every evidence item of an envelope to the pinned copy that it names (rules S1 to S3)."""
    if envelope == copies == STANDARD_INPUT:
        raise UsageError("usage.arguments", "standard input is one file", remedy="name the list or the envelope")
    with load_copies(copies) as held:
        try:
            document = strictjson.loads(read_bytes(envelope))
        except ReadError as error:
            raise error.in_file(envelope) from None
        verdict = check_sources(document, held, profile=Strictness(require_content, require_resolved))
    if as_json:
        print_json(verdict.as_dict())
    else:
        for line in verdict.lines():
            print_line(line)
    return _exit_code(verdict)


def _exit_code(verdict: SourceVerdict) -> Exit:
    if verdict.status is SourceStatus.FAILED:
        return Exit.FAILED
    if verdict.profile.require_resolved and verdict.unresolved:
        return Exit.UNCHECKED
    return Exit.NOTHING_RUN if verdict.status is SourceStatus.NOTHING else Exit.GOOD


@app.command("pin")
def pin(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A copy: JSON Lines, or one JSON array of records.")],
    id_field: Annotated[
        str | None,
        typer.Option("--id-field", metavar="NAME", help="The member that is the source id; found where it can be."),
    ] = None,
    ref: Annotated[
        list[str] | None, typer.Option("--ref", metavar="REF", help="A snapshot reference; may be given again.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Print the entry that pins a copy, ready to paste into a list; every record is read first."""
    entry = entry_of(Path(file), id_field, ref or [f"snapshot:{Path(file).stem}"])
    if as_json:
        print_json({"sources": [entry]})
        return Exit.GOOD
    print_line("sources:")
    for position, (name, value) in enumerate(entry.items()):
        print_line(f"  {'  ' if position else '- '}{name}: {json.dumps(value, ensure_ascii=False)}")
    return Exit.GOOD
