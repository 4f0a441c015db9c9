"""``canonicalise`` and ``hash``."""

from __future__ import annotations

import base64
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from groundrules import strictjson
from groundrules.canonical import named, stages
from groundrules.cli.render import AsJson, Exit, InputFile, print_json, print_line, write_octets
from groundrules.errors import CanonicalError, ReadError, escaped
from groundrules.files import read_bytes

if TYPE_CHECKING:
    from groundrules.canonical import Stages

Name = Annotated[str, typer.Option("--as", metavar="NAME", help="A registered canonicalisation.")]
ShowStages = Annotated[bool, typer.Option("--stages", help="Print what every stage yields.")]


def canonicalise(file: InputFile, name: Name, show_stages: ShowStages = False, as_json: AsJson = False) -> int:
    """Write the canonical octets of a document to standard output, with nothing added."""
    found = _stages(file, name)
    if not _print_stages(found, name, show_stages=show_stages, as_json=as_json):
        write_octets(found.canonical, sys.stdout)
    return Exit.GOOD


def hash_(file: InputFile, name: Name, show_stages: ShowStages = False, as_json: AsJson = False) -> int:
    """Print the content hash of a document: the SHA-256 of its canonical octets."""
    found = _stages(file, name)
    if not _print_stages(found, name, show_stages=show_stages, as_json=as_json):
        print_line(found.digest)
    return Exit.GOOD


def _stages(file: str, name: str) -> Stages:
    named(name)
    try:
        return stages(strictjson.loads(read_bytes(file)), name)
    except (ReadError, CanonicalError) as error:
        raise error.in_file(file) from None


def _print_stages(found: Stages, name: str, *, show_stages: bool, as_json: bool) -> bool:
    if as_json:
        data: dict[str, strictjson.JSON] = {
            "canonicalisation": name,
            "canonical_b64": base64.b64encode(found.canonical).decode(),
            "digest": found.digest,
        }
        if show_stages:
            data["parsed_b64"] = base64.b64encode(found.parsed).decode()
            data["projected_b64"] = base64.b64encode(found.projected).decode()
        print_json(data)
    elif show_stages:
        for stage in ("parsed", "projected", "canonical"):
            print_line(f"{stage:<10} {escaped(getattr(found, stage).decode())}")
        print_line(f"{'digest':<10} {found.digest}")
    return as_json or show_stages
