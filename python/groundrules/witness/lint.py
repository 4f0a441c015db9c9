"""What is amiss with contracts themselves: what no evidence can satisfy, and lists that are out of order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.findings import Finding, Place
from groundrules.witness.claims import ABSENCE, is_provable
from groundrules.witness.contract import read_predicate
from groundrules.witness.order import of_list
from groundrules.witness.predicates import of_schema, read_folder
from groundrules.witness.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from groundrules.strictjson import JSON
    from groundrules.witness.contract import Contract

_LISTS = ("require_all", "require_any", "forbid_as_agent_proof")


def lint_contracts(folder: str | Path) -> tuple[int, list[Finding]]:
    """Look through the predicates of a folder (contracts.lint).

    Args:
        folder: of JSON and YAML files.

    Returns:
        How many predicates there are, and the findings by file and place.

    Raises:
        UsageError: ``usage.no-contracts``; a file cannot be read.
        ReadError: a JSON file is no strict JSON text.
        ConfigurationError: ``config.yaml``, ``config.contracts``.
    """
    found: list[Finding] = []
    count = 0
    for file, kept in read_folder(folder):
        known: list[JSON] = []
        for index, entry in enumerate(kept):
            at = f"/predicates/{index}"
            known.append(_without_unknown(entry, file, at, found))
        for index, predicate in enumerate(of_schema(file, known)):
            count += 1
            found += _of_predicate(predicate, file, f"/predicates/{index}")
    return count, found


def _without_unknown(entry: JSON, file: str, at: str, found: list[Finding]) -> JSON:
    """A predicate without the kinds that the vocabulary has not, each of which is a finding."""
    match entry:
        case dict() if isinstance(contract := entry.get("evidence_contract"), dict):
            kept = _known(contract, file, f"{at}/evidence_contract", found)
            passing = contract.get("pass_contract")
            if isinstance(passing, dict):
                kept["pass_contract"] = _known(passing, file, f"{at}/evidence_contract/pass_contract", found)
            return entry | {"evidence_contract": kept}
    return entry


def _known(contract: dict[str, JSON], file: str, at: str, found: list[Finding]) -> dict[str, JSON]:
    kept = {**contract}
    for name in _LISTS:
        if name in contract:
            kept[name] = _kinds(contract[name], file, f"{at}/{name}", found)
    match contract.get("require_groups"):
        case [*groups]:
            kept["require_groups"] = [
                _kinds(group, file, f"{at}/require_groups/{number}", found) for number, group in enumerate(groups)
            ]
    return kept


def _kinds(listed: JSON, file: str, at: str, found: list[Finding]) -> JSON:
    if not isinstance(listed, list):
        return listed
    for position, kind in enumerate(listed):
        if isinstance(kind, str) and kind not in vocabulary().kinds:
            place = Place(f"{at}/{position}", file=file)
            found.append(Finding("contracts.unknown-kind", place, "no type of source yields such a kind"))
    return [kind for kind in listed if not isinstance(kind, str) or kind in vocabulary().kinds]


def _of_predicate(entry: dict[str, JSON], file: str, at: str) -> Iterator[Finding]:
    predicate = read_predicate(entry)
    for finding in of_list(predicate.resolvers, f"{at}/resolvers"):
        yield Finding(finding.code, Place(finding.at.pointer, file=file), finding.detail)
    for contract, name in ((predicate.contract, ""), (predicate.pass_contract, "/pass_contract")):
        if contract is not None:
            place = f"{at}/evidence_contract{name}"
            yield from _groups(contract, file, place)
            yield from _absence(contract, file, place)
    if predicate.polarity == "risk" and predicate.contract is not None and not is_provable(_named(predicate.contract)):
        detail = "it names no kind that can prove what an agent did, so a failure that meets it still has no witness"
        yield Finding("contracts.no-witness", Place(f"{at}/evidence_contract", file=file), detail)


def _groups(contract: Contract, file: str, at: str) -> Iterator[Finding]:
    if contract.require_any is not None and not contract.require_any:
        yield Finding("contracts.dead-group", Place(f"{at}/require_any", file=file), "no ref can satisfy it")
    for number, group in enumerate(contract.require_groups):
        place = f"{at}/require_groups/{number}"
        proving = [kind for kind in group if is_provable((kind,)) and kind not in contract.forbid_as_agent_proof]
        if not group or (is_provable(group) and not proving):
            yield Finding("contracts.dead-group", Place(place, file=file), "no ref can satisfy it")
        elif proving:
            for position, kind in enumerate(group):
                if kind not in proving:
                    detail = f"{kind} cannot satisfy a group that asks for proof"
                    yield Finding("contracts.dead-kind", Place(f"{place}/{position}", file=file), detail)


def _absence(contract: Contract, file: str, at: str) -> Iterator[Finding]:
    names = ABSENCE in _named(contract)
    if names != contract.typed_absence:
        detail = f"it {'names' if names else 'does not name'} {ABSENCE}, and typed_absence says otherwise"
        yield Finding("contracts.absence", Place(at, file=file), detail)


def _named(contract: Contract) -> set[str]:
    """The kinds that a contract asks for."""
    return {*contract.require_all, *(contract.require_any or ())}.union(*contract.require_groups)
