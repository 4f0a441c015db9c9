"""``witness``, ``decide`` and ``contracts lint``: what the evidence of an evaluation record may prove and decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from groundrules.cli.render import AsJson, Exit, InputFile, print_json, print_line
from groundrules.errors import ReadError, SchemaError, UsageError
from groundrules.files import read_bytes
from groundrules.strictjson import loads

if TYPE_CHECKING:
    from groundrules.strictjson import JSON
    from groundrules.witness import Record

Format = Annotated[
    str, typer.Option("--format", metavar="NAME", help="groundrules (default), or per for a PER 2.x record.")
]
ContractsFolder = Annotated[
    str | None,
    typer.Option("--contracts", metavar="DIR", help="Files with the predicates that the record does not declare."),
]
app = typer.Typer(help="Look through the contracts of predicates.")
_EXITS = {"BLOCK": Exit.FAILED, "REVIEW": Exit.UNCHECKED, "NONE": Exit.GOOD}


def witness(
    file: InputFile, format_: Format = "groundrules", contracts: ContractsFolder = None, as_json: AsJson = False
) -> int:
    """Say what the evidence of a record can prove, whether its claims cite what they have to, and in which order."""
    from groundrules.witness import check_authority, check_contracts, check_order, check_witness  # noqa: PLC0415 - most commands need no vocabulary

    record = _record(file, format_, contracts)
    verdicts = check_witness(record), check_contracts(record), check_order(record)
    authority = check_authority(record)
    stated = record.stated.get("recommendation")
    effect = stated.get("effect") if isinstance(stated, dict) else None
    too_strong = [finding for finding in authority.findings if finding.rule == "A2"]
    if as_json:
        told = dict(zip(("witness", "contracts", "order"), (verdict.as_dict() for verdict in verdicts), strict=True))
        allowed: JSON = {"effect": effect, "allowed": not too_strong, "at_most": authority.recommendation.effect}
        print_json({"format": "record/1", **told, "recommendation": allowed if effect is not None else None})
    else:
        for verdict in verdicts:
            for line in verdict.lines():
                print_line(line)
        if effect is not None:
            word = "NOT ALLOWED" if too_strong else "allowed"
            print_line(f"recommendation: {effect} is {word} (at most {authority.recommendation.effect})")
            for finding in too_strong:
                print_line(f"  {finding}")
    return Exit.FAILED if too_strong or any(verdict.findings for verdict in verdicts) else Exit.GOOD


def decide(
    file: InputFile, format_: Format = "groundrules", contracts: ContractsFolder = None, as_json: AsJson = False
) -> int:
    """Say who decided each claim of a record, which are proven, and how strong a recommendation may be."""
    from groundrules.witness import check_authority  # noqa: PLC0415 - as above

    verdict = check_authority(_record(file, format_, contracts))
    if as_json:
        print_json(verdict.as_dict())
    else:
        for line in verdict.lines():
            print_line(line)
    return Exit.FAILED if verdict.findings else _EXITS[verdict.recommendation.effect]


@app.command("lint")
def lint(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Files with predicates: JSON or YAML.")],
    as_json: AsJson = False,
) -> int:
    """Find contracts that no evidence can satisfy, and resolvers that are out of order."""
    from groundrules.witness import lint_contracts  # noqa: PLC0415 - as above

    count, findings = lint_contracts(folder)
    if as_json:
        told: JSON = [{"code": found.code, "at": found.at.as_dict(), "detail": found.detail} for found in findings]
        print_json({"format": "contracts/1", "predicates": count, "findings": told})
    else:
        for finding in findings:
            print_line(str(finding))
        print_line(f"contracts: {count} predicates, {len(findings)} findings")
    return Exit.FAILED if findings else Exit.GOOD


def _record(file: str, format_: str, contracts: str | None) -> Record:
    """A record with the predicates of a folder beside its own."""
    from groundrules.witness import from_per, read_record  # noqa: PLC0415 - as above

    if format_ not in ("groundrules", "per"):
        raise UsageError("usage.arguments", "there is no such format", remedy="use groundrules or per")
    try:
        document = loads(read_bytes(file))
        record = from_per(document) if format_ == "per" else document
        return read_record(record if contracts is None else _with_contracts(record, contracts))
    except (ReadError, SchemaError) as error:
        raise error if error.where.file else error.in_file(file) from None


def _with_contracts(record: JSON, folder: str) -> JSON:
    from groundrules.witness import load_predicates  # noqa: PLC0415 - as above

    own = record.get("predicates", []) if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(own, list):
        return record  # its schema says why
    declared = {_name(entry) for entry in own}
    return record | {"predicates": own + [entry for entry in load_predicates(folder) if _name(entry) not in declared]}


def _name(entry: JSON) -> tuple[str, str]:
    stated = entry if isinstance(entry, dict) else {}
    return str(stated.get("id")), str(stated.get("version"))
