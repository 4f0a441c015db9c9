"""Predicates with their contracts, read from the files of a folder (contracts.files)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from groundrules import strictjson
from groundrules.documents import departures
from groundrules.errors import ConfigurationError, ReadError, UsageError, Where, show
from groundrules.files import read_bytes
from groundrules.sources.plainyaml import read_yaml
from groundrules.strictjson import pointer

if TYPE_CHECKING:
    from groundrules.strictjson import JSON

_MEMBERS = ("id", "version", "polarity", "evidence_contract", "resolvers")
_ENDINGS = (".json", ".yaml", ".yml")
_REMEDY = "see predicates in schemas/evaluation-record.json"


def load_predicates(folder: str | Path) -> list[JSON]:
    """The predicates of every JSON and YAML file of a folder and the folders in it, by file and place in it.

    Of a predicate that says more only what a record has of it is kept; a file without predicates is passed over.

    Args:
        folder: the folder.

    Returns:
        Entries for ``predicates`` of a record.

    Raises:
        UsageError: ``usage.no-contracts``: it is no folder, or no file of it has predicates; a file cannot be read.
        ReadError: a JSON file is no strict JSON text.
        ConfigurationError: ``config.yaml``, ``config.contracts``.
    """
    found: list[JSON] = []
    seen: dict[tuple[str, str], str] = {}
    for file, kept in read_folder(folder):
        for index, predicate in enumerate(of_schema(file, kept)):
            name = str(predicate["id"]), str(predicate["version"])
            if name in seen:
                detail = f"{show(name[0])} of version {show(name[1])} stands in {show(seen[name])} too"
                raise _refused(file, f"/predicates/{index}", detail)
            seen[name] = file
            found.append({**predicate})
    return found


def read_folder(folder: str | Path) -> list[tuple[str, list[JSON]]]:
    """The predicates of every file of a folder that has some, as they stand there; see :func:`load_predicates`."""
    paths = sorted(path for path in Path(folder).rglob("*") if path.suffix in _ENDINGS)
    found = [(str(path), kept) for path in paths if (kept := _of_file(path))]
    if not found:
        raise UsageError(
            "usage.no-contracts",
            "there is no file with predicates",
            where=Where(file=str(folder)),
            remedy="name a folder of JSON or YAML files that have predicates",
        )
    return found


def of_schema(file: str, kept: list[JSON]) -> list[dict[str, JSON]]:
    """The predicates of one file, held to the schema of a record.

    Raises:
        ConfigurationError: ``config.contracts``.
    """
    for at, detail in departures({"refs": [], "claims": [], "predicates": kept}, "evaluation-record"):
        raise _refused(file, pointer(at), detail)
    return [entry for entry in kept if isinstance(entry, dict)]


def _of_file(path: Path) -> list[JSON]:
    data = read_bytes(str(path))
    try:
        document = strictjson.loads(data) if path.suffix == ".json" else read_yaml(data)
    except (ReadError, ConfigurationError) as error:
        raise error.in_file(str(path)) from None
    listed = document.get("predicates", []) if isinstance(document, dict) else []
    if not isinstance(listed, list):
        raise _refused(str(path), "/predicates", "it is no list")
    return [_kept(entry) for entry in listed]


def _kept(entry: JSON) -> JSON:
    """What a record has of a predicate; a resolver with settings of its own is its id."""
    if not isinstance(entry, dict):
        return entry
    kept = {name: entry[name] for name in _MEMBERS if name in entry}
    match kept.get("resolvers"):
        case [*resolvers]:
            kept["resolvers"] = [_resolver(resolver) for resolver in resolvers]
    return kept


def _resolver(entry: JSON) -> JSON:
    match entry:
        case {"id": resolver_id}:
            return resolver_id
    return entry


def _refused(file: str, at: str, detail: str) -> ConfigurationError:
    return ConfigurationError("config.contracts", detail, where=Where(file=file, pointer=at), remedy=_REMEDY)
