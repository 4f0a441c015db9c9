"""The reference verifier's answers: what it computes for a vector's input, never seeing what is expected."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

from groundrules import canonical, strictjson
from groundrules.contract import check_contract
from groundrules.e1 import ItemVerdict, check_envelope
from groundrules.errors import CanonicalError, ReadError, SchemaError, UsageError
from groundrules.linter import lint
from groundrules.trace import profile_named, read_trace
from groundrules.verdict import ContractStatus, GroundingStatus, cap

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from groundrules.e1 import ItemResult, Remark
    from groundrules.strictjson import JSON
    from groundrules.verdict import Finding

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
    except (ReadError, CanonicalError, SchemaError, UsageError) as error:
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
}
"""How each kind of vector is answered."""
