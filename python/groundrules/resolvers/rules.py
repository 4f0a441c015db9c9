"""The rule language: total, three-valued, and blind to everything but the facts (resolve.rule-language)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from groundrules.resolvers.base import Relation
from groundrules.resolvers.exact import TooLargeError, read_number
from groundrules.resolvers.expressions import COMPARISONS, admit, malformed
from groundrules.times import parse_rfc3339

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from groundrules.resolvers.base import Established
    from groundrules.strictjson import JSON

_Path: TypeAlias = tuple[str | int, ...]
_EQUALITIES = ("eq", "ne")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rule comes to.

    Attributes:
        truth: true, false, or None where it is not known.
        over: the facts that make it true or false, or that are open and leave it unknown.
        weight: the weakest of the facts that it rests on, see :class:`groundrules.resolvers.base.Sources`.
    """

    truth: bool | None
    over: frozenset[str] = frozenset()
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    """The facts that a rule is evaluated over, and how weak each is (0 where nothing is said)."""

    facts: Mapping[str, Established]
    weights: Mapping[str, int] = field(default_factory=dict)

    def over(self, names: Iterable[str], truth: bool | None) -> Verdict:  # noqa: FBT001
        """A verdict that rests on facts; an unknown one on those of them that are open, or on all where none is."""
        named = frozenset(names)
        if truth is None:
            return Verdict(None, frozenset(named - self.facts.keys()) or named)
        return Verdict(truth, named, max((self.weights.get(name, 0) for name in named), default=0))


def check(rule: JSON, path: _Path) -> None:
    """Hold a rule to the grammar and the limits.

    Args:
        rule: any JSON value.
        path: where it stands.

    Raises:
        SchemaError: ``schema.expression``, at the first part that departs from it.
    """
    admit(rule, path)
    _check(rule, path)


def evaluate(rule: JSON, known: Known) -> Verdict:
    """What a rule that :func:`check` has admitted comes to over the facts.

    ``all`` is false with any false part, ``any`` true with any true part, whatever else is unknown. What is read of a
    fact that is not there, of another type than it is compared with, or at a time equal to the other's, is unknown.
    """
    match rule:
        case bool():
            return Verdict(rule)
        case {"all": [*parts]}:
            return _joined([evaluate(part, known) for part in parts], decisive=False)
        case {"any": [*parts]}:
            return _joined([evaluate(part, known) for part in parts], decisive=True)
        case {"not": part}:
            inner = evaluate(part, known)
            return Verdict(None if inner.truth is None else not inner.truth, inner.over, inner.weight)
        case {"exists": str(name)}:
            return known.over([name], _is_there(known.facts[name].value) if name in known.facts else None)
        case {"relation": dict(pattern)}:
            return known.over([str(pattern["name"])], _holds(pattern, known))
        case {"compare": [left, str(word), right]}:
            return known.over(_names(left, right), _compared(word, _operand(left, known), _operand(right, known)))
        case {"before": [left, right]}:
            return known.over(_names(left, right), _precedes(left, right, known))
        case {"after": [left, right]}:
            return known.over(_names(left, right), _precedes(right, left, known))
    raise AssertionError(rule)  # pragma: no cover - by the grammar


def mentioned(rule: JSON) -> frozenset[str]:
    """The names of all facts that a rule that was admitted may read."""
    match rule:
        case {"all": [*parts]} | {"any": [*parts]}:
            return frozenset(name for part in parts for name in mentioned(part))
        case {"not": part}:
            return mentioned(part)
        case {"exists": str(name)} | {"relation": {"name": str(name)}}:
            return frozenset([name])
        case {"compare": [left, _, right]} | {"before": [left, right]} | {"after": [left, right]}:
            return frozenset(_names(left, right))
    return frozenset()


def _check(rule: JSON, path: _Path) -> None:
    if isinstance(rule, bool):
        return
    if not isinstance(rule, dict) or len(rule) != 1:
        malformed("it is neither a truth value nor an object of one member", path)
    ((word, inside),) = rule.items()
    at = (*path, word)
    match word, inside:
        case "all" | "any", [_, *_]:
            for index, part in enumerate(inside):
                _check(part, (*at, index))
        case "not", _:
            _check(inside, at)
        case _:
            _check_leaf(word, inside, at)


