"""The messages of the adapter protocol: made, read, and held to their schemas both ways."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.documents import validate
from groundrules.errors import KitError, ReadError, bare
from groundrules.strictjson import LIMITS, Limits, loads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.conformance.vectors import Vector
    from groundrules.strictjson import JSON

PROTOCOL = 1
_LIMITS = Limits(LIMITS.depth, LIMITS.number, 1024 * 1024 * 1024)


class Malformed(Exception):  # noqa: N818 - it names what the message is
    """A message of an adapter does not keep to the protocol; ``str`` says how."""


@dataclass(frozen=True, slots=True)
class Hello:
    """What an adapter says of itself (conformance.hello).

    Attributes:
        implementation: name, version, and where given language and url.
        kinds: the kinds it answers.
        features: the optional features it has.
    """

    implementation: Mapping[str, str]
    kinds: tuple[str, ...]
    features: tuple[str, ...]


def hello() -> bytes:
    """The first message."""
    return _line({"op": "hello", "protocol": PROTOCOL})


def case(vector: Vector, seq: int, *, show_id: bool) -> bytes:
    """The message that asks for one answer; its id says nothing unless ``show_id``."""
    inputs: dict[str, JSON] = {name: base64.b64encode(octets).decode() for name, octets in vector.inputs.items()}
    id_ = vector.id if show_id else str(seq)
    return _line({"op": "case", "seq": seq, "id": id_, "kind": vector.kind, "input": inputs})


def bye() -> bytes:
    """The last message."""
    return _line({"op": "bye"})


def _line(message: dict[str, JSON]) -> bytes:
    for finding in validate(message, "adapter-request"):
        raise KitError("kit.protocol", f"the kit's own message is malformed: {finding.detail}")
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def read_message(line: bytes, *, errors: bool = False) -> dict[str, JSON]:
    """A message of an adapter.

    Args:
        line: its octets.
        errors: an ``error`` is a message like any other, and not raised.

    Raises:
        Malformed: it is no JSON object of the schema.
    """
    try:
        message = loads(line, limits=_LIMITS)
    except ReadError as error:
        raise Malformed(f"it is no JSON text: {error.detail}; it begins {_beginning(line)}") from None
    if not isinstance(message, dict):
        raise Malformed(f"it is no JSON object; it begins {_beginning(line)}")
    if "error" in message and not errors:
        match message["error"]:
            case {"detail": str(detail)}:
                raise Malformed(f"the adapter reports an error: {bare(detail)}")
    if validate(message, "adapter-answer"):
        raise Malformed(f"it is neither a hello nor an answer; it begins {_beginning(line)}")
    return message


def read_hello(line: bytes) -> Hello:
    """An adapter's hello.

    Raises:
        Malformed: it is none, or of another protocol.
    """
    _mind_protocol(line)
    match read_message(line):
        case {"protocol": int(), "implementation": dict(stated), "kinds": [*kinds], "features": [*features]}:
            told = {str(name): str(stated[name]) for name in ("name", "version", "language", "url") if name in stated}
            return Hello(told, tuple(map(str, kinds)), tuple(map(str, features)))
    raise Malformed("an answer came where a hello was asked for")


def _mind_protocol(line: bytes) -> None:
    """Say so where an adapter speaks another protocol, before its form is looked at."""
    try:
        message = loads(line, limits=_LIMITS)
    except ReadError:
        return
    if isinstance(message, dict) and message.get("protocol", PROTOCOL) != PROTOCOL:
        raise Malformed(f"it speaks protocol {bare(repr(message['protocol']))}, and this kit speaks {PROTOCOL}")


def read_answer(line: bytes, seq: int) -> dict[str, JSON]:
    """An adapter's answer to a case.

    Raises:
        Malformed: it is none, or the answer to another case.
    """
    message = read_message(line)
    if message.get("seq") != seq or isinstance(message.get("seq"), bool):
        raise Malformed(f"it answers {bare(repr(message.get('seq')))} where {seq} was asked")
    return message


def _beginning(line: bytes) -> str:
    return bare(line[:60].decode("utf-8", "backslashreplace"))
