"""Beginning a vector, and bringing its file into form (conformance.authoring)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules import strictjson
from groundrules.conformance.seal import formatted
from groundrules.conformance.vectors import FILE, folders
from groundrules.errors import GroundrulesError, KitError, UsageError, Where, show
from groundrules.files import read_bytes, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from groundrules.strictjson import JSON

_ID = re.compile(r"[a-z][a-z0-9-]*(\.[a-z0-9-]+)+")
_INPUTS = {
    "parse": ("document",),
    "canonicalise": ("document", "name"),
    "evidence": ("envelope",),
    "contract": ("envelope",),
    "lint": ("spans", "envelope"),
    "sources": ("envelope", "config", "copy"),
    "gate": ("spans", "envelope"),
    "run": ("request", "envelope", "spans"),
}
"""The inputs of each kind, as a new vector names them."""

TO_WRITE = "TO WRITE"
"""What stands where an author has something to say; such a vector is not sealed."""


def begin(root: Path, id_: str, kind: str) -> Path:
    """Make the folder of a new vector with a ``vector.json`` that names what is to be written.

    Args:
        root: the folder of families.
        id_: the id to be.
        kind: one of the kinds.

    Returns:
        The folder.

    Raises:
        UsageError: ``usage.vector-id``, ``usage.unknown-kind``, ``usage.vector-exists``, ``usage.unwritable``.
    """
    if not _ID.fullmatch(id_):
        remedy = "write a family and a slug, such as canon.jcs.names.empty-name"
        raise UsageError("usage.vector-id", f"{show(id_)} is no id of a vector", remedy=remedy)
    if kind not in _INPUTS:
        raise UsageError("usage.unknown-kind", f"{show(kind)} is no kind", remedy=f"use one of {', '.join(_INPUTS)}")
    folder = root.joinpath(*id_.split("."))
    if (folder / FILE).exists():
        where = Where(file=str(folder))
        raise UsageError("usage.vector-exists", "there is a vector already", where=where, remedy="ids are permanent")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        where = Where(file=str(folder))
        raise UsageError("usage.unwritable", f"it cannot be written: {reason}", where=where) from None
    write_whole(folder / FILE, formatted(_template(id_, kind)))
    return folder


def _template(id_: str, kind: str) -> JSON:
    return {
        "id": id_,
        "title": f"{TO_WRITE}: what the input is",
        "why": f"{TO_WRITE}: the mistake that this alone catches, and what it does to somebody",
        "requires": [],
        "kind": kind,
        "level": "must",
        "input": {name: {"text": TO_WRITE} if name == "name" else {"b64": ""} for name in _INPUTS[kind]},
        "expect": {"verdict": TO_WRITE},
        "origin": f"{TO_WRITE}: how the expectation was derived",
        "status": "draft",
        "since": "1.0",
    }


def bring_into_form(root: Path) -> list[Path]:
    """Write every ``vector.json`` that is strict JSON as sealing writes it, and nothing else; those that changed.

    Raises:
        KitError: ``kit.vector``: one is no strict JSON; nothing is written then.
    """
    changed: dict[Path, bytes] = {}
    for folder in folders(root):
        path = folder / FILE
        octets = read_bytes(str(path))
        try:
            form = formatted(strictjson.loads(octets))
        except GroundrulesError as error:
            where = Where(file=str(folder), line=error.where.line)
            raise KitError("kit.vector", error.detail, where=where) from None
        if form != octets:
            changed[path] = form
    for path, form in changed.items():
        write_whole(path, form)
    return sorted(changed)
