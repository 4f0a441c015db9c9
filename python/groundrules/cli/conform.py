"""``conform``: every vector, answered by the built-in verifier or by adapters, and scored."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from groundrules.cli.render import AsJson, Exit, print_json, print_line, write_octets
from groundrules.cli.vectors import folder_of_families
from groundrules.conformance import oneshot
from groundrules.conformance.adapter import Limits
from groundrules.conformance.choice import chosen
from groundrules.conformance.expected import apply, read_expected
from groundrules.conformance.render import FORMATS
from groundrules.conformance.report import build, is_green
from groundrules.conformance.runner import Answered, ask_adapter, ask_builtin
from groundrules.conformance.score import Outcome
from groundrules.conformance.seal import formatted, manifest_of, sealed_manifest
from groundrules.conformance.sets import departures, named_set
from groundrules.conformance.vectors import Corpus, load
from groundrules.errors import KitError, UsageError
from groundrules.files import read_bytes, write_whole

Patterns = Annotated[
    list[str] | None, typer.Option("--include", metavar="PATTERN", help="Only ids that match; repeat for more.")
]


def conform(
    adapters: Annotated[
        list[str] | None,
        typer.Option("--adapter", metavar="COMMAND", help="Ask this adapter; repeat for more. The built-in one else."),
    ] = None,
    families: Annotated[
        list[str] | None, typer.Option("--family", metavar="NAME", help="Only this family; repeat for more.")
    ] = None,
    include: Patterns = None,
    exclude: Annotated[
        list[str] | None, typer.Option("--exclude", metavar="PATTERN", help="No id that matches; repeat for more.")
    ] = None,
    of_set: Annotated[
        str | None, typer.Option("--set", metavar="NAME", help="Only the vectors of a set: a version, or smoke.")
    ] = None,
    expected: Annotated[
        str | None, typer.Option("--xfail", metavar="FILE", help="Expected failures, YAML or JSON; strict both ways.")
    ] = None,
    strength: Annotated[
        str, typer.Option("--strength", metavar="NAME", help="reasons (default), or verdict: any refusal will do.")
    ] = "reasons",
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Write the report, for groundrules report.")
    ] = None,
    pack: Annotated[
        Path | None, typer.Option("--pack", metavar="FILE", help="Write the messages of one shot and ask nobody.")
    ] = None,
    results: Annotated[
        str | None, typer.Option("--results", metavar="FILE", help="Score the lines that came back of one shot.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=64, help="Processes of an adapter asked at once.")] = 1,
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, max=3600, help="Seconds for one answer.")] = 10.0,
    show_ids: Annotated[bool, typer.Option("--show-ids", help="Tell the adapter the ids of the vectors.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--vectors", metavar="DIR", help="Another folder of families than the kit's own.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Run the vectors: a table by family, a line for each that is not passed, a summary line."""
    if strength not in ("reasons", "verdict"):
        raise UsageError("usage.arguments", "there is no such strength", remedy="use reasons or verdict")
    _mind_one_shot(pack, results, asks=bool(adapters), reports=report is not None or expected is not None)
    root = folder_of_families(folder)
    corpus = load(root)
    asked = chosen(
        corpus,
        families=families or [],
        include=include or [],
        exclude=exclude or [],
        of_set=None if of_set is None else named_set(root, of_set),
    )
    if pack is not None:
        octets = oneshot.pack(asked, show_ids=show_ids)
        write_whole(pack, octets) if str(pack) != "-" else write_octets(octets, sys.stdout)
        return Exit.GOOD if asked else Exit.NOTHING_RUN
    answered = _answered(adapters or [], results, asked, Limits(timeout), jobs=jobs, show_ids=show_ids)
    damage = [*corpus.damaged, *_unsealed(corpus, root), *_departed(root, corpus, of_set)]
    unmatched: list[str] = []
    if expected is not None:
        answered, unmatched = _with_expected(answered, expected, by_verdict=strength == "verdict")
    told = build(answered, asked, corpus, of_set, strength)
    if families or include or exclude:
        told["partial"] = True
    if damage:
        told["damaged"] = [{**error.as_dict()} for error in damage]
    if unmatched:
        told["unmatched"] = [*unmatched]
    if as_json:
        print_json(told)
    else:
        print_line(FORMATS["text"](told).rstrip("\n"))
    if report is not None:
        write_whole(report, formatted(told))
    return _exit_code(answered, damage, red=bool(unmatched), by_verdict=strength == "verdict")


