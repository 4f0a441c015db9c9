"""Sealing a corpus: canonical formatting, payload digests, the manifest. A stable vector is never changed."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from groundrules import strictjson
from groundrules.conformance.sets import FOLDER, read_sets, refreshed
from groundrules.conformance.vectors import FILE, Corpus, damage, folders, id_of, load, payload
from groundrules.documents import read_kit_json, validate
from groundrules.errors import GroundrulesError, KitError, Where, bare
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
    pending = {folder / FILE: _sealed_form(folder, root) for folder in folders(root)}
    _refuse_changes(root, pending)
    for path, octets in pending.items():
        if path.read_bytes() != octets:
            write_whole(path, octets)
    corpus = load(root)
    for damaged in corpus.damaged:
        raise damaged
    write_whole(root / MANIFEST, formatted(manifest_of(corpus)))
    for found in read_sets(root):
        if not found.is_released:
            write_whole(root / FOLDER / f"{found.name}.json", formatted(refreshed(found, corpus)))
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


def sealed_manifest(root: Path) -> dict[str, JSON]:
    """The manifest of a folder of families.

    Raises:
        KitError: it is missing or malformed.
    """
    path = root / MANIFEST
    document = read_kit_json(path)
    for finding in validate(document, "manifest"):
        where = Where(file=str(path), pointer=finding.pointer)
        raise KitError("kit.unreadable", finding.detail, where=where)
    return document


def _sealed_form(folder: Path, root: Path) -> bytes:
    try:
        expected_id = id_of(folder, root)
        document: Any = strictjson.loads(read_bytes(str(folder / FILE)))
        for finding in validate(document, "vector"):
            raise KitError("kit.vector", finding.detail, where=Where(pointer=finding.pointer))
        if document["id"] != expected_id:
            detail = f"its path makes its id {bare(expected_id)}, and it says another"
            raise KitError("kit.vector", detail, where=Where(pointer="/id"))
        for value in document["input"].values():
            if "file" in value:
                value["sha256"] = hashlib.sha256(payload(folder, value["file"])).hexdigest()
    except GroundrulesError as error:
        raise damage(folder, error) from None
    return formatted(document)


def _refuse_changes(root: Path, pending: dict[Path, bytes]) -> None:
    """Compare with the manifest before anything is written; without one, nothing is stable yet.

    A stable vector may become withdrawn, nothing else about it may change; a withdrawn one stays, to keep its id.
    """
    if not (root / MANIFEST).exists():
        return
    now = {id_of(path.parent, root): octets for path, octets in pending.items()}
    entries: Any = sealed_manifest(root)["vectors"]
    for entry in entries:
        if entry["status"] != "draft" and not _keeps(now.get(entry["id"]), entry):
            raise KitError(
                "kit.stable-changed",
                f"this vector is {entry['status']} and sealing would change or drop it",
                where=Where(file=entry["id"]),
                remedy="restore it; where it is wrong set its status to withdrawn and add a new one under a new id",
            )


def _keeps(octets: bytes | None, entry: dict[str, str]) -> bool:
    """Whether a vector is what the manifest says, or has been withdrawn since and is otherwise the same."""
    if octets is None:
        return False
    if hashlib.sha256(octets).hexdigest() == entry["sha256"]:
        return True
    document: Any = strictjson.loads(octets)
    if (entry["status"], document["status"]) != ("stable", "withdrawn"):
        return False
    return hashlib.sha256(formatted(document | {"status": "stable"})).hexdigest() == entry["sha256"]
