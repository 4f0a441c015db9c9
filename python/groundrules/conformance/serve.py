"""The verifier, or a wrong one, as an adapter: messages on standard input, answers on standard output."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import groundrules
from groundrules.conformance.builtin import KINDS
from groundrules.conformance.protocol import PROTOCOL
from groundrules.documents import validate
from groundrules.errors import ReadError
from groundrules.strictjson import LIMITS, Limits, loads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from groundrules.conformance.builtin import Answer
    from groundrules.strictjson import JSON

_LIMITS = Limits(LIMITS.depth, LIMITS.number, 1024 * 1024 * 1024)


def serve(lines: Iterable[bytes], name: str, answer: Callable[[str, Mapping[str, bytes]], Answer]) -> Iterator[bytes]:
    """Answer messages until ``bye`` or their end.

    Args:
        lines: the kit's messages.
        name: what the implementation calls itself.
        answer: what it answers to a kind and its inputs.

    Yields:
        One line for each message but ``bye``.
    """
    for line in lines:
        try:
            message = loads(line, limits=_LIMITS)
        except ReadError as error:
            yield _line({"error": {"code": "protocol", "detail": f"the message is no JSON text: {error.detail}"}})
            continue
        if validate(message, "adapter-request") or not isinstance(message, dict):
            yield _line({"error": {"code": "protocol", "detail": "the message is no hello, case or bye"}})
        elif message["op"] == "bye":
            return
        elif message["op"] == "hello":
            yield _line(_hello(name))
        else:
            yield _line(_answered(message, answer))


def _hello(name: str) -> dict[str, JSON]:
    implementation: dict[str, JSON] = {"name": name, "version": groundrules.__version__, "language": "Python"}
    return {"protocol": PROTOCOL, "implementation": implementation, "kinds": [*KINDS], "features": []}


def _answered(message: dict[str, JSON], answer: Callable[[str, Mapping[str, bytes]], Answer]) -> dict[str, JSON]:
    kind, given = str(message["kind"]), message["input"]
    if kind not in KINDS:
        return {"seq": message["seq"], "skipped": "it does not answer this kind"}
    inputs = {name: base64.b64decode(str(text)) for name, text in given.items()} if isinstance(given, dict) else {}
    try:
        return {"seq": message["seq"]} | answer(kind, inputs)
    except KeyError as error:
        return {"seq": message["seq"], "error": {"code": "protocol", "detail": f"the input {error.args[0]} is missing"}}


def _line(message: dict[str, JSON]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
