"""``witness``: what the evidence of an evaluation record may prove, and in which order it was resolved."""

from __future__ import annotations

from typing import Annotated

import typer

from groundrules.cli.render import AsJson, Exit, InputFile, print_json, print_line
from groundrules.errors import ReadError, SchemaError, UsageError
from groundrules.files import read_bytes
from groundrules.strictjson import loads


def witness(
    file: InputFile,
    format_: Annotated[
        str, typer.Option("--format", metavar="NAME", help="groundrules (default), or per for a PER 2.x record.")
    ] = "groundrules",
    as_json: AsJson = False,
) -> int:
    """Say which evidence of a record can prove what the agent did, and whether its resolvers came in order."""
    from groundrules.witness import check_order, check_witness, from_per  # noqa: PLC0415 - most commands need no vocabulary

    if format_ not in ("groundrules", "per"):
        raise UsageError("usage.arguments", "there is no such format", remedy="use groundrules or per")
    try:
        document = loads(read_bytes(file))
        record = from_per(document) if format_ == "per" else document
        witnessing, order = check_witness(record), check_order(record)
    except (ReadError, SchemaError) as error:
        raise error.in_file(file) from None
    if as_json:
        print_json({"format": "record/1", "witness": witnessing.as_dict(), "order": order.as_dict()})
    else:
        for line in (*witnessing.lines(), *order.lines()):
            print_line(line)
    return Exit.FAILED if witnessing.findings or order.findings else Exit.GOOD
