"""arithmetic: exact results from recorded inputs (resolve.arithmetic)."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from groundrules.resolvers.base import Decision, missing, numbered, undecided
from groundrules.resolvers.derived import derived_from
from groundrules.resolvers.exact import TooLargeError, bounded, read_number, write_number
from groundrules.resolvers.expressions import COMPARISONS, admit, malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from groundrules.resolvers.base import Answer, Established, Question, Sources
    from groundrules.strictjson import JSON

_Path: TypeAlias = tuple[str | int, ...]

_CHAINED = ("+", "*")
_PAIRED = ("-", "/", "ratio")
_LISTED = ("sum", "count", "min", "max")


class _OpenError(ArithmeticError):
    """The formula has no value; the word for it is the argument."""


class _MissingError(ArithmeticError):
    """An input is not there."""


@dataclass(slots=True)
class _Inputs:
    """The facts that a formula may read, and those that it has read."""

    facts: Mapping[str, Established]
    read: dict[str, JSON] = field(default_factory=dict)

    def value(self, name: str) -> JSON:
        if name not in self.facts:
            raise _MissingError
        self.read[name] = self.facts[name].value
        return self.read[name]


def resolve(question: Question, sources: Sources) -> Answer:
    """What a formula comes to: a number, or the truth of a comparison at its top.

    Abstains for want of ``formula`` and of ``inputs`` where a fact is not there; as ``no_number`` where an input
    states none (a binary fraction never does), ``division_by_zero``, ``no_ratio``, ``empty`` and ``too_large``.

    Raises:
        SchemaError: ``schema.expression``: the formula departs from the grammar.
    """
    if "formula" not in question.parameters:
        return missing(question, "formula")
    formula = question.parameters["formula"]
    place = ("parameters", "formula")
    written = admit(formula, place)
    check(formula, place)
    inputs = _Inputs(sources.facts)
    try:
        result = _compared(formula, inputs)
    except _MissingError:
        return missing(question, "inputs")
    except _OpenError as error:
        return undecided(question, str(error))
    except TooLargeError:
        return undecided(question, "too_large")
    read = dict(sorted(inputs.read.items()))
    facts = [sources.facts[name] for name in read]
    ref = derived_from(facts) | {"kind": "CALCULATION", "inputs": read, "formula": written, "output": result}
    return Decision(question.name, result, tuple(read), numbered(question.name, [ref]))


def check(formula: JSON, path: _Path = (), *, nested: bool = False) -> None:
    """Hold a formula to the grammar.

    Raises:
        SchemaError: ``schema.expression``, at the first part that departs from it.
    """
    if isinstance(formula, int | str) and not isinstance(formula, bool):
        _check_number(formula, path)
        return
    if not isinstance(formula, dict) or len(formula) != 1:
        malformed("it is neither a number nor an object of one member", path)
    ((word, operands),) = formula.items()
    inside = (*path, word)
    match word, operands:
        case "fact", str():
            return
        case _, [_, _] if word in COMPARISONS and not nested:
            pass
        case _, [_, _] if word in _PAIRED:
            pass
        case _, [_, *_] if word in _CHAINED:
            pass
        case _, list() if word in _LISTED:
            pass
        case _, {"fact": str(), **rest} if word in _LISTED and not rest:
            return
        case _:
            malformed("it is no operation of the language with its operands", inside)
    for index, operand in enumerate(operands):
        check(operand, (*inside, index), nested=True)


def _check_number(stated: int | str, path: _Path) -> None:
    try:
        number = read_number(stated)
    except TooLargeError:
        malformed("the number is beyond the bounds of exact arithmetic", path)
    if number is None:
        malformed("the text states no number", path)


def _compared(formula: JSON, inputs: _Inputs) -> JSON:
    if isinstance(formula, dict):
        ((word, operands),) = formula.items()
        if word in COMPARISONS and isinstance(operands, list):
            left, right = (_value(operand, inputs) for operand in operands)
            return bool(COMPARISONS[word](left, right))
    return write_number(_value(formula, inputs))


def _value(formula: JSON, inputs: _Inputs) -> Fraction:
    match formula:
        case {"fact": str(name)}:
            return _number(inputs.value(name))
        case dict():
            ((word, operands),) = formula.items()
            if word == "count":
                return Fraction(len(_counted(operands, inputs)))
            return bounded(_operation(word, _operands(operands, inputs)))
    return _number(formula)


def _number(value: JSON) -> Fraction:
    number = read_number(value)
    if number is None:
        raise _OpenError("no_number")
    return number


def _counted(operands: JSON, inputs: _Inputs) -> list[JSON]:
    """The things to be counted: a fact's list, or the operands, each of which has to have a value."""
    match operands:
        case {"fact": str(name)}:
            listed = inputs.value(name)
            if not isinstance(listed, list):
                raise _OpenError("no_list")
            return listed
    return [write_number(number) for number in _operands(operands, inputs)]


def _operands(operands: JSON, inputs: _Inputs) -> list[Fraction]:
    if isinstance(operands, dict):
        return [_number(entry) for entry in _counted(operands, inputs)]
    assert isinstance(operands, list)  # noqa: S101 - by the grammar
    return [_value(operand, inputs) for operand in operands]


def _operation(word: str, operands: list[Fraction]) -> Fraction:
    match word:
        case "+" | "sum":
            return _folded(operator.add, operands, Fraction(0))
        case "*":
            return _folded(operator.mul, operands, Fraction(1))
        case "-":
            return operands[0] - operands[1]
        case "min" | "max":
            if not operands:
                raise _OpenError("empty")
            return min(operands) if word == "min" else max(operands)
    if operands[1] == 0:
        raise _OpenError("division_by_zero")
    if word == "ratio" and not 0 <= operands[0] <= operands[1]:
        raise _OpenError("no_ratio")
    return operands[0] / operands[1]


def _folded(combine: Callable[[Fraction, Fraction], Fraction], operands: list[Fraction], start: Fraction) -> Fraction:
    """Operands combined one by one, so that no result on the way is beyond the bounds."""
    for operand in operands:
        start = bounded(combine(start, operand))
    return start
