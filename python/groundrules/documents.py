"""Where the kit's own documents live, and the check of a document against its schema.

In a checkout the schemas, vectors and rule catalogue stand at the top of the repository; in an installed package they
stand inside it, under ``kit/``. :func:`kit` finds them either way, and everything else asks it.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundrules import strictjson
from groundrules.errors import KitError, ReadError, UsageError, Where, escaped, show
from groundrules.files import read_bytes
from groundrules.order import DocumentOrder
from groundrules.strictjson import JSON, pointer
from groundrules.times import parse_rfc3339

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError
    from referencing.jsonschema import SchemaRegistry

_NAMED = 5
"""How many unknown members a finding names."""
_INSTALLED = Path(__file__).parent / "kit"
_CHECKOUT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Kit:
    """The folders and files of the kit.

    Attributes:
        schemas: folder of ``<kind>.json`` files.
        vectors: folder of vector families.
        catalogue: ``rules.json``.
        profiles: folder of span profiles.
        vocabulary: ``vocabulary.json`` of evidence.
        chapters: folder of the normative chapters; None where the package is installed without them.
    """

    schemas: Path
    vectors: Path
    catalogue: Path
    profiles: Path
    vocabulary: Path
    chapters: Path | None


def kit() -> Kit:
    """The kit this package carries, in a wheel and in a checkout alike.

    Raises:
        KitError: ``kit.missing``: neither is there.
    """
    for root in (_INSTALLED, _CHECKOUT):
        if (root / "schemas").is_dir() and (root / "vectors").is_dir():
            spec = root / "spec"
            chapters = spec if (spec / "index.md").is_file() else None
            vocabulary = spec / "evidence" / "vocabulary.json"
            return Kit(root / "schemas", root / "vectors", spec / "rules.json", spec / "profiles", vocabulary, chapters)
    raise KitError(
        "kit.missing",
        "the schemas and vectors that belong to this package are not there",
        where=Where(file=str(_INSTALLED)),
        remedy="install groundrules again",
    )


@dataclass(frozen=True, slots=True)
class SchemaFinding:
    """One place where a document departs from its schema.

    Attributes:
        pointer: JSON Pointer of the offending value.
        detail: one clause.
    """

    pointer: str
    detail: str


@functools.cache
def kinds() -> tuple[str, ...]:
    """The document kinds that have a schema, sorted."""
    return tuple(sorted(path.stem for path in kit().schemas.glob("*.json")))


def validate(document: JSON, kind: str) -> list[SchemaFinding]:
    """Everything in a document that its schema forbids, in document order.

    Args:
        document: a JSON value as strict reading yields it.
        kind: a document kind, see :func:`kinds`.

    Raises:
        UsageError: ``usage.unknown-kind``.
    """
    return [SchemaFinding(pointer(path), detail) for path, detail in validate_paths(document, kind)]


def validate_paths(document: JSON, kind: str) -> list[tuple[tuple[str | int, ...], str]]:
    """As :func:`validate`, with paths of member names and indexes in place of pointers."""
    order = DocumentOrder(document)
    errors = sorted(_validator(kind).iter_errors(document), key=lambda error: order(error.absolute_path))
    return list(dict.fromkeys((tuple(error.absolute_path), _explain(error)) for error in errors))


def first_departure(document: JSON, kind: str) -> tuple[tuple[str | int, ...], str] | None:
    """The first place found in which a document departs from its schema, or None; no other is looked for.

    For documents of strangers, in which a million places may be wrong.

    Raises:
        UsageError: ``usage.unknown-kind``.
    """
    for error in _validator(kind).iter_errors(document):
        return tuple(error.absolute_path), _explain(error)
    return None


def departures(document: JSON, kind: str) -> list[tuple[tuple[str | int, ...], str]]:
    """As :func:`validate_paths`, each place once, with all that is wrong there in one clause."""
    told: dict[tuple[str | int, ...], list[str]] = {}
    for path, detail in validate_paths(document, kind):
        told.setdefault(path, []).append(detail)
    return [(path, " and ".join(details)) for path, details in told.items()]


def top_level_type(kind: str) -> str:
    """The JSON type every document of this kind has at its top.

    Raises:
        UsageError: ``usage.unknown-kind``.
    """
    return str(_schema(kind)["type"])


@functools.cache
def members(kind: str) -> frozenset[str]:
    """The members that the schema of a kind names at the top of a document.

    Raises:
        UsageError: ``usage.unknown-kind``.
    """
    properties = _schema(kind)["properties"]
    assert isinstance(properties, dict)  # noqa: S101 - every schema of the kit has them
    return frozenset(properties)


def read_kit_json(path: Path) -> dict[str, JSON]:
    """Read one of the kit's own JSON files, an object.

    Raises:
        KitError: ``kit.unreadable``: it is missing, refused by strict reading, or no object.
    """
    try:
        value = strictjson.loads(read_bytes(str(path)))
    except (ReadError, UsageError) as error:
        raise KitError("kit.unreadable", error.detail, where=Where(file=str(path))) from None
    if not isinstance(value, dict):
        raise KitError("kit.unreadable", "the top of the file is not an object", where=Where(file=str(path)))
    return value


@functools.cache
def _schema(kind: str) -> dict[str, JSON]:
    if kind not in kinds():
        raise UsageError(
            "usage.unknown-kind",
            f"{show(kind)} is not a kind of document",
            remedy=f"use one of {', '.join(kinds())}",
        )
    return read_kit_json(kit().schemas / f"{kind}.json")


@functools.cache
def _validator(kind: str) -> Draft202012Validator:
    return validator_of(_schema(kind))


def validator_of(schema: dict[str, JSON]) -> Draft202012Validator:
    """A validator of any schema of draft 2020-12, which may refer to those of the kit; formats are asserted."""
    from jsonschema import Draft202012Validator, FormatChecker, validators  # noqa: PLC0415 - it is slow to import and most commands need none

    formats = FormatChecker(formats=())
    formats.checks("date-time")(lambda text: not isinstance(text, str) or parse_rfc3339(text) is not None)
    linear: type[Draft202012Validator] = validators.extend(  # type: ignore[no-untyped-call]  # its stubs lack types
        Draft202012Validator, {"uniqueItems": _unique_items}
    )
    return linear(schema, registry=schema_registry(), format_checker=formats)


@functools.cache
def schema_registry() -> SchemaRegistry:
    """The kit's own schemas, by their ids."""
    from referencing import Registry  # noqa: PLC0415 - it is slow to import
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415

    resources = [DRAFT202012.create_resource(_schema(other)) for other in kinds()]
    return Registry().with_resources((str(resource.id()), resource) for resource in resources)


