"""Sealing a corpus: canonical formatting, payload digests, the manifest. A stable vector is never changed."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from groundrules import strictjson
from groundrules.conformance.vectors import FILE, Corpus, damage, folders, load
from groundrules.documents import read_kit_json, validate
from groundrules.errors import GroundrulesError, KitError, Where
from groundrules.files import read_bytes, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from groundrules.strictjson import JSON

MANIFEST = "MANIFEST.json"
"""The manifest's name in the folder of families."""


def seal(root: Path) -> Corpus:
    """Bring every ``vector.json`` below a folder into its final form and write the manifest.

    Payload digests are taken anew from the files; expectations are never touched. Nothing is written where a vector
    is damaged or a stable one would change.

    Returns:
        The sealed corpus.

    Raises:
        KitError: ``kit.vector`` for a damaged vector, ``kit.stable-changed`` for a stable one that is not as sealed.
    """
    pending = {folder / FILE: _sealed_form(folder) for folder in folders(root)}
    _refuse_changes(root, pending)
    for path, octets in pending.items():
        if path.read_bytes() != octets:
            write_whole(path, octets)
    corpus = load(root)
    for damaged in corpus.damaged:
        raise damaged
    write_whole(root / MANIFEST, formatted(manifest_of(corpus)))
    return corpus


def formatted(document: JSON) -> bytes:
    """A document of the kit as its files hold it: two spaces of indent, UTF-8, one line feed at the end."""
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def manifest_of(corpus: Corpus) -> JSON:
    """The manifest of a corpus (conformance.manifest)."""
    return {
        "format": "vector-manifest/1",
        "corpus": corpus.digest,
        "vectors": [
            {"id": vector.id, "sha256": vector.sha256, "status": vector.status, "since": vector.since}
            for vector in corpus.vectors
        ],
    }


def sealed_digest(root: Path) -> str:
    """The corpus digest that the manifest states.

    Raises:
        KitError: the manifest is missing or malformed.
    """
    return str(_manifest(root)["corpus"])


def _manifest(root: Path) -> dict[str, JSON]:
    path = root / MANIFEST
    document = read_kit_json(path)
    for finding in validate(document, "manifest"):
        where = Where(file=str(path), pointer=finding.pointer)
        raise KitError("kit.unreadable", finding.detail, where=where)
    return document


def _sealed_form(folder: Path) -> bytes:
    try:
        document: Any = strictjson.loads(read_bytes(str(folder / FILE)))
        for finding in validate(document, "vector"):
            raise KitError("kit.vector", finding.detail, where=Where(pointer=finding.pointer))
        for value in document["input"].values():
            if "file" in value:
                value["sha256"] = hashlib.sha256(read_bytes(str(folder / value["file"]))).hexdigest()
    except GroundrulesError as error:
        raise damage(folder, error) from None
    return formatted(document)


def _refuse_changes(root: Path, pending: dict[Path, bytes]) -> None:
    """Compare with the manifest before anything is written; without one, nothing is stable yet."""
    if not (root / MANIFEST).exists():
        return
    now = {
        ".".join(path.parent.relative_to(root).parts): hashlib.sha256(octets).hexdigest()
        for path, octets in pending.items()
    }
    entries: Any = _manifest(root)["vectors"]
    for entry in entries:
        if entry["status"] == "stable" and now.get(entry["id"]) != entry["sha256"]:
            raise KitError(
                "kit.stable-changed",
                "this vector is stable and sealing would change or drop it",
                where=Where(file=entry["id"]),
                remedy="restore it, withdraw it, and add a new one under a new id",
            )
