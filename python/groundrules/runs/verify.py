"""The four verdicts of a stored run, each by the same functions that judge a live one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groundrules.contract import check_contract
from groundrules.linter import facts_of, judge
from groundrules.runs.agreement import Ledger, agreement
from groundrules.runs.children import children
from groundrules.runs.layout import ENVELOPE
from groundrules.runs.reading import StoredRun, read_run
from groundrules.runs.recorded import recorded_verdicts
from groundrules.runs.verdict import FilesVerdict, RunVerdict
from groundrules.sources import NO_COPIES, check_sources
from groundrules.verdict import ContractVerdict, GroundingStatus, GroundingVerdict, SourceVerdict, Strictness

if TYPE_CHECKING:
    from pathlib import Path

    from groundrules.sources import Copies


def verify_run(
    folder: str | Path,
    copies: Copies = NO_COPIES,
    *,
    profile: str | None = None,
    strictness: Strictness | None = None,
) -> RunVerdict:
    """Check a stored run again: contract, files, grounding, sources.

    Args:
        folder: the run's folder; the runs of its store stand beside it.
        copies: the copies by which sources are checked.
        profile: a span profile that overrides the one the trace asks for.
        strictness: what is asked beyond what the list of copies asks; it only tightens.

    Raises:
        UsageError: ``usage.not-a-run``, ``usage.unknown-profile``.
        ConfigurationError: ``config.copy-changed``.
    """
    return judge_run(read_run(folder), copies, profile=profile, strictness=strictness)


def judge_run(
    run: StoredRun,
    copies: Copies = NO_COPIES,
    *,
    profile: str | None = None,
    strictness: Strictness | None = None,
) -> RunVerdict:
    """As :func:`verify_run`, for a run that was read already."""
    envelope = run.documents.get(ENVELOPE)
    is_there = ENVELOPE in run.documents
    facts = None if run.spans is None else facts_of(run.spans, envelope, profile=profile)
    contract, sources = ContractVerdict(checked=False), SourceVerdict(checked=False)
    grounding = GroundingVerdict(GroundingStatus.UNCHECKED)
    if is_there:
        contract = check_contract(envelope)
        sources = check_sources(envelope, copies, profile=strictness)
    if is_there and facts is not None:
        grounding = judge(facts, envelope)
    ledger = Ledger(missing=dict.fromkeys(run.missing))
    agreement(ledger, run.documents, facts)
    recorded = recorded_verdicts(ledger, run, grounding, sources, copies)
    if recorded is not None and grounding.status is not GroundingStatus.UNCHECKED:
        grounding = replace(grounding, status=GroundingStatus.WITHHELD, findings=(), notes=())
    lost = children(ledger, run)
    files = FilesVerdict(tuple(ledger.findings), tuple(ledger.missing), (*run.unreadable, *lost))
    return RunVerdict(contract, files, grounding, sources, recorded)
