"""The public record format PER 2.x, read as an evaluation record (witness.per)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.errors import SchemaError, Where

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundrules.strictjson import JSON

_SAME = ("id", "kind", "source_type", "anchor", "source_ref", "turn_index", "char_start", "char_end", "subject")
_HASHES = {"source_sha256": "source_sha256", "span_sha256": "text_sha256"}
_CLAIM = ("id", "predicate", "predicate_version", "state", "turn_indices", "evidence", "counterevidence", "decided_by")
_PARAMETERS = ("fidelity", "votes", "contract_check", "applicability_basis")
_PREFIX = "sha256:"


def from_per(document: JSON) -> JSON:
    """The evaluation record that a PER record holds: refs with their texts and calls, claims, findings, and its effect.

    Raises:
        SchemaError: ``schema.per``: it has no claims, or no evidence with refs.
    """
    match document:
        case {"claims": [*claims], "evidence": {"refs": [*refs]}, **rest}:
            findings = rest.get("findings", [])
            stated = findings if isinstance(findings, list) else []
            bands = _bands(stated)
            made: dict[str, JSON] = {
                "format": "evaluation-record/1",
                "refs": [_ref(ref) for ref in refs],
                "claims": [_claim(claim, bands) for claim in claims],
                "views": [_view(entry) for entry in stated],
                "episodes": _episodes(document),
                "findings": [*_findings(stated)],
            }
            return made | _producer(document) | _recommendation(document)
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
    arguments: JSON = {name: _bare(tool[name]) for name in ("arguments_sha256", "arguments_pointer") if name in tool}
    return {"call_index": tool["call_index"], "inputs": arguments, "output": tool.get("output")}


def _of_statement(statement: JSON) -> dict[str, JSON]:
    """What an absence or a calculation was computed from."""
    if not isinstance(statement, dict):
        return {}
    return {name: statement[name] for name in ("inputs", "formula", "output") if name in statement}


def _bare(digest: JSON) -> JSON:
    return digest.removeprefix(_PREFIX) if isinstance(digest, str) else digest


def _claim(claim: JSON, bands: Mapping[str, str]) -> JSON:
    if not isinstance(claim, dict):
        return claim
    made = {name: claim[name] for name in _CLAIM if claim.get(name) is not None}
    stated = claim.get("parameters")
    parameters = {name: stated[name] for name in _PARAMETERS if stated.get(name)} if isinstance(stated, dict) else {}
    band = bands.get(str(claim.get("id")))
    return made | {"parameters": parameters | ({} if band is None else {"recurrence": band})}


def _bands(findings: list[JSON]) -> dict[str, str]:
    """How often what a claim says was seen again, as its findings tell."""
    bands: dict[str, str] = {}
    for finding in findings:
        match finding:
            case {"claim_ids": [*claims], "recurrence": {"band": str(band)}}:
                bands |= {str(claim): band for claim in claims}
    return bands


def _findings(findings: list[JSON]) -> Iterator[JSON]:
    """A finding for each claim of one; the format has no citations that are proof."""
    for finding in findings:
        match finding:
            case {"finding_id": str(finding_id), "kind": str(kind), "claim_ids": [*claims]}:
                for claim in claims:
                    yield {"id": finding_id, "claim": claim, "kind": kind, "proof_citations": []}


def _episodes(document: JSON) -> list[JSON]:
    """The turns of each scenario; those of none belong together."""
    together: dict[str, list[JSON]] = {}
    match document:
        case {"evidence": {"turns": [*turns]}}:
            for entry in turns:
                match entry:
                    case {"turn_index": turn, "scenario": scenario}:
                        together.setdefault("run" if scenario is None else f"scenario:{scenario}", []).append(turn)
    return [{"id": name, "turns": turns} for name, turns in together.items()]


def _producer(document: JSON) -> dict[str, JSON]:
    match document:
        case {"provenance": {"producer": {"kind": "native" | "converter" as kind}}}:
            return {"producer_kind": kind}
    return {}


def _recommendation(document: JSON) -> dict[str, JSON]:
    """What it recommends, where that is one of the effects that a record knows, and on what."""
    match document:
        case {"release_recommendation": {"state": "BLOCK" | "REVIEW" as effect, "decisive": [*decisive]}}:
            on: dict[str, list[JSON]] = {"claim_ids": [], "finding_ids": []}
            for entry in decisive:
                for name in on:
                    told = entry.get(name) if isinstance(entry, dict) else None
                    on[name] += told if isinstance(told, list) else []
            return {"recommendation": {"effect": effect, **on}}
    return {}


def _view(finding: JSON) -> JSON:
    match finding:
        case {"finding_id": str(finding_id), "explanation": {"evidence_refs": refs}}:
            return {"id": finding_id, "kind": "finding", "refs": refs}
    return finding
