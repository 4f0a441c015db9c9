"""What a predicate asks of the evidence for a claim: its contract, as data (contracts.contract)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundrules.strictjson import JSON


@dataclass(frozen=True, slots=True)
class Contract:
    """What evidence has to be there; the members are those of ``schemas/evaluation-record.json``.

    Attributes:
        require_any: None where it is not stated; of no kinds at all nothing can be one.
        scope: ``turn``, ``episode``, ``run``, ``artifact``, ``paired-episode``, or None where it is not stated.
    """

    require_all: tuple[str, ...] = ()
    require_any: tuple[str, ...] | None = None
    require_groups: tuple[tuple[str, ...], ...] = ()
    forbid_as_agent_proof: frozenset[str] = frozenset()
    minimum_refs: int = 0
    scope: str | None = None
    counterevidence_required: bool = False
    typed_absence: bool = False


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate of a record.

    Attributes:
        polarity: ``risk``, ``safeguard`` or ``observation``.
        resolvers: in their order.
        contract: what a failing claim has to cite, or None where nothing is declared.
        pass_contract: what a passing one has to cite, or None for the default of the polarity.
        not_applicable_basis: the bases that are allowed, or None for the default of the producer.
    """

    id: str
    version: str
    polarity: str
    resolvers: tuple[str, ...]
    contract: Contract | None = None
    pass_contract: Contract | None = None
    not_applicable_basis: tuple[str, ...] | None = None


def read_predicate(entry: dict[str, JSON]) -> Predicate:
    """The predicate that an entry of a record states; the entry satisfies the record's schema."""
    stated = entry.get("evidence_contract")
    made = Predicate(str(entry["id"]), str(entry["version"]), str(entry["polarity"]), _names(entry["resolvers"]))
    if not isinstance(stated, dict):
        return made
    contract = _contract(stated)
    passing, basis = stated.get("pass_contract"), stated.get("not_applicable_basis")
    inherited: dict[str, JSON] = {} if contract.scope is None else {"scope": contract.scope}
    return replace(
        made,
        contract=contract,
        pass_contract=_contract(inherited | passing) if isinstance(passing, dict) else None,
        not_applicable_basis=None if basis is None else _names(basis),
    )


def _contract(entry: dict[str, JSON]) -> Contract:
    groups, scope, minimum = entry.get("require_groups", []), entry.get("scope"), entry.get("minimum_refs", 0)
    assert isinstance(groups, list) and isinstance(minimum, int | float)  # noqa: S101, PT018 - by the schema
    return Contract(
        _names(entry.get("require_all", [])),
        _names(entry["require_any"]) if "require_any" in entry else None,
        tuple(map(_names, groups)),
        frozenset(_names(entry.get("forbid_as_agent_proof", []))),
        int(minimum),
        None if scope is None else str(scope),
        entry.get("counterevidence_required") is True,
        entry.get("typed_absence") is True,
    )


def _names(listed: JSON) -> tuple[str, ...]:
    return tuple(map(str, listed)) if isinstance(listed, list) else ()
