"""YAML as far as it is another spelling of JSON: no anchors, aliases, tags, merge keys or doubled keys.

The value is built from the parser's events without recursion, so that neither depth nor aliases can cost anything.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NoReturn

from groundrules.errors import ConfigurationError, Where, show
from groundrules.strictjson import LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

    from groundrules.strictjson import JSON

LARGEST = 1024 * 1024
"""How many octets a list of copies in YAML may have."""

_DIGITS = re.compile(r"0|[1-9][0-9]{0,17}")


def read_yaml(data: bytes) -> JSON:
    """Read one plain YAML document (sources.yaml).

    Args:
        data: the octets of the whole file.

    Returns:
        The value: of JSON's types, without floats.

    Raises:
        ConfigurationError: ``config.yaml``.
    """
    import yaml  # noqa: PLC0415 - only a list of copies in YAML needs it

    if len(data) > LARGEST:
        _refuse(f"the list has more than {LARGEST} bytes", 1)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse("the list is not UTF-8", data.count(b"\n", 0, error.start) + 1)
    try:
        return _document(yaml.parse(text, Loader=yaml.SafeLoader))
    except (ValueError, OverflowError):
        _refuse("it is no YAML: an escape or a version that does not exist", None)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or "a character that YAML does not allow"
        _refuse(f"it is no YAML: {reason}", mark.line + 1 if mark else None)


class _Open:
    """A mapping or sequence that is being filled."""

    def __init__(self, value: dict[str, JSON] | list[JSON]) -> None:
        self.value = value
        self.name: str | None = None

    def add(self, value: JSON, line: int) -> None:
        if isinstance(self.value, list):
            self.value.append(value)
        elif self.name is None:
            if not isinstance(value, str):
                _refuse("a key is no string", line)
            if value in self.value:
                _refuse("a key stands twice", line)
            self.name = value
        else:
            self.value[self.name] = value
            self.name = None


def _document(events: Iterator[yaml.Event]) -> JSON:
    import yaml  # noqa: PLC0415

    stack: list[_Open] = []
    found: list[JSON] = []
    for event in events:
        line = event.start_mark.line + 1 if event.start_mark else 1
        match event:
            case yaml.AliasEvent() | yaml.NodeEvent(anchor=str()):
                _refuse("anchors and aliases are not allowed", line)
            case yaml.ScalarEvent():
                _place(stack, found, _scalar(event, line), line)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                if event.tag is not None:
                    _refuse("tags are not allowed", line)
                if len(stack) == LIMITS.depth:
                    _refuse(f"it nests deeper than {LIMITS.depth} levels", line)
                opened: dict[str, JSON] | list[JSON] = {} if isinstance(event, yaml.MappingStartEvent) else []
                if stack and isinstance(stack[-1].value, dict) and stack[-1].name is None:
                    _refuse("a key is no string", line)
                stack.append(_Open(opened))
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                closed = stack.pop()
                _place(stack, found, closed.value, line)
            case _:
                pass
    if len(found) != 1:
        _refuse("it is not exactly one YAML document", 1)
    return found[0]


def _place(stack: list[_Open], found: list[JSON], value: JSON, line: int) -> None:
    if stack:
        stack[-1].add(value, line)
    else:
        found.append(value)


def _scalar(event: yaml.ScalarEvent, line: int) -> JSON:
    """The value of a scalar: a string, a boolean, null or an integer in plain digits; nothing else is taken."""
    if event.tag is not None:
        _refuse("tags are not allowed", line)
    value = str(event.value)
    if any("\ud800" <= character <= "\udfff" for character in value):
        _refuse("an escape stands for half a surrogate pair: write the character itself", line)
    if not event.implicit[0]:
        return value
    kind = _kind(value, event.implicit)
    if kind == "str":
        return value
    if kind == "int" and _DIGITS.fullmatch(value):
        return int(value)
    if kind == "bool":
        return value.lower() in ("yes", "true", "on")
    if kind != "null":
        _refuse(f"YAML reads {show(value)} as {kind}: put a text in quotes, write a number in plain digits", line)
    return None


def _kind(value: str, implicit: tuple[bool, bool]) -> str:
    """What YAML 1.1 takes an unquoted scalar for: the last part of its tag."""
    import yaml  # noqa: PLC0415

    return str(_resolver().resolve(yaml.ScalarNode, value, implicit)).rpartition(":")[2]  # type: ignore[no-untyped-call]


@functools.cache
def _resolver() -> yaml.resolver.Resolver:
    import yaml  # noqa: PLC0415

    return yaml.resolver.Resolver()


def _refuse(detail: str, line: int | None) -> NoReturn:
    raise ConfigurationError("config.yaml", detail, where=Where(line=line), remedy="write it as plain YAML, or as JSON")
