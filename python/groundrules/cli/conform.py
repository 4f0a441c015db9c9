"""``conform``: every vector, answered by the built-in verifier and scored."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Annotated

import typer

import groundrules
from groundrules.cli.render import AsJson, Exit, print_json, print_line
from groundrules.cli.vectors import folder_of_families
from groundrules.conformance.builtin import answer
from groundrules.conformance.score import Outcome, Result, score
from groundrules.conformance.seal import manifest_of, sealed_manifest
from groundrules.conformance.vectors import Corpus, load
from groundrules.errors import KitError, UsageError, show

Families = Annotated[
    list[str] | None, typer.Option("--family", metavar="NAME", help="Only this family; repeat for more.")
]
Folder = Annotated[
    Path | None, typer.Option("--vectors", metavar="DIR", help="Another folder of families than the kit's own.")
]


def conform(families: Families = None, folder: Folder = None, as_json: AsJson = False) -> int:
    """Run the vectors: a table by family, a line for each that is not passed, a summary line."""
    root = folder_of_families(folder)
    corpus = load(root)
    chosen = _chosen(corpus, families or [])
    asked = [vector for vector in chosen.vectors if vector.status != "withdrawn"]
    results = [score(vector, answer(vector.kind, vector.inputs)) for vector in asked]
    damage = [*corpus.damaged, *_unsealed(corpus, root)]
    (_print_data if as_json else _print_table)(results, damage, corpus.digest)
    if any(result.outcome is not Outcome.PASS for result in results):
        return Exit.FAILED
    if damage:
        return Exit.UNUSABLE
    return Exit.GOOD if results else Exit.NOTHING_RUN


def _chosen(corpus: Corpus, families: list[str]) -> Corpus:
    known = sorted({vector.family for vector in corpus.vectors})
    for family in families:
        if family not in known:
            raise UsageError(
                "usage.unknown-family",
                f"there is no family {show(family)}",
                remedy=f"use one of {', '.join(known)}" if known else "name a folder that holds vectors",
            )
    if not families:
        return corpus
    return Corpus(tuple(vector for vector in corpus.vectors if vector.family in families), corpus.damaged)


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


def _print_data(results: list[Result], damage: list[KitError], digest: str) -> None:
    print_json(
        {
            "implementation": {"name": "groundrules", "version": groundrules.__version__},
            "corpus": digest,
            "damaged": [error.as_dict() for error in damage],
            "counts": {outcome.value: sum(r.outcome is outcome for r in results) for outcome in Outcome},
            "results": [
                {"id": result.id, "result": result.outcome.value, "detail": result.detail} for result in results
            ],
        }
    )


def _print_table(results: list[Result], damage: list[KitError], digest: str) -> None:
    by_family: dict[str, Counter[Outcome]] = defaultdict(Counter)
    for result in results:
        by_family[result.id.partition(".")[0]][result.outcome] += 1
    print_line(_row("family", "vectors", *Outcome))
    for family, counts in sorted(by_family.items()):
        print_line(_row(family, str(counts.total()), *(str(counts[outcome]) for outcome in Outcome)))
    for result in results:
        if result.outcome is not Outcome.PASS:
            print_line(f"{result.outcome.value}: {result.id}: {result.detail}")
    for error in damage:
        print_line(str(error))
    passed = sum(result.outcome is Outcome.PASS for result in results)
    print_line(f"conform: {passed} of {len(results)} vectors passed (corpus {digest[:16]})")


def _row(family: str, vectors: str, *outcomes: str) -> str:
    return f"{family:<14}{vectors:>9}" + "".join(f"{text:>13}" for text in outcomes)
