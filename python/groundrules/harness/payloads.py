"""The payload class of an agent: a JSON Schema that has to require what the linter reads (agent.payload-class)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from groundrules.canonical.domain import survey
from groundrules.documents import schema_registry, validator_of
from groundrules.errors import CanonicalError, ConfigurationError, Where, show
from groundrules.strictjson import pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from referencing._core import Resolver
    from referencing.jsonschema import Schema

    from groundrules.strictjson import JSON

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


class PayloadClass:
    """The payloads of one agent.

    Attributes:
        name: their ``schema_class``.
    """

    def __init__(self, name: str, schema: Mapping[str, JSON]) -> None:
        """Hold a payload schema to what every payload needs.

        Args:
            name: the ``schema_class`` that it fixes.
            schema: a JSON Schema of draft 2020-12; it may refer to itself and to the kit's own schemas.

        Raises:
            ConfigurationError: ``config.payload-schema``: it is no schema, or refers to one that is not here;
                ``config.payload-class``: it does not fix ``schema_class``; ``config.payload-not-grounded``: it does
                not require ``grounded_on``.
        """
        self.name = name
        own = _own(schema)
        self._validator = validator_of(own)
        self._bases = _bases(own)
        self._mind_what_is_required()

    def departure(self, payload: JSON) -> str | None:
        """The first thing in which a payload departs from its class, one clause without its own words, or None."""
        try:
            for error in self._validator.iter_errors(payload):
                return f"{_place(error.absolute_path)}it does not satisfy {error.validator or 'its schema'}"
        except RecursionError:
            return "its schema refers to itself without end, or leads too far"
        return None

    def _mind_what_is_required(self) -> None:
        required = {name for base in self._bases for name in _listed(base.get("required"))}
        if "grounded_on" not in required:
            raise _refused("config.payload-not-grounded", "it does not require grounded_on")
        if not any(base.get("type") == "object" for base in self._bases):
            raise _refused("config.payload-class", "it does not say that a payload is an object")
        if "schema_class" not in required or self.name not in [*self._fixed()]:
            detail = f"it does not require schema_class and fix it as {show(self.name)}"
            raise _refused("config.payload-class", detail)

    def _fixed(self) -> Iterator[str]:
        """The values that the schema fixes ``schema_class`` to."""
        for base in self._bases:
            properties = base.get("properties")
            stated = properties.get("schema_class") if isinstance(properties, dict) else None
            match stated:
                case {"const": str(only)} | {"enum": [str(only)]}:
                    yield only


def _place(path: Iterable[str | int]) -> str:
    at = pointer(path)
    return f"at {show(at)} " if at else ""


def _own(schema: Mapping[str, JSON]) -> dict[str, JSON]:
    """A copy of a schema, held to the draft."""
    own: dict[str, JSON] = {**schema}
    try:
        survey(own)
    except CanonicalError as error:
        raise _refused("config.payload-schema", f"it is no JSON value: {error.detail}", error.where.pointer) from None
    own = json.loads(json.dumps(own))
    _mind_draft(own, "it")
    if own.get("$schema", _DRAFT) != _DRAFT:
        raise _refused("config.payload-schema", "it is of another draft than 2020-12", "/$schema")
    return own


def _bases(own: dict[str, JSON]) -> list[dict[str, JSON]]:
    """The schema objects that every payload has to satisfy whole: the root, and through allOf and $ref.

    A part is looked at from its own ``$id``, and what a reference leads to from where it stands, as a validator does.

    Raises:
        ConfigurationError: ``config.payload-schema``: a reference leads nowhere, or to what is no schema.
    """
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415 - it is slow to import

    root = DRAFT202012.create_resource(own)
    resolver = schema_registry().resolver_with_root(root)
    _follow_all(own, resolver)
    found: dict[int, dict[str, JSON]] = {}
    pending: list[tuple[JSON, Resolver[Schema]]] = [(own, resolver)]
    while pending:
        schema, resolver = pending.pop()
        if not isinstance(schema, dict) or id(schema) in found:
            continue
        found[id(schema)] = schema
        parts = [part for part in _listed(schema.get("allOf")) if isinstance(part, dict)]
        pending += [(part, resolver.in_subresource(DRAFT202012.create_resource(part))) for part in parts]
        if isinstance(reference := schema.get("$ref"), str):
            pending.append(_led(reference, resolver))
    return [*found.values()]


def _follow_all(own: dict[str, JSON], resolver: Resolver[Schema]) -> None:
    """Follow every reference of a schema, of the schemas in it, and of those that it leads to.

    Raises:
        ConfigurationError: ``config.payload-schema``.
    """
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415 - it is slow to import

    followed: set[int] = set()
    pending: list[tuple[JSON, Resolver[Schema]]] = [(own, resolver)]
    while pending:
        contents, resolver = pending.pop()
        if not isinstance(contents, dict) or id(contents) in followed:
            continue
        followed.add(id(contents))
        references = [contents[name] for name in ("$ref", "$dynamicRef") if isinstance(contents.get(name), str)]
        pending += [_led(str(reference), resolver) for reference in references]
        for inner in DRAFT202012.create_resource(contents).subresources():
            pending.append((inner.contents, resolver.in_subresource(inner)))


def _led(reference: str, resolver: Resolver[Schema]) -> tuple[JSON, Resolver[Schema]]:
    """What a reference leads to, held to the draft, and from where its own references start.

    Raises:
        ConfigurationError: ``config.payload-schema``.
    """
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - it is slow to import

    try:
        led = resolver.lookup(reference)
    except (Unresolvable, AttributeError, LookupError, TypeError, ValueError):  # it stumbles over what is no schema
        raise _refused("config.payload-schema", f"it refers to {show(reference)}, which is not here") from None
    contents: JSON = led.contents  # type: ignore[assignment]  # a schema is JSON
    if not isinstance(contents, dict | bool):
        raise _refused("config.payload-schema", f"it refers to {show(reference)}, which is no schema")
    _mind_draft(contents, f"what {show(reference)} leads to")
    return contents, led.resolver


def _mind_draft(schema: dict[str, JSON] | bool, what: str) -> None:  # noqa: FBT001 - true is a schema
    """Refuse what is no schema of the draft.

    Raises:
        ConfigurationError: ``config.payload-schema``.
    """
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - it is slow to import
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415

    try:
        Draft202012Validator.check_schema(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    except SchemaError as error:
        place = pointer(error.absolute_path)
        raise _refused("config.payload-schema", f"{what} is no JSON Schema, by {error.validator}", place) from None


def _listed(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []


def _refused(code: str, detail: str, at: str | None = "") -> ConfigurationError:
    where = Where(pointer=f"/payload/schema{at or ''}")
    return ConfigurationError(code, detail, where=where, remedy="see agent.payload-class in the chapter Harness")
