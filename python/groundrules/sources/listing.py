"""The list of copies that a deployment holds: read, held to its schema, its references and paths checked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from groundrules import documents, strictjson
from groundrules.errors import ConfigurationError, GroundrulesError, ReadError, Where, show
from groundrules.files import STANDARD_INPUT, read_bytes
from groundrules.sources.plainyaml import read_yaml
from groundrules.verdict import Strictness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.strictjson import JSON


@dataclass(frozen=True, slots=True)
class Entry:
    """One listed copy; the members are those of ``schemas/source-copies.json``.

    Attributes:
        snapshot_refs: what evidence names.
        id_field: the member of a record that is its source id.
        sha256: the pin, 64 lower-case hex digits.
        path: as it is listed, or None where the copy was not fetched.
        octets: how many octets the file may have, or None where the list does not say.
        locations: where it can be fetched; never followed while checking.
    """

    snapshot_refs: tuple[str, ...]
    id_field: str
    sha256: str
    path: str | None = None
    octets: int | None = None
    locations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of copies.

    Attributes:
        entries: in the order of the list.
        profile: how strict a check by this list is.
        folder: where relative paths begin.
    """

    entries: tuple[Entry, ...]
    profile: Strictness
    folder: Path


def read_listing(file: str) -> Listing:
    """Read a list of copies: strict JSON where the name ends in ``.json``, plain YAML otherwise.

    Raises:
        UsageError: the file cannot be read.
        ReadError: a ``.json`` file is no strict JSON text.
        ConfigurationError: ``config.yaml``, ``config.schema``, ``config.duplicate-reference``, ``config.path-outside``.
    """
    data = read_bytes(file)
    try:
        document = strictjson.loads(data) if file.lower().endswith(".json") else read_yaml(data)
        return listing_of(document, Path() if file == STANDARD_INPUT else Path(file).parent)
    except (ReadError, ConfigurationError) as error:
        raise error.in_file(file) from None


def listing_of(document: JSON, folder: Path) -> Listing:
    """The list that a document states.

    Args:
        document: the list as data.
        folder: where relative paths begin.

    Raises:
        ConfigurationError: ``config.schema``, ``config.duplicate-reference``, ``config.path-outside``.
    """
    for finding in documents.validate(document, "source-copies"):
        where = Where(pointer=finding.pointer)
        raise ConfigurationError("config.schema", finding.detail, where=where, remedy="see schemas/source-copies.json")
    match document:
        case {"sources": [*listed], **rest}:
            entries = tuple(_entry(entry) for entry in listed if isinstance(entry, dict))
            profile = rest.get("profile", {})
            assert isinstance(profile, dict)  # noqa: S101 - by the schema
            for refusal in (*_doubled(entries), *_outside(entries)):
                raise refusal
            return Listing(entries, Strictness(**profile), folder)
    raise AssertionError(folder)  # pragma: no cover - the schema makes every document match


def _entry(stated: dict[str, JSON]) -> Entry:
    match stated:
        case {"snapshot_refs": [*refs], "id_field": str(id_field), "sha256": str(sha256), **rest}:
            path, octets, locations = rest.get("path"), rest.get("bytes"), rest.get("locations", [])
            assert isinstance(locations, list)  # noqa: S101 - by the schema
            return Entry(
                snapshot_refs=tuple(map(str, refs)),
                id_field=id_field,
                sha256=sha256,
                path=path if isinstance(path, str) else None,
                octets=int(octets) if isinstance(octets, int | float) else None,
                locations=tuple(map(str, locations)),
            )
    raise AssertionError(stated)  # pragma: no cover - by the schema


def _doubled(entries: tuple[Entry, ...]) -> Iterator[GroundrulesError]:
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        for position, ref in enumerate(entry.snapshot_refs):
            if ref in seen:
                yield ConfigurationError(
                    "config.duplicate-reference",
                    f"the snapshot reference {show(ref)} is listed twice",
                    where=Where(pointer=f"/sources/{index}/snapshot_refs/{position}"),
                    remedy="list it with one copy",
                )
            seen.add(ref)


def _outside(entries: tuple[Entry, ...]) -> Iterator[GroundrulesError]:
    for index, entry in enumerate(entries):
        if entry.path is not None and not os.path.isabs(entry.path) and ".." in PurePath(entry.path).parts:  # noqa: PTH117
            yield ConfigurationError(
                "config.path-outside",
                "the relative path leaves the folder of the list",
                where=Where(pointer=f"/sources/{index}/path"),
                remedy="write it as an absolute path, or move the copy",
            )
