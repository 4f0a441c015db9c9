"""The checks of authoring: what makes a vector worth shipping (conformance.authoring)."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING, Any

from groundrules.catalogue import catalogue
from groundrules.conformance.seal import MANIFEST, formatted, manifest_of
from groundrules.conformance.sets import departures
from groundrules.conformance.tagged import changed_since_tag
from groundrules.conformance.vectors import FILE
from groundrules.errors import KitError, UsageError, Where, bare
from groundrules.files import read_bytes
from groundrules.strictjson import loads

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from groundrules.conformance.vectors import Corpus, Vector

_MODAL = re.compile(r"\b(must|should|may|can|cannot|shall|might|could|would|will)\b", re.IGNORECASE)
ERRATA = "ERRATA.md"
"""Where withdrawn vectors are told, in the folder of families."""
_UNTESTED_STAGES = ("usage", "kit")


def lint(corpus: Corpus, root: Path, requirements: Collection[str]) -> list[KitError]:
    """Everything that keeps a corpus from being shipped, vector by vector, then what concerns them all.

    Args:
        corpus: the vectors of ``root``.
        root: the folder of families.
        requirements: the anchors that the chapters state.
    """
    problems = list(corpus.damaged)
    by_id = {vector.id: vector for vector in corpus.vectors}
    for vector in corpus.vectors:
        problems += [_problem(vector.id, detail) for detail in _of_one(vector, by_id, requirements)]
    of_all = (
        *_shared_reasons(corpus),
        *_coverage(corpus, requirements),
        *_folders(corpus, root),
        *departures(root, corpus),
        *_withdrawn(corpus, root),
        *changed_since_tag(corpus, root),
    )
    return [*problems, *(_problem(place, detail) for place, detail in of_all)]


def _of_one(vector: Vector, by_id: dict[str, Vector], requirements: Collection[str]) -> Iterator[str]:
    modal = _MODAL.search(vector.title)
    if modal:
        yield f"its title says {modal[0]!r}: a title names the input, it demands nothing"
    for requirement in vector.requires:
        if requirement not in requirements:
            yield f"it requires {requirement}, which no chapter states"
    yield from _twin(vector, by_id)
    yield from _codes(vector)
    yield from _files(vector)
    yield from _expectation(vector)


def _twin(vector: Vector, by_id: dict[str, Vector]) -> Iterator[str]:
    if not vector.is_negative:
        return
    twin = by_id.get(vector.twin or "")
    if twin is None:
        yield "it is negative and names no twin that exists"
    elif twin.is_negative or twin.kind != vector.kind:
        yield f"its twin {twin.id} is not a positive vector of the same kind"
    elif twin.inputs == vector.inputs:
        yield f"its twin {twin.id} has the same input"


def _codes(vector: Vector) -> Iterator[str]:
    for code in expected_codes(vector):
        entry = catalogue().code(code)
        if entry is None:
            yield f"it expects {code}, which is not in the catalogue"
        elif vector.expect.get("stage", entry.stage) != entry.stage:
            yield f"it expects {code} at another stage than the catalogue gives"


def expected_codes(vector: Vector) -> set[str]:
    """Every code of a finding, note or refusal that a vector expects."""
    items: Any = vector.expect.get("items", [])
    lists: list[Any] = [vector.expect.get("codes", []), vector.expect.get("notes", [])]
    for item in items:
        lists += [item["codes"], item["notes"]]
    return {str(code) for codes in lists for code in codes}


def _files(vector: Vector) -> Iterator[str]:
    octets = (vector.folder / FILE).read_bytes()
    if octets != formatted(loads(octets)):
        yield "vector.json is not formatted as sealing writes it"
    for path in sorted(vector.folder.iterdir()):
        if path.is_file() and path.name not in (FILE, *vector.files):
            yield f"the file {bare(path.name)} belongs to no input"


def _expectation(vector: Vector) -> Iterator[str]:
    match vector.expect:
        case {"canonical_b64": str(text), "canonical_length": length, "digest": digest}:
            octets = base64.b64decode(text)
            if len(octets) != length:
                yield "canonical_length is not the length of canonical_b64"
            if base64.b64encode(octets).decode() != text:
                yield "canonical_b64 is not written as base64 encoders write it"
            if hashlib.sha256(octets).hexdigest() != digest:
                yield "digest is not the SHA-256 of canonical_b64"


def _shared_reasons(corpus: Corpus) -> Iterator[tuple[str, str]]:
    seen: dict[str, str] = {}
    for vector in corpus.vectors:
        first = seen.setdefault(vector.why, vector.id)
        if first != vector.id:
            yield vector.id, f"its why is the one of {first}: say what this vector alone catches"


def _coverage(corpus: Corpus, requirements: Collection[str]) -> Iterator[tuple[str, str]]:
    tested = {requirement for vector in corpus.vectors for requirement in vector.requires}
    expected = {code for vector in corpus.vectors for code in expected_codes(vector)}
    excluded = catalogue().excluded
    for requirement in requirements:
        if requirement not in tested and requirement not in excluded and not requirement.startswith("conformance."):
            yield requirement, "no vector tests this requirement, and the catalogue does not exclude it"
    for entry in catalogue().codes:
        if entry.requirement not in requirements:
            yield entry.code, f"its requirement {entry.requirement} is stated in no chapter"
        if entry.stage not in _UNTESTED_STAGES and entry.code not in expected and entry.requirement not in excluded:
            yield entry.code, "no vector expects this code"


def _folders(corpus: Corpus, root: Path) -> Iterator[tuple[str, str]]:
    for family in sorted({vector.family for vector in corpus.vectors}):
        if not (root / family / "README.md").is_file():
            yield family, "the family has no README.md"
    try:
        is_sealed = read_bytes(str(root / MANIFEST)) == formatted(manifest_of(corpus))
    except UsageError:
        is_sealed = False
    if not is_sealed:
        yield MANIFEST, "it does not list these vectors as they are: run groundrules vectors seal"


def _withdrawn(corpus: Corpus, root: Path) -> Iterator[tuple[str, str]]:
    """Withdrawn vectors are told in ERRATA.md."""
    path = root / ERRATA
    told = path.read_text(encoding="utf-8") if path.is_file() else ""
    for vector in corpus.vectors:
        if vector.status == "withdrawn" and f"`{vector.id}`" not in told:
            yield vector.id, f"it is withdrawn and {ERRATA} does not say why"


def _problem(place: str, detail: str) -> KitError:
    return KitError("kit.lint", detail, where=Where(file=place))
