"""The facts of one run, gathered once: what every rule reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from groundrules.citations import INPUT_NAMES, MODES, Pair
from groundrules.linter.trail import DEFAULT_INPUT_NAME

if TYPE_CHECKING:
    from groundrules.linter.account import Account
    from groundrules.linter.trail import Trail


@dataclass(frozen=True)
class Facts:
    """A trace and an envelope, read part by part, and what follows from the two together.

    Attributes:
        trail: the trace.
        account: the envelope.
    """

    trail: Trail
    account: Account

    @cached_property
    def mode(self) -> str | None:
        """The root's mode where it is known, else the envelope's where that is (lint.mode)."""
        root = self.trail.root
        stated = None if root is None else root.attributes.get("dd.grounding_mode")
        for mode in (stated, self.account.mode):
            if isinstance(mode, str) and mode in MODES:
                return mode
        return None

    @cached_property
    def succeeded(self) -> bool:
        """The run claims success."""
        return self.account.status == "succeeded"

    @cached_property
    def input_pair(self) -> Pair | None:
        """How the input is cited: by the invocation id and the root's input hash; None where either is malformed."""
        root = self.trail.root
        digest = None if root is None else root.attributes.get("dd.input_hash")
        if self.account.invocation_id is None or not isinstance(digest, str):
            return None
        return f"input:{self.account.invocation_id}", digest

    @cached_property
    def input_name(self) -> str:
        """The root's input canonicalisation; the default where it states none for inputs."""
        root = self.trail.root
        name = None if root is None else root.attributes.get("dd.input_canonicalisation")
        return name if isinstance(name, str) and name in INPUT_NAMES else DEFAULT_INPUT_NAME

    @cached_property
    def clock_skew_us(self) -> int:
        """The clock skew that the conductor allows, in microseconds."""
        root = self.trail.root
        skew = 0 if root is None else root.attributes.get("dd.clock_skew_us", 0)
        return skew if type(skew) is int and skew >= 0 else 0

    @cached_property
    def delegated(self) -> frozenset[tuple[Pair, str]]:
        """The recorded child runs, as pair and canonicalisation."""
        return frozenset((child.pair, child.canonicalisation) for child in self.account.delegations)

    @cached_property
    def retrieved(self) -> frozenset[Pair]:
        """Every pair that some retrieval declares."""
        return frozenset(pair for retrieval in self.trail.retrievals for pair in retrieval.pairs)

    @cached_property
    def recorded(self) -> frozenset[Pair]:
        """The pairs of the ok retrieval records."""
        return frozenset(record.pair for record in self.account.records if record.pair is not None)
