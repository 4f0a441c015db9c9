"""``vectors new``, ``fmt``, ``lint`` and ``seal``: authoring."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from groundrules.cli.render import AsJson, Exit, print_json, print_line
from groundrules.conformance import authoring
from groundrules.conformance import lint as checks
from groundrules.conformance import seal as sealing
from groundrules.conformance.vectors import load
from groundrules.documents import kit
from groundrules.errors import UsageError, Where
from groundrules.requirements import anchors

app = typer.Typer(help="Author test vectors.", rich_markup_mode=None)

Folder = Annotated[
    Path | None,
    typer.Argument(metavar="[DIR]", help="The folder of families; the kit's own where none is named."),
]


@app.callback()
def _group() -> None:
    """Author test vectors."""


@app.command("lint")
def lint(folder: Folder = None, as_json: AsJson = False) -> int:
    """Hold the vectors to the rules of authoring: one line for each that breaks one."""
    root = folder_of_families(folder)
    corpus = load(root)
    problems = checks.lint(corpus, root, anchors(_chapters("linting needs them")))
    if as_json:
        told = [problem.as_dict() for problem in problems]
        print_json({"vectors": len(corpus.vectors), "problems": told})
    else:
        for problem in problems:
            print_line(str(problem))
        print_line(f"vectors: {len(corpus.vectors)} read, {len(problems)} problems")
    if problems:
        return Exit.FAILED
    return Exit.GOOD if corpus.vectors else Exit.NOTHING_RUN


@app.command("seal")
def seal(folder: Folder = None, as_json: AsJson = False) -> int:
    """Format every vector, take the payload digests anew and write the manifest; stable vectors never change."""
    root = folder_of_families(folder)
    if folder is None:
        _chapters("the vectors of an installed package are not to be changed")
    corpus = sealing.seal(root)
    if as_json:
        print_json({"vectors": len(corpus.vectors), "corpus": corpus.digest})
    else:
        print_line(f"vectors: {len(corpus.vectors)} sealed (corpus {corpus.digest})")
    return Exit.GOOD if corpus.vectors else Exit.NOTHING_RUN


@app.command("new")
def new(
    id_: Annotated[str, typer.Argument(metavar="ID", help="The id to be, such as canon.jcs.names.empty-name.")],
    kind: Annotated[str, typer.Option("--kind", metavar="KIND", help="What is asked; see spec/conformance.md.")],
    folder: Annotated[
        Path | None, typer.Option("--vectors", metavar="DIR", help="Another folder of families than the kit's own.")
    ] = None,
) -> int:
    """Begin a vector: a folder with a vector.json that names what is to be written."""
    if folder is None:
        _chapters("the vectors of an installed package are not to be changed")
    begun = authoring.begin(folder_of_families(folder), id_, kind)
    print_line(f"{begun / 'vector.json'}: write what stands as {authoring.TO_WRITE}, then groundrules vectors seal")
    return Exit.GOOD


@app.command("fmt")
def fmt(folder: Folder = None) -> int:
    """Write every vector.json in the form that sealing gives it, and change nothing else."""
    root = folder_of_families(folder)
    if folder is None:
        _chapters("the vectors of an installed package are not to be changed")
    changed = authoring.bring_into_form(root)
    for path in changed:
        print_line(str(path))
    print_line(f"vectors: {len(changed)} brought into form")
    return Exit.GOOD


def _chapters(why: str) -> Path:
    """The chapters of the checkout.

    Raises:
        UsageError: ``usage.no-checkout``: this is an installed package.
    """
    chapters = kit().chapters
    if chapters is None:
        raise UsageError(
            "usage.no-checkout",
            f"there is no checkout with its chapters: {why}",
            remedy="run it in a checkout installed with pip install -e",
        )
    return chapters


def folder_of_families(folder: Path | None) -> Path:
    """A folder that was named, or the kit's own.

    Raises:
        UsageError: ``usage.no-file``: it is no folder, or one that cannot be looked into.
    """
    root = folder or kit().vectors
    if not os.access(root, os.R_OK | os.X_OK) or not root.is_dir():
        raise UsageError(
            "usage.no-file", "there is no such folder", where=Where(file=str(root)), remedy="check the name"
        )
    return root
