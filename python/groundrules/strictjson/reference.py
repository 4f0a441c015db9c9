"""The reference reader: RFC 8259 grammar and I-JSON restrictions, one character at a time, no recursion.

It defines what strict reading accepts. The fast reader is trusted only to accept; whatever it does not accept comes
here, and the first offence in document order is what gets reported (strict JSON, first offence).
"""

from __future__ import annotations

import math
import re
from typing import NoReturn

from groundrules.errors import ReadError, Where, show
from groundrules.strictjson.values import JSON, Limits, pointer

_SPACE = re.compile(r"[ \t\n\r]*+")
_NUMBER_RUN = re.compile(r"[-+.0-9eE]++")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?P<real>(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?)")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*+')
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_LITERALS: dict[str, JSON] = {"true": True, "false": False, "null": None}
_NON_FINITE = ("NaN", "Infinity", "-Infinity")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HIGH = range(0xD800, 0xDC00)
_LOW = range(0xDC00, 0xE000)


def read(text: str, limits: Limits) -> JSON:
    """Read one JSON text.

    Args:
        text: the decoded text, without a byte-order mark.
        limits: the limits on depth and number literals; the document's size has been checked before.

    Raises:
        ReadError: stage ``parse``, with the first offence in document order.
    """
    return _Reader(text, limits).document()


