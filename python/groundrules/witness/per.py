"""The public record format PER 2.x, read as an evaluation record (witness.per)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.errors import SchemaError, Where

if TYPE_CHECKING:
    from groundrules.strictjson import JSON

_SAME = ("id", "kind", "source_type", "anchor", "source_ref", "turn_index", "char_start", "char_end", "subject")
_HASHES = {"source_sha256": "source_sha256", "span_sha256": "text_sha256"}
_CLAIM = ("id", "predicate", "predicate_version", "state", "turn_indices", "evidence", "counterevidence", "decided_by")
_PREFIX = "sha256:"


def from_per(document: JSON) -> JSON:
    """The evaluation record that a PER record holds: its refs with their texts and calls, its claims, its findings.

    Raises:
        SchemaError: ``schema.per``: it has no claims, or no evidence with refs.
    """
    match document:
        case {"claims": [*claims], "evidence": {"refs": [*refs]}, **rest}:
            findings = rest.get("findings", [])
            return {
                "format": "evaluation-record/1",
                "refs": [_ref(ref) for ref in refs],
                "claims": [_claim(claim) for claim in claims],
                "views": [_view(entry) for entry in findings] if isinstance(findings, list) else [],
            }
    raise SchemaError(
        "schema.per",
        "it is no PER record: it has no claims, or no evidence with refs",
        where=Where(pointer=""),
        remedy="give a record of PER 2.x, or leave out --format",
    )


def _ref(ref: JSON) -> JSON:
    if not isinstance(ref, dict):
        return ref
    made = {name: ref[name] for name in _SAME if ref.get(name) is not None}
    made |= {ours: _bare(ref[theirs]) for theirs, ours in _HASHES.items() if ref.get(theirs) is not None}
    if "excerpt" in ref:
        made["text"] = ref["excerpt"]
    if "can_prove_agent_behaviour" in ref:
        made["can_prove_agent_behaviour"] = ref["can_prove_agent_behaviour"]
    return made | _of_tool(ref.get("tool")) | _of_statement(ref.get("statement"))


def _of_tool(tool: JSON) -> dict[str, JSON]:
    """The call of a receipt: its arguments stay a hash and a pointer."""
    if not isinstance(tool, dict) or "call_index" not in tool:
        return {}
    arguments: JSON = {name: tool[name] for name in ("arguments_sha256", "arguments_pointer") if name in tool}
    return {"call_index": tool["call_index"], "inputs": arguments, "output": tool.get("output")}


def _of_statement(statement: JSON) -> dict[str, JSON]:
    """What an absence or a calculation was computed from."""
    if not isinstance(statement, dict):
        return {}
    return {name: statement[name] for name in ("inputs", "formula", "output") if name in statement}


def _bare(digest: JSON) -> JSON:
    return digest.removeprefix(_PREFIX) if isinstance(digest, str) else digest


def _claim(claim: JSON) -> JSON:
    if not isinstance(claim, dict):
        return claim
    made = {name: claim[name] for name in _CLAIM if claim.get(name) is not None}
    return made | ({"parameters": claim["parameters"]} if "parameters" in claim else {})


def _view(finding: JSON) -> JSON:
    match finding:
        case {"finding_id": str(finding_id), "explanation": {"evidence_refs": refs}}:
            return {"id": finding_id, "kind": "finding", "refs": refs}
    return finding
