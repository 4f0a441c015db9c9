"""``resolve``: a transcript archive and predicates in, an evaluation record out."""

from __future__ import annotations

from typing import Annotated

import typer

from groundrules.cli.render import Exit, print_json
from groundrules.errors import ReadError, SchemaError
from groundrules.files import read_bytes
from groundrules.strictjson import JSON, loads


def resolve(
    archive: Annotated[str, typer.Argument(metavar="ARCHIVE", help="A transcript archive, or - for standard input.")],
    predicates: Annotated[str, typer.Option("--predicates", metavar="FILE", help="What is to be decided.")],
    evaluators: Annotated[
        str | None,
        typer.Option(
            "--evaluators", metavar="FILE", help="Models behind endpoints to ask; without it nobody is asked."
        ),
    ] = None,
) -> int:
    """Decide predicates over a transcript archive, and print the evaluation record."""
    from groundrules.resolvers import load_evaluators, resolve_archive  # noqa: PLC0415 - most commands resolve nothing

    run, stated = _read(archive), _read(predicates)
    asked = None if evaluators is None else load_evaluators(evaluators)
    try:
        record = resolve_archive(run, stated, asked.asked if asked else {}, declared=asked.declared if asked else ())
    except SchemaError as error:
        raise error.in_file(archive if error.code == "schema.archive" else predicates) from None
    print_json(record)
    return Exit.GOOD


def _read(file: str) -> JSON:
    try:
        return loads(read_bytes(file))
    except ReadError as error:
        raise error.in_file(file) from None