def _mind_one_shot(pack: Path | None, results: str | None, *, asks: bool, reports: bool) -> None:
    """Refuse options of which one would be passed over in silence."""
    if (pack is not None or results is not None) and (asks or (pack is not None and results is not None)):
        remedy = "leave out --adapter, and pack and score in two runs"
        raise UsageError("usage.arguments", "one shot asks no adapter, and either packs or scores", remedy=remedy)
    if pack is not None and reports:
        raise UsageError(
            "usage.arguments", "--pack has no results yet", remedy="give --report and --xfail to --results"
        )


def _answered(
    adapters: list[str], results: str | None, asked: list[oneshot.Vector], limits: Limits, *, jobs: int, show_ids: bool
) -> list[Answered]:
    if results is not None:
        try:
            return [oneshot.score_results(read_bytes(results, limit=oneshot.LARGEST), asked)]
        except UsageError as error:
            raise error.in_file(results) from None
    if not adapters:
        return [ask_builtin(asked)]
    commands = []
    for adapter in adapters:
        try:
            commands.append(shlex.split(adapter))
        except ValueError:
            remedy = "write it as a shell would take it"
            raise UsageError("usage.adapter", "the adapter's command has an open quote", remedy=remedy) from None
        if not commands[-1]:
            raise UsageError("usage.adapter", "the adapter's command is empty", remedy="name a program")
    return [ask_adapter(command, asked, limits=limits, jobs=jobs, show_ids=show_ids) for command in commands]


def _with_expected(answered: list[Answered], file: str, *, by_verdict: bool) -> tuple[list[Answered], list[str]]:
    """The answers with expected failures marked, and the patterns that no vector of any implementation matched."""
    entries = read_expected(file)
    marked, unmatched = [], set(entries)
    for one in answered:
        results, unmet = apply(one.results, entries, by_verdict=by_verdict)
        unmatched &= set(unmet)
        marked.append(Answered(one.implementation, one.kinds, one.features, tuple(results)))
    return marked, [entry.pattern for entry in entries if entry in unmatched]


def _exit_code(answered: list[Answered], damage: list[KitError], *, red: bool, by_verdict: bool) -> Exit:
    if red or not all(is_green(one, by_verdict=by_verdict) for one in answered):
        return Exit.FAILED
    if damage:
        return Exit.UNUSABLE
    passes = (Outcome.PASS, Outcome.WRONG_REASON) if by_verdict else (Outcome.PASS,)
    is_any = all(any(result.outcome in passes for result in one.results) for one in answered)
    return Exit.GOOD if is_any else Exit.NOTHING_RUN


def _departed(root: Path, corpus: Corpus, of_set: str | None) -> list[KitError]:
    """What the set that is asked pins and the corpus has not."""
    remedy = "restore the files, or run groundrules vectors seal for a draft"
    return [
        KitError("kit.not-sealed", f"{name}: {detail}", remedy=remedy)
        for name, detail in departures(root, corpus)
        if name == f"set {of_set}"
    ]


def _unsealed(corpus: Corpus, root: Path) -> list[KitError]:
    try:
        if sealed_manifest(root) == manifest_of(corpus):
            return []
    except KitError as error:
        return [error]
    return [
        KitError(
            "kit.not-sealed",
            "the vectors are not those that the manifest seals",
            remedy="run groundrules vectors seal, or restore the files",
        )
    ]
