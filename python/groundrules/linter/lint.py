"""The linter itself: read the account, apply the table of the mode, put the findings in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.canonical import content_hash
from groundrules.catalogue import catalogue
from groundrules.citations import MODES
from groundrules.e1 import check_item
from groundrules.errors import KitError, Where
from groundrules.findings import Finding, Place
from groundrules.linter.account import read_account
from groundrules.linter.facts import Facts
from groundrules.linter.notes import notes
from groundrules.linter.rules import CHECKS, Check, Found
from groundrules.linter.trail import read_trail
from groundrules.order import DocumentOrder
from groundrules.strictjson import pointer
from groundrules.trace.profiles import profile_named, profile_of
from groundrules.verdict import GroundingStatus, GroundingVerdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.strictjson import JSON
    from groundrules.trace.spans import SpanRecord


def lint(spans: list[SpanRecord], envelope: JSON, *, profile: str | None = None) -> GroundingVerdict:
    """Hold a run to the rules of its mode.

    Args:
        spans: the trace, as :func:`groundrules.trace.read_trace` yields it.
        envelope: any JSON value as strict reading yields it.
        profile: a span profile that overrides the one the trace asks for.

    Raises:
        UsageError: ``usage.unknown-profile``.
        KitError: a check or a code is not in the catalogue.
    """
    return judge(facts_of(spans, envelope, profile=profile), envelope)


def facts_of(spans: list[SpanRecord], envelope: JSON, *, profile: str | None = None) -> Facts:
    """The facts of a run, as :func:`lint` gathers them.

    Raises:
        UsageError: ``usage.unknown-profile``.
    """
    used = profile_named(profile) if profile is not None else profile_of(spans)
    return Facts(read_trail(spans, used), read_account(envelope))


def judge(facts: Facts, envelope: JSON) -> GroundingVerdict:
    """Hold the facts of a run to the rules of its mode.

    Args:
        facts: of this envelope and its trace.
        envelope: the envelope they were gathered from.

    Raises:
        KitError: a check or a code is not in the catalogue.
    """
    if facts.account.is_withheld:
        return _verdict(facts, envelope, GroundingStatus.WITHHELD, [], [])
    judged = [*_located(facts, _g0(facts)), *_e1(facts)]
    for check in checks_of(facts.mode):
        judged += _located(facts, _in_order(facts, check.find(facts)))
    findings = [finding for finding in judged if finding.rule]
    told = [finding for finding in judged if not finding.rule] + [*_located(facts, notes(facts))]
    status = GroundingStatus.FAILED if findings else GroundingStatus.PASSED
    return _verdict(facts, envelope, status, findings, told)


def checks_of(mode: str | None) -> Iterator[Check]:
    """The checks of a mode, by the catalogue.

    Raises:
        KitError: a check's rule is not in the catalogue; such a check cannot run.
    """
    rules = {rule.id: rule for rule in catalogue().rules}
    for check in CHECKS:
        if check.rule not in rules:
            raise _unknown(check.rule)
        if mode in rules[check.rule].modes:
            yield check


def _g0(facts: Facts) -> Found:
    """Every violation of G0: on the whole, on spans in file order, on the envelope in document order."""
    if not facts.trail.roots:
        yield "g0.no-root", (), "no span is a root under the profile"
    rank = {entry.code: position for position, entry in enumerate(catalogue().codes)}
    for index, code, detail in sorted(facts.trail.faults, key=lambda fault: (fault[0], rank[fault[1]])):
        yield code, index, detail
    order = DocumentOrder(facts.account.envelope)
    on_envelope = [*facts.account.faults, *_envelope_mode(facts)]
    for code, path, detail in sorted(on_envelope, key=lambda fault: (order(fault[1]), rank[fault[0]])):
        yield code, path, detail


def _envelope_mode(facts: Facts) -> Iterator[tuple[str, tuple[str | int, ...], str]]:
    mode, envelope = facts.account.mode, facts.account.envelope
    if "grounding_mode" not in envelope:
        if facts.account.is_object:
            yield "g0.mode-missing", (), "the envelope states no grounding mode"
        return
    if not isinstance(mode, str) or mode not in MODES:
        yield "g0.mode-unknown", ("grounding_mode",), f"the envelope's grounding mode is none of {', '.join(MODES)}"
        return
    root = facts.trail.root
    stated = None if root is None else root.attributes.get("dd.grounding_mode")
    if isinstance(stated, str) and stated in MODES and stated != mode:
        yield "g0.mode-differs", ("grounding_mode",), f"the envelope says {mode}, the root {stated}"


def _in_order(facts: Facts, found: Found) -> Found:
    """The findings of one rule: on spans as they come, which is file order, then on the envelope in document order."""
    order = DocumentOrder(facts.account.envelope)
    on_envelope = []
    for code, at, detail in found:
        if isinstance(at, int):
            yield code, at, detail
        else:
            on_envelope.append((code, at, detail))
    yield from sorted(on_envelope, key=lambda finding: order(finding[1]))


def _e1(facts: Facts) -> Iterator[Finding]:
    evidence = facts.account.envelope.get("evidence")
    for item in facts.account.items:
        assert isinstance(evidence, list)  # noqa: S101 - there are items, so there is a list
        result = check_item(evidence[item.index], pointer(("evidence", item.index)))
        for remark in (*result.findings, *result.notes):
            yield Finding(remark.code, Place(remark.pointer), remark.detail)


def _located(facts: Facts, found: Found) -> Iterator[Finding]:
    for code, at, detail in found:
        if catalogue().code(code) is None:
            raise _unknown(code)
        place = Place(span=at, span_id=facts.trail.spans[at].span_id) if isinstance(at, int) else Place(pointer(at))
        yield Finding(code, place, detail)


def _unknown(what: str) -> KitError:
    return KitError("kit.unknown-rule", f"the catalogue does not hold {what}", where=Where(file="rules.json"))


def _verdict(
    facts: Facts, envelope: JSON, status: GroundingStatus, findings: list[Finding], told: list[Finding]
) -> GroundingVerdict:
    return GroundingVerdict(
        status=status,
        mode=facts.mode,
        profile=facts.trail.profile.id,
        invocation_id=facts.account.invocation_id,
        judged_hash=content_hash(envelope, "dd-envelope-json-v1"),
        counts={
            "retrieval": len(facts.trail.retrievals),
            "model_call": len(facts.trail.calls) + len(facts.trail.embeddings),
            "delegation": len(facts.account.delegations),
        },
        findings=tuple(findings),
        notes=tuple(told),
    )
