"""The gate: a result that fails is withheld, not annotated (chapter *Gate*)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from groundrules.catalogue import catalogue
from groundrules.documents import members, validate_paths
from groundrules.errors import SchemaError, UsageError, Where
from groundrules.evidence import envelope_hash
from groundrules.findings import Finding, Place
from groundrules.verdict import GroundingStatus, SourceStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundrules.strictjson import JSON
    from groundrules.verdict import GroundingVerdict, SourceVerdict

PROBLEM_TYPE: Final = "urn:groundrules:problem:grounding-violation"
"""The type of the problem that the gate states."""
REASON_CODE: Final = "grounding-violation"
"""The reason that the gate gives an abstention which it withheld."""

STATEMENT: Final = "This result was withheld: "
"""How the statement of an envelope begins that the gate acted on."""

_KEPT = (
    "invocation_id",
    "agent_id",
    "agent_version",
    "completed_at",
    "grounding_mode",
    "requires_human_review",
    "conversation_id",
    "parent_invocation_id",
    "telemetry",
    "delegations",
    "retrievals",
    "policy_bundle_ref",
    "policy_digest",
    "acting_for",
    "contract_version",
    "input_schema",
)
_NAMED = {
    "telemetry": ("trace_id", "model_id", "input_tokens", "output_tokens"),
    "acting_for": ("principal_id", "name", "principal_kind", "assurance"),
}
_CONCEALED = re.compile(r"sha256:[0-9a-f]{64}")
_KEPT_STATUSES = ("abstained", "referred", "failed", "suspended")
_LISTS = ("evidence", "delegations", "retrievals")


def withhold(envelope: JSON, grounding: GroundingVerdict, sources: SourceVerdict) -> dict[str, JSON]:
    """The envelope that may be stored and shown: the one given, or where it fails one that holds no result.

    Args:
        envelope: the envelope that was judged.
        grounding: the linter's verdict on it.
        sources: the source check's verdict on it.

    Returns:
        The same object where neither verdict is a violation, else a new one (gate.outcome, gate.kept).

    Raises:
        SchemaError: ``schema.envelope``: the envelope is no object.
        UsageError: ``usage.other-envelope``: a verdict judged another envelope.
    """
    if not isinstance(envelope, dict):
        where = Where(pointer="")
        raise SchemaError("schema.envelope", "an envelope is a JSON object, and this is none", where=where)
    judged = envelope_hash(envelope)
    for name, verdict in (("grounding", grounding), ("source", sources)):
        if verdict.judged_hash != judged:
            raise UsageError(
                "usage.other-envelope",
                f"the {name} verdict judged another envelope",
                remedy="give the gate the envelope that was judged, unchanged",
            )
    reasons = reasons_of(grounding.status, grounding.codes, sources.status, sources.codes)
    return emptied(envelope, reasons) if reasons else envelope


def reasons_of(grounding: str, grounding_codes: Sequence[str], sources: str, sources_codes: Sequence[str]) -> str:
    """Why the gate acts on two verdicts, "" where it does not (gate.acts-on, gate.statement).

    Args:
        grounding: the status of the grounding verdict.
        grounding_codes: the codes of its findings, each once and sorted.
        sources: the status of the source verdict.
        sources_codes: likewise.
    """
    reasons = []
    if grounding == GroundingStatus.FAILED:
        reasons.append(f"grounding failed ({', '.join(grounding_codes)})")
    elif grounding not in (GroundingStatus.PASSED, GroundingStatus.WITHHELD):
        reasons.append("grounding was not checked")
    if sources == SourceStatus.FAILED:
        reasons.append(f"sources failed ({', '.join(sources_codes)})")
    return "; ".join(reasons)


def statement_of(reasons: str) -> str:
    """The statement of an envelope that the gate acted on for these reasons (gate.statement)."""
    return f"{STATEMENT}{reasons}."


def emptied(envelope: dict[str, JSON], reasons: str) -> dict[str, JSON]:
    """What the gate makes of an envelope for these reasons; of what it made already, the same again."""
    outcome, problem = _outcome(envelope.get("outcome"), reasons)
    kept = {name: _named(name, value) for name, value in envelope.items() if name in _KEPT}
    for path, _ in validate_paths(kept, "envelope"):
        if path:
            kept.pop(str(path[0]), None)
    return kept | {"outcome": outcome, "evidence": []} | problem


def _named(name: str, value: JSON) -> JSON:
    """A kept member; of an open one only what the schema names (gate.kept)."""
    if name in _NAMED and isinstance(value, dict):
        return {inner: value[inner] for inner in _NAMED[name] if inner in value}
    return value


def _outcome(stated: JSON, reasons: str) -> tuple[dict[str, JSON], dict[str, JSON]]:
    """The outcome of the withheld envelope, and its problem member where it has one."""
    status = stated.get("status") if isinstance(stated, dict) else None
    if not isinstance(status, str) or status not in _KEPT_STATUSES:
        status = "failed"
    outcome: dict[str, JSON] = {"status": status, "statement": statement_of(reasons)}
    if status in ("failed", "suspended"):
        return outcome, {"problem": {"type": PROBLEM_TYPE, "title": "Grounding violation", "detail": f"{reasons}."}}
    outcome["reason_code"] = REASON_CODE
    if status == "referred":
        outcome["referred_to"] = "withheld"
    return outcome, {}


def concealed(verdict: GroundingVerdict) -> GroundingVerdict:
    """A grounding verdict without the agent's words, as a run that the gate acted on stores it (verdicts.stored)."""
    return replace(verdict, findings=_concealed(verdict.findings), notes=_concealed(verdict.notes))


def concealed_sources(verdict: SourceVerdict) -> SourceVerdict:
    """A source verdict without the agent's words, as a run that the gate acted on stores it (verdicts.stored)."""
    return replace(
        verdict,
        copies=tuple(replace(copy, snapshot_refs=tuple(map(_digest, copy.snapshot_refs))) for copy in verdict.copies),
        verified=tuple(map(_digest, verdict.verified)),
        unresolved=tuple(
            replace(
                item,
                ref=_digest(item.ref),
                snapshot_ref=None if item.snapshot_ref is None else _digest(item.snapshot_ref),
            )
            for item in verdict.unresolved
        ),
        findings=_concealed(verdict.findings),
        skipped=tuple(map(_digest, verdict.skipped)),
    )


def shows_agent(finding: JSON) -> bool:
    """Whether a finding or note of a stored verdict holds more than its code and a concealed place."""
    match finding:
        case {"code": str(code), "at": {"pointer": str(pointer), **rest}, "detail": detail}:
            return bool(rest) or _place(Place(pointer)).pointer != pointer or not _title(code) or detail != _title(code)
        case {"code": str(code), "at": {"span": _}, "detail": detail}:
            return not _title(code) or detail != _title(code)
    return True


def is_digest_of_text(value: JSON) -> bool:
    """Whether a source id or snapshot reference stands concealed (verdicts.stored)."""
    return isinstance(value, str) and _CONCEALED.fullmatch(value) is not None


def _concealed(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(Finding(finding.code, _place(finding.at), _title(finding.code)) for finding in findings)


def _place(at: Place) -> Place:
    if at.pointer is None:
        return at
    steps = at.pointer.split("/")[1:]
    known = members("envelope")
    kept = steps[: 2 if steps[:1] and steps[0] in _LISTS else 1] if steps and steps[0] in known else []
    return Place("".join(f"/{step}" for step in kept))


def _title(code: str) -> str:
    entry = catalogue().code(code)
    return "" if entry is None else entry.title


def _digest(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
