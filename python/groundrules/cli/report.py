"""``report`` and ``wrong``: what was answered, in other forms; and implementations that are wrong on purpose."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from groundrules import strictjson
from groundrules.cli.render import AsJson, Exit, print_json, print_line, write_octets
from groundrules.conformance.builtin import answer
from groundrules.conformance.render import FORMATS
from groundrules.conformance.render.sarif import sarif
from groundrules.conformance.report import departures, merged
from groundrules.conformance.serve import serve
from groundrules.conformance.sets import read_sets
from groundrules.conformance.vectors import load
from groundrules.conformance.wrong import WRONG, described
from groundrules.documents import kit, validate
from groundrules.errors import ReadError, UsageError, Where, bare, escaped, show
from groundrules.files import read_bytes

_VERIFY = "verify"
_SARIF = "sarif"


def report(
    files: Annotated[list[str], typer.Argument(metavar="[verify] FILE...", help="Reports of groundrules conform.")],
    form: Annotated[
        str,
        typer.Option("--format", metavar="NAME", help=f"One of {', '.join([*FORMATS, _SARIF])} (of verify --json)."),
    ] = "text",
    as_json: AsJson = False,
) -> int:
    """Render reports in another form; with the word verify, hold them to the vectors at hand."""
    if files[0] == _VERIFY:
        return _verify(files[1:], as_json=as_json)
    if form == _SARIF:
        return _print(sarif(_verification(files)))
    if form not in FORMATS:
        remedy = f"use one of {', '.join([*FORMATS, _SARIF])}"
        raise UsageError("usage.arguments", f"there is no format {show(form)}", remedy=remedy)
    return _print(FORMATS[form](merged([_report(file) for file in files])))


def _print(text: str) -> Exit:
    write_octets(text.encode("utf-8", "backslashreplace"), sys.stdout)
    return Exit.GOOD


def _read(file: str) -> strictjson.JSON:
    try:
        return strictjson.loads(read_bytes(file))
    except ReadError as error:
        raise error.in_file(file) from None


def _report(file: str) -> dict[str, strictjson.JSON]:
    document = _read(file)
    for finding in validate(document, "conformance-report"):
        where = Where(file=file, pointer=finding.pointer)
        remedy = "give what groundrules conform --report wrote"
        raise UsageError("usage.not-a-report", finding.detail, where=where, remedy=remedy)
    assert isinstance(document, dict)  # noqa: S101 - by its schema
    return document


def _verification(files: list[str]) -> dict[str, strictjson.JSON]:
    """What ``verify --json`` printed."""
    document = _read(files[0])
    match document:
        case {"format": "verify/1", "runs": [*_]} if len(files) == 1 and isinstance(document, dict):
            return document
    remedy = "give one file that groundrules verify --json printed"
    raise UsageError("usage.not-a-report", "it is no verification", where=Where(file=files[0]), remedy=remedy)


def _verify(files: list[str], *, as_json: bool) -> Exit:
    if not files:
        raise UsageError("usage.arguments", "there is no report to verify", remedy="name its file")
    corpus = load()
    members = {found.name: found.vectors for found in read_sets(kit().vectors)}
    faults = {file: list(departures(_read(file), corpus, members)) for file in files}
    if as_json:
        print_json(faults)
    else:
        for file, found in faults.items():
            print_line(f"{bare(file)}: {'holds' if not found else 'DOES NOT HOLD'}")
            for fault in found:
                print_line(f"  {escaped(fault)}")
    return Exit.FAILED if any(faults.values()) else Exit.GOOD


def wrong(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Which mistake; none for the verifier without one.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Be an adapter that makes one mistake, to test a harness; without a name, list the mistakes."""
    if name is None:
        entries: Any = described()
        if as_json:
            print_json(entries)
        for entry in [] if as_json else entries:
            print_line(f"{entry['name']}: {entry['description']}")
        return Exit.GOOD
    if name not in WRONG and name != "none":
        remedy = f"use none, or one of {', '.join(WRONG)}"
        raise UsageError("usage.unknown-wrong", f"there is no wrong implementation {show(name)}", remedy=remedy)
    for line in serve(sys.stdin.buffer, f"groundrules-wrong-{name}", WRONG.get(name, answer)):
        write_octets(line, sys.stdout)
    return Exit.GOOD
