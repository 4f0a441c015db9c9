"""``lint`` and ``explain``: the grounding linter and its rules."""

from __future__ import annotations

from typing import Annotated

import typer

from groundrules import strictjson
from groundrules.catalogue import Rule, catalogue
from groundrules.cli.render import AsJson, Exit, print_json, print_line
from groundrules.conformance.lint import expected_codes
from groundrules.conformance.vectors import load
from groundrules.errors import ReadError, UsageError, show
from groundrules.files import read_bytes
from groundrules.linter import lint as judge
from groundrules.trace import profile_named, read_trace
from groundrules.verdict import GroundingStatus

_EXITS = {
    GroundingStatus.PASSED: Exit.GOOD,
    GroundingStatus.FAILED: Exit.FAILED,
    GroundingStatus.WITHHELD: Exit.UNCHECKED,
}
_LARGEST_TRACE = 1024 * 1024 * 1024


def lint(
    spans: Annotated[str, typer.Argument(metavar="SPANS", help="A trace, to_json lines or OTLP/JSON.")],
    envelope: Annotated[str, typer.Argument(metavar="ENVELOPE", help="The envelope of the same run.")],
    profile: Annotated[
        str | None, typer.Option("--profile", metavar="NAME", help="Override the trace's span profile: dd or genai.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Hold a run's trace and envelope to the rules of its mode. Passing proves no retrieval."""
    if profile is not None:
        profile_named(profile)
    try:
        records = read_trace(read_bytes(spans, limit=_LARGEST_TRACE))
    except ReadError as error:
        raise error.in_file(spans) from None
    try:
        document = strictjson.loads(read_bytes(envelope))
    except ReadError as error:
        raise error.in_file(envelope) from None
    verdict = judge(records, document, profile=profile)
    if as_json:
        print_json(verdict.as_dict())
    else:
        for line in verdict.lines():
            print_line(line)
    return _EXITS[verdict.status]


def explain(
    name: Annotated[str, typer.Argument(metavar="RULE", help="A rule such as G2, or a code such as g2.not-retrieved.")],
    as_json: AsJson = False,
) -> int:
    """Say what a rule relies on, what a pass shows and does not show, and which vectors test it."""
    rule = _rule(name)
    codes = [code for code in catalogue().codes if code.rule == rule.id]
    wanted = {code.code for code in codes}
    vectors = [vector.id for vector in load().vectors if wanted & expected_codes(vector)]
    if as_json:
        print_json(
            {
                "id": rule.id,
                "title": rule.title,
                "modes": list(rule.modes),
                "relies_on": rule.relies_on,
                "shows": rule.shows,
                "does_not_show": rule.does_not_show,
                "since": rule.since,
                "requirement": rule.requirement,
                "codes": [{"code": code.code, "title": code.title, "requirement": code.requirement} for code in codes],
                "vectors": vectors,
            }
        )
        return Exit.GOOD
    print_line(f"{rule.id}: {rule.title}")
    print_line(f"  modes          {', '.join(rule.modes) or 'none: it holds of evaluation records'}")
    print_line(f"  relies on      {'conductor and agent' if rule.relies_on == 'both' else rule.relies_on}")
    print_line(f"  a pass shows   {rule.shows}")
    print_line(f"  and not        {rule.does_not_show}")
    print_line(f"  requirement    {rule.requirement}")
    for code in codes:
        print_line(f"  {code.code}: {code.title}")
    print_line(f"  {len(vectors)} vectors expect one of these codes:")
    for vector in vectors:
        print_line(f"    {vector}")
    return Exit.GOOD


def _rule(name: str) -> Rule:
    code = catalogue().code(name)
    wanted = name.upper() if code is None or code.rule is None else code.rule
    for rule in catalogue().rules:
        if rule.id == wanted:
            return rule
    raise UsageError(
        "usage.unknown-rule",
        f"{show(name)} is no rule and no code of one",
        remedy=f"use one of {', '.join(rule.id for rule in catalogue().rules)}",
    )
