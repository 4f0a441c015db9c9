"""The envelope of a run: the conductor's members, and what the contract lets stand of the result (harness.envelope)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groundrules.contract import check_contract
from groundrules.documents import first_departure
from groundrules.errors import ReadError, bare
from groundrules.harness.outcomes import AGENT_ERROR, Fault
from groundrules.runs.writing import page
from groundrules.strictjson import pointer

if TYPE_CHECKING:
    from groundrules.harness.specification import AgentSpec
    from groundrules.strictjson import JSON

_CARRIED = ("conversation_id", "parent_invocation_id", "policy_bundle_ref", "acting_for")
"""What an envelope repeats of its request."""
_OUTCOME = ("status", "statement", "reason_code", "referred_to")
_COUNTED = ("model_id", "input_tokens", "output_tokens")
_RESULT = ("payload", "evidence")


@dataclass(slots=True)
class Record:
    """What the conductor knows of a run when the agent is done.

    Attributes:
        request: as it was accepted.
        spec: of the agent.
        trace_id: 32 lower-case hex digits.
        completed_at: RFC 3339.
        lists: ``delegations`` and ``retrievals``, where the mode has them.
    """

    request: dict[str, JSON]
    spec: AgentSpec
    trace_id: str
    completed_at: str
    lists: dict[str, JSON] = field(default_factory=dict)


def envelope_of(record: Record, result: dict[str, JSON] | None, fault: Fault | None) -> tuple[JSON, Fault | None]:
    """The envelope of a run, before it is judged.

    Args:
        record: the conductor's part.
        result: the agent's, of its schema; None where there is a fault.
        fault: why there is no result.

    Returns:
        An envelope that satisfies the contract and reads back as it is; and the fault that made it a failure, where
        that is not the one given: what the result breaks.
    """
    if result is not None and fault is None:
        envelope = _assembled(record, result)
        fault = _broken(record.spec, result, envelope)
        if fault is None:
            return envelope, _reported(result)
    assert fault is not None  # noqa: S101 - there is a result or a fault
    return _base(record, {}) | {"outcome": fault.outcome, "problem": fault.problem}, fault


def _assembled(record: Record, result: dict[str, JSON]) -> dict[str, JSON]:
    reported = _reported(result)
    problem: dict[str, JSON] = {} if reported is None else {"problem": reported.problem}
    kept = {name: result[name] for name in _RESULT if name in result}
    outcome: JSON = {name: result[name] for name in _OUTCOME if name in result}
    return _base(record, result) | {"outcome": outcome} | kept | problem


def _base(record: Record, result: dict[str, JSON]) -> dict[str, JSON]:
    """The conductor's members."""
    telemetry: dict[str, JSON] = {"trace_id": record.trace_id}
    telemetry |= {name: result[name] for name in _COUNTED if name in result}
    return {
        "invocation_id": record.request["invocation_id"],
        **{name: record.request[name] for name in _CARRIED if name in record.request},
        "agent_id": record.spec.agent_id,
        "agent_version": record.spec.version,
        "completed_at": record.completed_at,
        "grounding_mode": record.spec.grounding_mode,
        "requires_human_review": True,
        "telemetry": telemetry,
        **record.lists,
    }


def _reported(result: dict[str, JSON]) -> Fault | None:
    """The fault of a result that itself says that it failed."""
    return Fault("agent.reported", type=AGENT_ERROR) if result["status"] == "failed" else None


def _broken(spec: AgentSpec, result: dict[str, JSON], envelope: dict[str, JSON]) -> Fault | None:
    """What a result breaks: the form of an envelope, the contract, its payload class."""
    try:
        page(envelope)
    except ReadError as error:
        return Fault("agent.too-large", f"{error.detail} [{error.code}]")
    departure = first_departure(envelope, "envelope")
    if departure is not None:  # of what departs in a million places, one is enough
        return Fault("agent.contract", f"{bare(pointer(departure[0]))}: {departure[1]}", ("c1.schema",))
    findings = check_contract(envelope).findings
    if findings:
        codes = tuple(sorted({finding.code for finding in findings}))
        return Fault("agent.contract", f"{findings[0].at}: {findings[0].detail}", codes)
    departed = spec.payload.departure(result["payload"]) if "payload" in result else None
    return Fault("agent.payload-class", departed) if departed else None