class _Reader:
    """One pass over one text. ``open`` holds the containers around the place, ``path`` what is being read in each."""

    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.at = 0
        self.open: list[dict[str, JSON] | list[JSON]] = []
        self.path: list[str | int] = []

    def document(self) -> JSON:
        self.space()
        if self.at == len(self.text):
            self.refuse("read.empty", "there is no JSON value: the text is empty or only white space")
        value = self.value()
        self.space()
        if self.at < len(self.text):
            self.refuse("read.trailing-data", f"{self.found()} follows the JSON value", "keep one value only")
        return value

    def value(self) -> JSON:
        while True:
            value = self.enter() if self.peek() in ("{", "[") else self.scalar()
            if value is _OPENED:
                continue
            while self.open:
                self.attach(value)
                if self.more():
                    break
                value = self.leave()
            else:
                return value

    def enter(self) -> JSON:
        """Open a container: its value where it is empty, else _OPENED with the place at its first element."""
        container: dict[str, JSON] | list[JSON] = {} if self.peek() == "{" else []
        if len(self.open) == self.limits.depth:
            self.refuse(
                "read.too-deep",
                f"the nesting goes deeper than {self.limits.depth} levels",
                "flatten the document",
            )
        self.at += 1
        self.space()
        if self.peek() == _closer(container):
            self.at += 1
            return container
        self.open.append(container)
        self.path.append(self.name() if isinstance(container, dict) else 0)
        return _OPENED

    def attach(self, value: JSON) -> None:
        container, key = self.open[-1], self.path[-1]
        if isinstance(container, dict):
            container[str(key)] = value
        else:
            container.append(value)

    def more(self) -> bool:
        """Past a comma to the next element (True), or past the closing bracket (False)."""
        container = self.open[-1]
        self.space()
        if self.peek() == _closer(container):
            self.at += 1
            return False
        if self.peek() != ",":
            self.refuse("read.syntax", f"expected ',' or '{_closer(container)}', found {self.found()}")
        self.at += 1
        self.space()
        key = self.path.pop()
        self.path.append(self.name() if isinstance(key, str) else key + 1)
        return True

    def leave(self) -> JSON:
        self.path.pop()
        return self.open.pop()

    def name(self) -> str:
        start = self.at
        if self.peek() != '"':
            self.refuse("read.syntax", f"expected a member name in quotes, found {self.found()}")
        name = self.string()
        container = self.open[-1]
        if name in container:
            self.at = start
            self.refuse(
                "read.duplicate-name",
                f"the member name {show(name)} stands twice in one object",
                "keep one of the two",
            )
        self.space()
        if self.peek() != ":":
            self.refuse("read.syntax", f"expected ':' after a member name, found {self.found()}")
        self.at += 1
        self.space()
        return name

    def scalar(self) -> JSON:
        start = self.peek()
        if start == '"':
            return self.string()
        for literal, value in _LITERALS.items():
            if self.text.startswith(literal, self.at):
                self.at += len(literal)
                return value
        for token in _NON_FINITE:
            if self.text.startswith(token, self.at):
                self.refuse("read.non-finite-token", f"{token} is not a JSON number", "write null or a string")
        if not start or start not in "-0123456789":
            self.refuse("read.syntax", f"expected a JSON value, found {self.found()}")
        return self.number()

    def number(self) -> int | float:
        literal = _match(_NUMBER_RUN, self.text, self.at)
        parts = _NUMBER.fullmatch(literal)
        if parts is None:
            self.refuse("read.syntax", f"{show(literal)} is not a JSON number")
        if len(literal) > self.limits.number:
            self.refuse(
                "read.number-too-long",
                f"a number literal has {len(literal)} characters; the limit is {self.limits.number}",
                "carry it as a string",
            )
        value: int | float
        if parts["real"]:
            value = float(literal)
            if math.isinf(value):
                self.refuse(
                    "read.number-overflow",
                    f"the number {show(literal)} is too large for a double",
                    "carry it as a string",
                )
        else:
            value = self.integer(literal)
        self.at += len(literal)
        return value

    def integer(self, literal: str) -> int:
        try:
            value = int(literal)
        except ValueError:
            self.refuse(
                "read.interpreter-limit",
                f"this Python is set to convert no integer of {len(literal)} digits",
                f"call sys.set_int_max_str_digits({self.limits.number})",
            )
        return value

    def string(self) -> str:
        self.at += 1
        pieces = []
        while True:
            plain = _match(_PLAIN, self.text, self.at)
            pieces.append(plain)
            self.at += len(plain)
            stop = self.peek()
            if stop == '"':
                self.at += 1
                return "".join(pieces)
            if stop != "\\":
                self.refuse(
                    "read.syntax",
                    f"{self.found()} stands unescaped inside a string" if stop else "the text ends inside a string",
                )
            pieces.append(self.escape())

    def escape(self) -> str:
        sign = self.text[self.at + 1 : self.at + 2]
        if sign in _ESCAPES:
            self.at += 2
            return _ESCAPES[sign]
        unit = self.unit(self.at)
        if unit is None:
            self.refuse("read.syntax", "a backslash does not begin one of the escapes of JSON")
        if unit in _HIGH:
            low = self.unit(self.at + 6)
            if low is not None and low in _LOW:
                self.at += 12
                return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
        if unit in _HIGH or unit in _LOW:
            self.refuse(
                "read.lone-surrogate",
                f"the escape \\u{unit:04x} is half of a surrogate pair; the other half is not beside it",
                "write the whole pair, or the character itself",
            )
        self.at += 6
        return chr(unit)

    def unit(self, at: int) -> int | None:
        r"""The code unit of the escape ``\uXXXX`` that starts at ``at``, or None where none does."""
        if not self.text.startswith("\\u", at):
            return None
        digits = _HEX.match(self.text, at + 2)
        return int(digits[0], 16) if digits else None

    def space(self) -> None:
        self.at += len(_match(_SPACE, self.text, self.at))

    def peek(self) -> str:
        """The character at the place, "" at the end."""
        return self.text[self.at : self.at + 1]

    def found(self) -> str:
        return show(self.peek()) if self.peek() else "the end of the text"

    def refuse(self, code: str, detail: str, remedy: str = "") -> NoReturn:
        where = Where(
            line=self.text.count("\n", 0, self.at) + 1,
            offset=len(self.text[: self.at].encode()),
            pointer=pointer(self.path),
        )
        raise ReadError(code, detail, stage="parse", where=where, remedy=remedy)


_OPENED: JSON = []
"""Stands for no value yet: a container was opened and its first element comes next. Compared by identity."""


def _closer(container: dict[str, JSON] | list[JSON]) -> str:
    return "}" if isinstance(container, dict) else "]"


def _match(pattern: re.Pattern[str], text: str, at: int) -> str:
    """What a pattern matches at a place; "" where it matches nothing."""
    match = pattern.match(text, at)
    return match[0] if match else ""
