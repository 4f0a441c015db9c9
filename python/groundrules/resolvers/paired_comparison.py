"""paired-comparison: outcomes of two scenarios that are equal but for one attribute (resolve.paired-comparison)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.resolvers.base import Relation, missing, numbered, undecided
from groundrules.resolvers.exact import TooLargeError, read_number
from groundrules.resolvers.texts import hashed
from groundrules.strictjson import JSON

if TYPE_CHECKING:
    from groundrules.resolvers.base import Answer, Question, Ref, Sources

_Scenario = tuple[int, dict[str, JSON]]
_PAIR = 2


def resolve(question: Question, sources: Sources) -> Answer:
    """Whether one outcome of a pair of scenarios differs.

    The relation is between the scenarios, in the order of the archive. Outcomes are compared as the values that they
    are, or as exact numbers (``as``).

    Abstains for want of ``pair_binding`` where there are not two scenarios of the pair, or they are not equal but for
    the named attribute, and of ``normalized_outcomes`` where an outcome is not there, or the two are not of one type.
    """
    pair, attribute, outcome = (str(question.parameters[name]) for name in ("pair", "attribute", "outcome"))
    listed = sources.archive.listed("scenarios") or []
    bound = [(index, entry) for index, entry in enumerate(listed) if entry.get("pair") == pair]
    if len(bound) != _PAIR or differing(*(_object(entry["attributes"]) for _, entry in bound)) != {attribute}:
        return missing(question, "pair_binding")
    outcomes = [_object(entry.get("outcomes", {})) for _, entry in bound]
    if any(outcome not in stated for stated in outcomes):
        return missing(question, "normalized_outcomes")
    try:
        differs = _differ(outcomes[0][outcome], outcomes[1][outcome], str(question.parameters.get("as", "value")))
    except TooLargeError:
        return undecided(question, "too_large")
    if differs is None:
        return missing(question, "normalized_outcomes")
    ref = _ref(bound, attribute, outcome, differs=differs)
    one, other = (str(entry["id"]) for _, entry in bound)
    return Relation(question.name, one, other, differs, numbered(question.name, [ref]))


def differing(one: dict[str, JSON], other: dict[str, JSON]) -> set[str]:
    """The attributes that two scenarios do not share: those of another value or type, and those that one has not."""
    return {
        name
        for name in one.keys() | other.keys()
        if name not in one or name not in other or not _same(one[name], other[name])
    }


def _same(one: JSON, other: JSON) -> bool:
    return type(one) is type(other) and one == other


def _differ(one: JSON, other: JSON, compared_as: str) -> bool | None:
    """Whether outcomes differ; None where they cannot be compared."""
    if compared_as == "number":
        left, right = read_number(one), read_number(other)
        return None if left is None or right is None else left != right
    return None if type(one) is not type(other) else one != other


def _object(value: JSON) -> dict[str, JSON]:
    assert isinstance(value, dict)  # noqa: S101 - by the schema
    return value


def _ref(bound: list[_Scenario], attribute: str, outcome: str, *, differs: bool) -> Ref:
    """What was compared; by the harness, which normalised it, so that it proves nothing of the agent."""
    return {
        "kind": "CALCULATION",
        "source_type": "HARNESS_SIGNAL",
        "anchor": "computed",
        "inputs": {
            "attribute": attribute,
            "outcome": outcome,
            "scenarios": [
                {
                    "source_ref": f"/scenarios/{index}",
                    "sha256": hashed(entry),
                    "attribute": _object(entry["attributes"]).get(attribute),
                    "outcome": _object(entry["outcomes"])[outcome],
                }
                for index, entry in bound
            ],
        },
        "formula": "outcomes of scenarios equal but for inputs.attribute differ",
        "output": differs,
    }
