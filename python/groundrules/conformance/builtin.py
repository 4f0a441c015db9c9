"""The reference verifier's answers: what it computes for a vector's input, never seeing what is expected."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING, Final

from groundrules import canonical, strictjson
from groundrules.canonical import pyjson
from groundrules.conformance.numbers import doubles
from groundrules.contract import check_contract
from groundrules.e1 import ItemVerdict, check_envelope
from groundrules.errors import CanonicalError, ConfigurationError, ReadError, SchemaError, UsageError
from groundrules.findings import cap
from groundrules.gate import withhold
from groundrules.linter import lint
from groundrules.resolvers import answer as resolved
from groundrules.runs import judge_run, layout, parse_run
from groundrules.sources import NO_COPIES, check_sources, open_copies
from groundrules.sources.listing import listing_of
from groundrules.trace import profile_named, read_trace
from groundrules.verdict import ContractStatus, GroundingStatus, SourceStatus
from groundrules.witness import check_authority, check_contracts, check_order, check_witness

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from groundrules.e1 import ItemResult, Remark
    from groundrules.findings import Finding
    from groundrules.runs import RunVerdict
    from groundrules.sources import Copies
    from groundrules.strictjson import JSON

Answer = dict[str, "JSON"]
"""An answer in the form of the adapter protocol: verdict, and what belongs to it."""


def answer(kind: str, inputs: Mapping[str, bytes]) -> Answer:
    """Compute the answer to one case.

    Args:
        kind: the vector's kind, one of :data:`KINDS`.
        inputs: the named values as octets.
    """
    try:
        return KINDS[kind](inputs)
    except (ReadError, CanonicalError, SchemaError, ConfigurationError, UsageError) as error:
        return {"verdict": "fail", "stage": error.stage, "codes": [error.code]}


def _parse(inputs: Mapping[str, bytes]) -> Answer:
    strictjson.loads(inputs["document"])
    return {"verdict": "pass"}


def _canonicalise(inputs: Mapping[str, bytes]) -> Answer:
    document = strictjson.loads(inputs["document"])
    stages = canonical.stages(document, inputs["name"].decode("utf-8", "replace"))
    return {
        "verdict": "pass",
        "canonical_b64": _base64(stages.canonical),
        "digest": stages.digest,
        "stages": {"parsed_b64": _base64(stages.parsed), "projected_b64": _base64(stages.projected)},
    }


def _evidence(inputs: Mapping[str, bytes]) -> Answer:
    results = check_envelope(strictjson.loads(inputs["envelope"]))
    return {
        "verdict": overall(results),
        "codes": _codes([finding for result in results for finding in result.findings]),
        "items": [
            {
                "source_id": result.source_id,
                "verdict": result.verdict.value,
                "codes": _codes(result.findings),
                "notes": _codes(result.notes),
            }
            for result in results
        ],
    }


def _contract(inputs: Mapping[str, bytes]) -> Answer:
    verdict = check_contract(strictjson.loads(inputs["envelope"]))
    return {
        "verdict": "pass" if verdict.status is ContractStatus.VALID else "fail",
        "codes": _codes(verdict.findings),
        "notes": _codes(verdict.notes),
        "findings": [{"code": finding.code, "pointer": finding.at.pointer} for finding in cap(verdict.findings)[0]],
    }


def _lint(inputs: Mapping[str, bytes]) -> Answer:
    profile = profile_named(inputs["profile"].decode("utf-8", "replace")).id if "profile" in inputs else None
    spans = read_trace(inputs["spans"])
    verdict = lint(spans, strictjson.loads(inputs["envelope"]), profile=profile)
    return {
        "verdict": _WORDS[verdict.status],
        "mode": verdict.mode,
        "profile": verdict.profile,
        "codes": _codes(verdict.findings),
        "notes": _codes(verdict.notes),
        "findings": [{"code": finding.code, "at": finding.at.as_dict()} for finding in cap(verdict.findings)[0]],
    }


def _sources(inputs: Mapping[str, bytes]) -> Answer:
    with _copies(inputs) as copies:
        verdict = check_sources(strictjson.loads(inputs["envelope"]), copies)
    return {
        "verdict": _SOURCE_WORDS.get(verdict.status, "unchecked"),
        "status": verdict.status.value,
        "codes": _codes(verdict.findings),
        "verified": [*verdict.verified],
        "unresolved": [item.as_dict() for item in verdict.unresolved],
        "skipped": [*verdict.skipped],
        "copies": [copy.as_dict() for copy in verdict.copies],
        "findings": [{"code": finding.code, "pointer": finding.at.pointer} for finding in cap(verdict.findings)[0]],
    }


def _gate(inputs: Mapping[str, bytes]) -> Answer:
    with _copies(inputs) as copies:
        spans, envelope = read_trace(inputs["spans"]), strictjson.loads(inputs["envelope"])
        released = withhold(envelope, lint(spans, envelope), check_sources(envelope, copies))
    return {
        "verdict": "pass" if released is envelope else "withheld",
        "canonical_b64": _base64(pyjson.encode(released)),
        "digest": canonical.content_hash(released, "dd-envelope-json-v1"),
    }


_RUN_FILES = {
    "request": layout.REQUEST,
    "envelope": layout.ENVELOPE,
    "spans": layout.SPANS,
    "grounding": layout.GROUNDING,
    "grounding_text": layout.GROUNDING_TEXT,
    "sources": layout.SOURCES,
    "sources_text": layout.SOURCES_TEXT,
}


def _run(inputs: Mapping[str, bytes]) -> Answer:
    children = strictjson.loads(inputs.get("children", b"{}"))
    assert isinstance(children, dict)  # noqa: S101 - the vectors are ours

    def child(invocation_id: str) -> bytes | None:
        return pyjson.encode(children[invocation_id]) if invocation_id in children else None

    files = {file: inputs[name] for name, file in _RUN_FILES.items() if name in inputs}
    with _copies(inputs) as copies:
        verdict = judge_run(parse_run(files, child), copies)
    return {
        "verdict": _run_word(verdict),
        "words": {**verdict.words},
        "codes": [*verdict.codes],
        "missing": [*sorted(verdict.files.missing)],
        "unreadable": [*sorted(file.file for file in verdict.files.unreadable)],
        "findings": [{"code": found.code, "at": found.at.as_dict()} for found in cap(verdict.files.findings)[0]],
    }


def _run_word(verdict: RunVerdict) -> str:
    """What stands for the exit code of a run; no fifth verdict."""
    words = set(verdict.words.values())
    if words & {"invalid", "disagree", "failed"}:
        return "fail"
    return next((word for word in ("withheld", "unchecked") if word in words), "pass")


def _copies(inputs: Mapping[str, bytes]) -> Copies:
    """The copies of a case: the path of an entry is the name of the input that holds it."""
    if "config" not in inputs:
        return NO_COPIES
    listing = listing_of(strictjson.loads(inputs["config"]), Path())
    return open_copies(listing, lambda entry: io.BytesIO(inputs[str(entry.path)]) if entry.path in inputs else None)


def _witness(inputs: Mapping[str, bytes]) -> Answer:
    verdict = check_witness(strictjson.loads(inputs["record"]))
    return _record_answer(verdict.findings) | {
        "flags": [*sorted(ref_id for ref_id, flag in verdict.flags.items() if flag)],
        "witnessing": [*verdict.witnessing],
    }


def _order(inputs: Mapping[str, bytes]) -> Answer:
    return _record_answer(check_order(strictjson.loads(inputs["record"])).findings)


def _contract_check(inputs: Mapping[str, bytes]) -> Answer:
    verdict = check_contracts(strictjson.loads(inputs["record"]))
    checks: list[JSON] = [
        {"claim": claim, "status": check.status, "unmet": [*check.tokens]} for claim, check in verdict.checks
    ]
    return _record_answer(verdict.findings) | {"checks": checks}


def _authority(inputs: Mapping[str, bytes]) -> Answer:
    verdict = check_authority(strictjson.loads(inputs["record"]))
    told = verdict.recommendation.as_dict()
    deciders: list[JSON] = [
        {"claim": proof.claim.id, "decided_by": proof.decider.kind, "basis": proof.decider.basis}
        for proof in verdict.proofs
    ]
    proven: list[JSON] = [proof.claim.id for proof in verdict.proofs if not proof.lacks]
    return _record_answer(verdict.findings) | {"proven": proven, "deciders": deciders, **told}


def _resolve(inputs: Mapping[str, bytes]) -> Answer:
    archive, question = strictjson.loads(inputs["archive"]), strictjson.loads(inputs["question"])
    return {"verdict": "pass", "answer": resolved(archive, question).as_dict()}


def _record_answer(findings: Sequence[Finding]) -> dict[str, JSON]:
    return {
        "verdict": "fail" if findings else "pass",
        "codes": _codes(findings),
        "findings": [{"code": finding.code, "pointer": finding.at.pointer} for finding in cap(findings)[0]],
    }


def _numbers(inputs: Mapping[str, bytes]) -> Answer:
    name = inputs["name"].decode()
    numbers: list[JSON] = [*doubles(inputs["seed"], int(inputs["count"]), canonical.named(name).form)]
    return {"verdict": "pass", "digest": canonical.content_hash(numbers, name)}


_SOURCE_WORDS = {SourceStatus.VERIFIED: "pass", SourceStatus.FAILED: "fail"}
_WORDS = {GroundingStatus.PASSED: "pass", GroundingStatus.FAILED: "fail", GroundingStatus.WITHHELD: "withheld"}


def overall(results: list[ItemResult]) -> str:
    """One word for an envelope's evidence: fail, unchecked (also with no item at all), or pass."""
    verdicts = {result.verdict for result in results}
    if ItemVerdict.FAILED in verdicts:
        return "fail"
    return "pass" if verdicts == {ItemVerdict.VERIFIED} else "unchecked"


def _codes(remarks: Sequence[Remark | Finding]) -> list[JSON]:
    return [*sorted({remark.code for remark in remarks})]


def _base64(octets: bytes) -> str:
    return base64.b64encode(octets).decode()


KINDS: Final[Mapping[str, Callable[[Mapping[str, bytes]], Answer]]] = {
    "parse": _parse,
    "canonicalise": _canonicalise,
    "evidence": _evidence,
    "contract": _contract,
    "lint": _lint,
    "numbers": _numbers,
    "sources": _sources,
    "gate": _gate,
    "run": _run,
    "witness": _witness,
    "order": _order,
    "contract-check": _contract_check,
    "authority": _authority,
    "resolve": _resolve,
}
"""How each kind of vector is answered."""
