"""One shot: all messages at once for a toolchain without a loop, and the scoring of what came back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.conformance import protocol
from groundrules.conformance.runner import Answered, sorted_out
from groundrules.conformance.score import Outcome, Result, score
from groundrules.conformance.vectors import Vector
from groundrules.errors import UsageError, Where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundrules.strictjson import JSON

LARGEST = 1024 * 1024 * 1024
"""How many octets the results of one shot may have."""

__all__ = ["LARGEST", "Vector", "pack", "score_results"]


def pack(vectors: Sequence[Vector], *, show_ids: bool = False) -> bytes:
    """The messages, hello and bye included; the ``seq`` is a vector's place from 1."""
    cases = (protocol.case(vector, seq, show_id=show_ids) for seq, vector in enumerate(vectors, 1))
    return b"".join((protocol.hello(), *cases, protocol.bye()))


def score_results(data: bytes, vectors: Sequence[Vector]) -> Answered:
    """Score the lines that came back.

    Args:
        data: one message a line: a hello first, then answers in any order.
        vectors: those that were packed, in the same order.

    Raises:
        UsageError: ``usage.results``: a line is no message, there is no hello, or an answer is to no question.
    """
    lines = data.split(b"\n")
    try:
        hello = protocol.read_hello(lines[0])
    except protocol.Malformed as error:
        raise _unusable(1, str(error)) from None
    answers: dict[int, dict[str, JSON]] = {}
    for number, line in enumerate(lines[1:], 2):
        if not line.strip(b"\r"):
            continue
        try:
            message = protocol.read_message(line, errors=True)
        except protocol.Malformed as error:
            raise _unusable(number, str(error)) from None
        seq = message.get("seq")
        if type(seq) is not int or not 1 <= seq <= len(vectors):
            raise _unusable(number, "it answers no question of the pack")
        if seq in answers:
            raise _unusable(number, f"question {seq} is answered twice")
        answers[seq] = message
    results = [
        sorted_out(vector, hello.kinds, hello.features) or _scored(vector, answers.get(seq))
        for seq, vector in enumerate(vectors, 1)
    ]
    return Answered(hello.implementation, hello.kinds, hello.features, tuple(results))


def _scored(vector: Vector, answer: dict[str, JSON] | None) -> Result:
    if answer is None:
        return Result(vector.id, Outcome.ERROR, "there is no answer to it")
    return score(vector, answer)


def _unusable(line: int, detail: str) -> UsageError:
    remedy = "give the whole output of one run of the adapter, made from the same pack"
    return UsageError("usage.results", detail, where=Where(line=line), remedy=remedy)