def _check_leaf(word: str, inside: JSON, at: _Path) -> None:
    """An operation that has no rule inside."""
    match word, inside:
        case "exists", str():
            return
        case "relation", {"name": str(), **ends} if ends.keys() <= {"subject", "object"}:
            if not all(isinstance(end, str) for end in ends.values()):
                malformed("an end of a relation is no text", at)
        case "compare", [left, str(comparison), right] if comparison in COMPARISONS:
            _check_operand(left, (*at, 0))
            _check_operand(right, (*at, 2))
        case "before" | "after", [left, right]:
            _check_operand(left, (*at, 0))
            _check_operand(right, (*at, 1))
        case _:
            malformed("it is no operation of the language with its operands", at)


def _check_operand(operand: JSON, path: _Path) -> None:
    match operand:
        case bool() | int() | str():
            return
        case {"fact": str(), **rest} if not rest:
            return
        case {"number": {"fact": str(), **inner}, **rest} if not inner and not rest:
            return
        case {"number": str(written), **rest} if not rest:
            if _number(written) is None:
                malformed("the text states no number within the bounds", (*path, "number"))
            return
    malformed("it is no operand: a text, a whole number, a truth value, a fact or a number", path)


def _joined(verdicts: list[Verdict], *, decisive: bool) -> Verdict:
    """Parts joined: the decisive one of the strongest facts where there is one, else all, else what is unknown."""
    deciding = [verdict for verdict in verdicts if verdict.truth is decisive]
    if deciding:
        return min(deciding, key=lambda verdict: verdict.weight)
    unknown = [verdict for verdict in verdicts if verdict.truth is None]
    over = frozenset(name for verdict in unknown or verdicts for name in verdict.over)
    if unknown:
        return Verdict(None, over)
    return Verdict(not decisive, over, max(verdict.weight for verdict in verdicts))


def _is_there(value: JSON) -> bool:
    """Whether a value says that something is there: anything but null, false, zero and what is empty."""
    return bool(value)


def _holds(pattern: dict[str, JSON], known: Known) -> bool | None:
    fact = known.facts.get(str(pattern["name"]))
    if not isinstance(fact, Relation):
        return None
    ends = (pattern.get("subject", fact.subject), pattern.get("object", fact.object))
    return _is_there(fact.value) if ends == (fact.subject, fact.object) else None


def _names(*operands: JSON) -> list[str]:
    found = []
    for operand in operands:
        match operand:
            case {"fact": str(name)} | {"number": {"fact": str(name)}}:
                found.append(name)
    return found


def _operand(operand: JSON, known: Known) -> JSON | Fraction:
    """The value of an operand, whole numbers as exact ones; None where it is not known."""
    match operand:
        case {"fact": str(name)}:
            value = known.facts[name].value if name in known.facts else None
            return _number(value) if isinstance(value, int) and not isinstance(value, bool) else value
        case {"number": {"fact": str(name)}}:
            return _number(known.facts[name].value) if name in known.facts else None
        case {"number": written}:
            return _number(written)
        case bool() | str():
            return operand
    return _number(operand)


def _number(value: JSON) -> Fraction | None:
    try:
        return read_number(value)
    except TooLargeError:
        return None


def _compared(word: str, left: JSON | Fraction, right: JSON | Fraction) -> bool | None:
    if type(left) is not type(right):
        return None
    match left:
        case Fraction() | str():
            return bool(COMPARISONS[word](left, right))
        case bool() if word in _EQUALITIES:
            return bool(COMPARISONS[word](left, right))
    return None


def _precedes(left: JSON, right: JSON, known: Known) -> bool | None:
    """Whether one time is earlier than another; equal times have no order that anybody recorded."""
    times = [value for value in (_operand(left, known), _operand(right, known)) if isinstance(value, str)]
    read = [time for time in map(parse_rfc3339, times) if time is not None]
    if len(read) < 2 or read[0] == read[1]:  # noqa: PLR2004 - there are two sides
        return None
    return read[0] < read[1]
