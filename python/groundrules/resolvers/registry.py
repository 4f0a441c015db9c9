"""The eleven resolvers by their ids (resolve.protocol)."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from groundrules.resolvers import (
    arithmetic,
    exact_span,
    graph_rule,
    human_adjudication,
    paired_comparison,
    policy_lookup,
    semantic,
    state_transition,
    tool_receipt,
    typed_absence,
)
from groundrules.resolvers.base import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.resolvers.base import Resolver

_RESOLVERS: dict[str, Resolver] = {
    "exact-span": exact_span.resolve,
    "typed-absence": typed_absence.resolve,
    "tool-receipt": tool_receipt.resolve,
    "state-transition": state_transition.resolve,
    "policy-lookup": policy_lookup.resolve,
    "arithmetic": arithmetic.resolve,
    "paired-comparison": paired_comparison.resolve,
    "semantic-relation": semantic.resolve_relation,
    "semantic-classification": semantic.resolve_classification,
    "graph-rule": graph_rule.resolve,
    "human-adjudication": human_adjudication.resolve,
}
RESOLVERS: Mapping[str, Resolver] = MappingProxyType({PREFIX + name: resolve for name, resolve in _RESOLVERS.items()})
"""Every resolver by its id, read-only."""
