"""The entry that pins a copy: its digest, its length, and the member that can be the id of its records."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from groundrules.errors import ConfigurationError, UsageError, Where, show
from groundrules.sources.copies import open_copy
from groundrules.sources.listing import Entry, listing_of
from groundrules.sources.proof import Proof, first_record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from groundrules.strictjson import JSON

_TRIED = 8
"""How many members are tried as the id: each costs a reading of the copy."""
_UNFIT = ("config.record-id", "config.duplicate-id")


def entry_of(path: Path, id_field: str | None, snapshot_refs: Sequence[str]) -> dict[str, JSON]:
    """The entry of a copy, proven by loading it.

    Args:
        path: the copy.
        id_field: the member that is the source id; None to take a member of the first record that is a string in
            every record and another in each, one that is named for an id before the others.
        snapshot_refs: what evidence is to name it by.

    Raises:
        UsageError: ``usage.no-id-field``: no member can be the id.
        ConfigurationError: the copy cannot be read, or a record of it is refused.
    """
    _fit_to_print([str(path), *([] if id_field is None else [id_field]), *snapshot_refs])
    try:
        with open_copy(path) as file:
            pin = hashlib.file_digest(file, "sha256").hexdigest()
            octets = file.tell()
        name = _fitting(
            path, pin, [id_field] if id_field is not None else _candidates(path), chosen=id_field is not None
        )
    except ConfigurationError as error:
        if error.code == "config.copy-missing":
            where = Where(file=str(path))
            raise UsageError("usage.no-file", "there is no such file", where=where, remedy="check the name") from None
        raise error.in_file(str(path)) from None
    entry: dict[str, JSON] = {
        "snapshot_refs": [*snapshot_refs],
        "path": str(path.resolve() if ".." in path.parts else path),
        "id_field": name,
        "sha256": pin,
        "bytes": octets,
    }
    listing_of({"sources": [entry]}, path.parent)
    return entry


def _fit_to_print(texts: Sequence[str]) -> None:
    """Refuse a name that no list could hold."""
    for text in texts:
        if any("\ud800" <= character <= "\udfff" for character in text):
            remedy = "rename the file, or name it otherwise"
            raise UsageError("usage.unreadable", f"{show(text)} is not UTF-8, and no list can hold it", remedy=remedy)


def _candidates(path: Path) -> list[str]:
    """The members of the first record that hold a string, those that are named for an id before the others."""
    with open_copy(path) as file:
        record = first_record(file)
    members = record.items() if isinstance(record, dict) else ()
    names = [name for name, value in members if name and isinstance(value, str)]
    return sorted(names, key=lambda name: "id" not in name.lower())[:_TRIED]


def _fitting(path: Path, pin: str, names: Sequence[str], *, chosen: bool) -> str:
    """The first name that is the id of every record, once."""
    for name in names:
        try:
            Proof(Entry((), name, pin), open_copy(path)).close()
        except ConfigurationError as error:
            if chosen or error.code not in _UNFIT:
                raise
        else:
            return name
    raise UsageError(
        "usage.no-id-field",
        "no member of its records is a string in each and another in each",
        where=Where(file=str(path)),
        remedy="name one with --id-field, or give the records an id",
    )
