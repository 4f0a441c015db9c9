"""``evidence check``: rule E1 on every evidence item of an envelope."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundrules import strictjson
from groundrules.cli.render import AsJson, Exit, print_json, print_line
from groundrules.e1 import ItemVerdict, check_envelope
from groundrules.errors import ReadError, SchemaError, bare
from groundrules.files import read_bytes

if TYPE_CHECKING:
    from groundrules.e1 import ItemResult

app = typer.Typer(help="Check the evidence of an envelope.", rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Check the evidence of an envelope."""


@app.command("check")
def check(
    envelope: Annotated[str, typer.Argument(metavar="ENVELOPE", help="An envelope's file, or - for standard input.")],
    as_json: AsJson = False,
) -> int:
    """Re-hash the content of every evidence item: one line an item, findings and notes below it."""
    try:
        results = check_envelope(strictjson.loads(read_bytes(envelope)))
    except (ReadError, SchemaError) as error:
        raise error.in_file(envelope) from None
    counts = Counter(result.verdict for result in results)
    if as_json:
        print_json(
            {
                "format": "evidence-check/1",
                "counts": {verdict.value: counts[verdict] for verdict in ItemVerdict},
                "items": [result.as_dict() for result in results],
            }
        )
    else:
        for result in results:
            _print(result)
        told = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in ItemVerdict if counts[verdict])
        print_line(f"evidence: {told or 'nothing to check'}")
    return _exit_code(counts)


def _print(result: ItemResult) -> None:
    shown = result.verdict.upper() if result.verdict is ItemVerdict.FAILED else result.verdict
    told = [f"{shown:<9}", result.pointer, bare(result.source_id), bare(result.canonicalisation)]
    print_line(" ".join(part for part in told if part))
    if result.verdict is ItemVerdict.UNCHECKED:
        print_line("          it carries no content, so there is nothing to hash")
    for remark in (*result.findings, *result.notes):
        print_line(f"          {bare(remark.pointer)}: {remark.detail} [{remark.code}]")


def _exit_code(counts: Counter[ItemVerdict]) -> Exit:
    if counts[ItemVerdict.FAILED]:
        return Exit.FAILED
    if counts[ItemVerdict.UNCHECKED]:
        return Exit.UNCHECKED
    return Exit.GOOD if counts else Exit.NOTHING_RUN


@app.command("refs")
def refs(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a stored run.")],
) -> int:
    """Print a run as an evaluation record without claims: what may be cited of it, and what of that can prove."""
    from groundrules.runs import read_run  # noqa: PLC0415 - most commands read no run
    from groundrules.runs.layout import FILES  # noqa: PLC0415
    from groundrules.runs.reading import LARGEST_TRACE  # noqa: PLC0415
    from groundrules.witness.runrefs import refs_of_run  # noqa: PLC0415

    stored = read_run(run)
    there = [name for name in FILES if name not in stored.missing]
    print_json(refs_of_run(stored, {name: read_bytes(str(Path(run) / name), limit=LARGEST_TRACE) for name in there}))
    return Exit.GOOD
