"""What a record says of its own claims: who decided, how they stand with their contracts, what is cited as proof.

Nothing of it is the engine's word: it is computed from the record by the rules that hold any record (resolve.record).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.witness.claims import FAIL, NOT_APPLICABLE, Contracts
from groundrules.witness.deciding import DETERMINISTIC, decider_of, deciders
from groundrules.witness.record import read_record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.strictjson import JSON
    from groundrules.witness.record import Claim, Record


def completed(made: dict[str, JSON]) -> dict[str, JSON]:
    """A record with what follows from it.

    Args:
        made: of ``schemas/evaluation-record.json``; its claims may say anything of their decider.

    Returns:
        The same with ``decided_by`` as the log shows it, a ``contract_check`` in every applicable claim, the fidelity
        of a predicate that was decided itself, and a finding for every failing claim, which cites as proof what
        witnesses for it.
    """
    made = made | {"claims": [*_with_deciders(made)]}
    record = read_record(made)
    contracts = Contracts(record)
    claims: list[JSON] = [_checked(claim, contracts) for claim in record.claims]
    return made | {"claims": claims, "findings": [*_findings(record, contracts)]}


def _with_deciders(made: dict[str, JSON]) -> Iterator[JSON]:
    record = read_record(made)
    told = deciders(record)
    for claim in record.claims:
        yield {**claim.stated} | {"decided_by": decider_of(claim, told).kind or DETERMINISTIC}


def _checked(claim: Claim, contracts: Contracts) -> JSON:
    parameters: dict[str, JSON] = {"fidelity": "exact", **claim.parameters}
    check = contracts.check(claim)
    if check is not None and claim.state != NOT_APPLICABLE:
        parameters["contract_check"] = {"status": check.status, "unmet": [*check.tokens]}
    return {**claim.stated} | {"parameters": parameters}


def _findings(record: Record, contracts: Contracts) -> Iterator[JSON]:
    """A finding for each failure; what does not witness proves nothing, and is not cited as if it did."""
    for claim in record.claims:
        check = contracts.check(claim) if claim.state == FAIL else None
        if check is not None:
            cited: list[JSON] = [*check.witnessing]
            yield {"id": f"{claim.id}/finding", "claim": claim.id, "kind": "failure", "proof_citations": cited}