def _unique_items(_validator: object, wanted: bool, instance: JSON, _schema: object) -> Iterator[ValidationError]:  # noqa: FBT001
    """``uniqueItems`` in linear time, whatever the items are: they are compared by their text."""
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415

    if wanted and isinstance(instance, list):
        texts = {json.dumps(item, sort_keys=True) for item in instance}
        if len(texts) < len(instance):
            yield ValidationError("an item stands twice")


def _explain(error: ValidationError) -> str:
    """One clause for one error; foreign text only as :func:`groundrules.errors.show` writes it."""
    expected: Any = error.validator_value
    instance: Any = error.instance
    match error.validator:
        case "type":
            return f"it is not of type {expected if isinstance(expected, str) else ' or '.join(expected)}"
        case "required":
            missing = next(name for name in expected if name not in instance and f"'{name}'" in error.message)
            return f"the member {missing} is missing"
        case "additionalProperties":
            schema: Any = error.schema
            foreign = [show(name) for name in instance if name not in schema.get("properties", {})]
            more = f" and {len(foreign) - _NAMED} more" if len(foreign) > _NAMED else ""
            return f"the member {', '.join(foreign[:_NAMED])}{more} is not known here"
        case "enum":
            return f"it is none of {', '.join(map(str, expected))}"
        case "const":
            return f"it is not {expected}"
        case keyword if isinstance(expected, str | int):
            return f"it does not satisfy {keyword} {escaped(str(expected))}"
        case keyword:
            return f"it does not satisfy {keyword}"
