"""Stable vectors against the last release: what was stable at the last tag is the same today, or withdrawn."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from groundrules import strictjson
from groundrules.conformance.seal import MANIFEST
from groundrules.documents import validate
from groundrules.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from groundrules.conformance.vectors import Corpus
    from groundrules.strictjson import JSON


def changed_since_tag(corpus: Corpus, root: Path) -> Iterator[tuple[str, str]]:
    """The vectors that the last tag ``v…`` holds as stable and that are not so any more: id, and one clause.

    Where ``root`` is in no repository, or in one without such a tag, there are none.
    """
    tag = _git(root, "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*")
    if tag is None:
        return
    name = tag.decode().strip()
    sealed = _git(root, "show", f"{name}:./{MANIFEST}")
    if sealed is None:
        return
    now = {vector.id: vector for vector in corpus.vectors}
    for id_, sha256 in _stable(sealed):
        vector = now.get(id_)
        if vector is None:
            yield id_, f"it was stable in {name} and is not there: restore it, or withdraw it"
        elif vector.sha256 != sha256 and vector.status != "withdrawn":
            yield id_, f"it was stable in {name} and differs: restore it, withdraw it, and add a new one"


def _stable(sealed: bytes) -> Iterator[tuple[str, str]]:
    try:
        manifest = strictjson.loads(sealed)
    except ReadError:
        manifest = None
    entries: JSON = manifest["vectors"] if isinstance(manifest, dict) and not validate(manifest, "manifest") else []
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and entry["status"] == "stable":
            yield str(entry["id"]), str(entry["sha256"])


def _git(folder: Path, *words: str) -> bytes | None:
    """What git prints, or None where there is no git, no repository or no such thing."""
    try:
        done = subprocess.run(["git", *words], cwd=folder, capture_output=True, check=False)  # noqa: S607 - git on the PATH
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
