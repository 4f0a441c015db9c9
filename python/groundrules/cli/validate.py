"""``validate``: a document against the schema of its kind."""

from __future__ import annotations

from typing import Annotated

import typer

from groundrules import documents, strictjson
from groundrules.cli.render import AsJson, Exit, InputFile, print_json, print_line
from groundrules.contract import check_contract
from groundrules.errors import ReadError, UsageError, Where, bare
from groundrules.files import read_bytes
from groundrules.verdict import ContractVerdict


def validate(
    file: InputFile,
    kind: Annotated[str, typer.Option("--as", metavar="KIND", help="A kind of document, see schemas/.")],
    as_json: AsJson = False,
) -> int:
    """Hold a document to its schema, an envelope to the whole contract: every finding at once, in document order."""
    wanted = documents.top_level_type(kind)
    try:
        document = strictjson.loads(read_bytes(file))
    except ReadError as error:
        raise error.in_file(file) from None
    if not isinstance(document, dict):
        raise UsageError(
            "usage.wrong-type",
            f"a document of kind {kind} is of type {wanted} at its top, and this one is not",
            where=Where(file=file),
            remedy="name the right file, or another kind",
        )
    if kind == "envelope":
        return _print_contract(check_contract(document), as_json=as_json)
    findings = documents.validate(document, kind)
    if as_json:
        told = [{"pointer": finding.pointer, "detail": finding.detail} for finding in findings]
        print_json({"kind": kind, "valid": not findings, "findings": told})
    else:
        for finding in findings:
            print_line(f"{bare(finding.pointer) or 'the document'}: {finding.detail}")
        count = f"{len(findings)} finding{'s' if len(findings) > 1 else ''}"
        print_line(f"{kind}: {'INVALID, ' + count if findings else 'valid'}")
    return Exit.FAILED if findings else Exit.GOOD


def _print_contract(verdict: ContractVerdict, *, as_json: bool) -> Exit:
    if as_json:
        print_json(verdict.as_dict())
    else:
        for line in verdict.lines():
            print_line(line)
    return Exit.FAILED if verdict.findings else Exit.GOOD
