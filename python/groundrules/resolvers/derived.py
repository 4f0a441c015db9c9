"""Of which source something is that follows from facts: never of a better one than they are (resolve.derived)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.witness.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundrules.resolvers.base import Established, Ref
    from groundrules.strictjson import JSON

_INDEXES = ("turn_index", "call_index")


def derived_from(facts: Iterable[Established]) -> Ref:
    """The source type and the indexes of a calculation over facts, and its anchor.

    It has the source type, and each index, that all the refs of all the facts share, or ``HARNESS_SIGNAL``, which
    witnesses nothing: where they share none, where a fact has no ref, or where no calculation can come from it.
    Receipts of a call beside its result count as the result, which they are there for.
    """
    by_fact = [_without_paired_calls(fact.refs) for fact in facts]
    refs = [ref for refs in by_fact for ref in refs]
    types = {ref["source_type"] for ref in refs}
    shared: Ref = {"source_type": "HARNESS_SIGNAL", "anchor": "computed"}
    calculation = vocabulary().kinds["CALCULATION"].compatible_source_types
    if all(by_fact) and len(types) == 1 and types <= calculation and all(map(_witnesses, refs)):
        shared["source_type"] = types.pop()
    for name in _INDEXES:
        values = {ref.get(name) for ref in refs}
        if len(values) == 1 and None not in values:
            shared[name] = values.pop()
    return shared


def _witnesses(ref: Ref) -> bool:
    """Whether its anchor is one that witnesses, so that a calculation over it may be anchored as computed."""
    return ref["anchor"] in vocabulary().witnessing_anchors


def _without_paired_calls(refs: Iterable[Ref]) -> list[Ref]:
    """The refs without the receipts of those calls that a result among them is of."""
    listed = [*refs]
    results = {_call(ref) for ref in listed if ref["source_type"] == "TOOL_RESULT"}
    return [ref for ref in listed if ref["source_type"] != "AGENT_TOOL_CALL" or _call(ref) not in results]


def _call(ref: Ref) -> tuple[JSON, JSON]:
    return ref.get("turn_index"), ref.get("call_index")
