"""Rule I4: the stored verdicts are the ones that are computed again, or those of what the gate withheld."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.canonical import content_hash, pyjson
from groundrules.documents import departures
from groundrules.gate import (
    PROBLEM_TYPE,
    STATEMENT,
    emptied,
    is_digest_of_text,
    reasons_of,
    shows_agent,
    statement_of,
)
from groundrules.linter import facts_of, judge
from groundrules.linter.account import read_account
from groundrules.runs.agreement import in_file
from groundrules.runs.layout import ENVELOPE, GROUNDING, GROUNDING_TEXT, SOURCES, SOURCES_TEXT
from groundrules.sources.check import check_under
from groundrules.trace.profiles import PROFILES
from groundrules.verdict import Strictness, grounding_head, sources_head

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundrules.runs.agreement import Ledger
    from groundrules.runs.reading import StoredRun
    from groundrules.sources import Copies
    from groundrules.strictjson import JSON
    from groundrules.verdict import GroundingVerdict, SourceVerdict

_KINDS = {GROUNDING: "grounding-verdict", SOURCES: "source-verdict"}
_TEXTS = {GROUNDING: GROUNDING_TEXT, SOURCES: SOURCES_TEXT}
_DIFFERS = {GROUNDING: "i4.grounding-differs", SOURCES: "i4.sources-differ"}
_FINDINGS = {GROUNDING: "findings", SOURCES: "violations"}


def recorded_verdicts(
    ledger: Ledger, run: StoredRun, grounding: GroundingVerdict, sources: SourceVerdict, copies: Copies
) -> dict[str, JSON] | None:
    """Hold the stored verdicts to the stored envelope and to the verdicts that are computed again.

    Args:
        ledger: takes what is found.
        run: the stored run.
        grounding: computed again.
        sources: computed again.
        copies: those by which the source verdict was computed.

    Returns:
        The stored verdicts, where the envelope left the gate changed and they are repeated; else None.
    """
    stored = _well_formed(ledger, run.documents)
    repeated: dict[str, JSON] | None = None
    if ENVELOPE in run.documents:
        envelope = run.documents[ENVELOPE]
        if _left_changed(envelope, stored):
            _recorded(ledger, envelope, stored)
            repeated = {"grounding": stored.get(GROUNDING), "sources": stored.get(SOURCES)}
        else:
            current = _judged_this(ledger, envelope, stored)
            if GROUNDING in current and run.spans is not None:
                _compare(ledger, GROUNDING, current[GROUNDING], _again(run, current[GROUNDING], grounding).as_dict())
            if SOURCES in current:
                _compare_sources(ledger, envelope, current[SOURCES], sources, copies)
    _texts(ledger, run.texts, stored)
    return repeated


def _again(run: StoredRun, stored: dict[str, JSON], grounding: GroundingVerdict) -> GroundingVerdict:
    """The grounding verdict computed under the span profile that the stored one states, where there is such a one."""
    stated = stored["profile"]
    if run.spans is None or stated == grounding.profile or not isinstance(stated, str) or stated not in PROFILES:
        return grounding
    envelope = run.documents[ENVELOPE]
    return judge(facts_of(run.spans, envelope, profile=stated), envelope)


def _well_formed(ledger: Ledger, documents: Mapping[str, JSON]) -> dict[str, dict[str, JSON]]:
    """The stored verdicts that satisfy their schema, by file name."""
    stored = {}
    for file, kind in _KINDS.items():
        if file not in documents:
            continue
        document = documents[file]
        faults = departures(document, kind)
        if faults:
            path, detail = faults[0]
            ledger.find("i4.malformed", in_file(file, *path), detail)
        else:
            assert isinstance(document, dict)  # noqa: S101 - by its schema
            stored[file] = document
    return stored


def _left_changed(envelope: JSON, stored: Mapping[str, dict[str, JSON]]) -> bool:
    """Whether an envelope left the gate changed (i4.judged)."""
    account = read_account(envelope)
    if not account.holds_content and _statement(envelope).startswith(STATEMENT):
        return True
    if not account.is_withheld:
        return False
    judged = content_hash(envelope, "dd-envelope-json-v1")
    return _has_gates_type(envelope) or any(verdict["judged_hash"] != judged for verdict in stored.values())


def _has_gates_type(envelope: JSON) -> bool:
    match envelope:
        case {"problem": {"type": type_}}:
            return type_ == PROBLEM_TYPE
    return False


def _reasons(stored: Mapping[str, dict[str, JSON]]) -> str:
    """Why the gate acted, by the two stored verdicts; "" where it did not."""
    return reasons_of(*_status_and_codes(stored, GROUNDING), *_status_and_codes(stored, SOURCES))


def _status_and_codes(stored: Mapping[str, dict[str, JSON]], file: str) -> tuple[str, list[str]]:
    listed = _listed(stored[file], _FINDINGS[file])
    return str(stored[file]["status"]), sorted({str(entry["code"]) for entry in listed if isinstance(entry, dict)})


def _statement(envelope: JSON) -> str:
    match envelope:
        case {"outcome": {"statement": str(statement)}}:
            return statement
    return ""


def _recorded(ledger: Ledger, envelope: JSON, stored: Mapping[str, dict[str, JSON]]) -> None:
    """The stored verdicts of an envelope that left the gate changed."""
    stored_hash = content_hash(envelope, "dd-envelope-json-v1")
    judged = {file: verdict["judged_hash"] for file, verdict in stored.items()}
    for file, digest in judged.items():
        if digest == stored_hash:
            detail = "the verdict judged the envelope that is stored, not the one that was withheld"
            ledger.find("i4.judged-hash", in_file(file, "judged_hash"), detail)
    if stored_hash not in judged.values() and len(set(judged.values())) > 1:
        ledger.find("i4.judged-hash", in_file(SOURCES, "judged_hash"), "the two verdicts judged different envelopes")
    if len(stored) == len(_KINDS):
        _explained(ledger, envelope, stored)
    if _is_gates(envelope):
        _concealed(ledger, stored)


def _is_gates(envelope: JSON) -> bool:
    """Whether an envelope has the gate's words or type."""
    return _has_gates_type(envelope) or _statement(envelope).startswith(STATEMENT)


def _concealed(ledger: Ledger, stored: Mapping[str, dict[str, JSON]]) -> None:
    """Whether stored verdicts of what the gate made hold no word of the agent (i4.concealed)."""
    for file, verdict in stored.items():
        listed = [*_listed(verdict, _FINDINGS[file]), *_listed(verdict, "notes")]
        if any(map(shows_agent, listed)) or not all(map(is_digest_of_text, _refs(file, verdict))):
            detail = "the verdict of a withheld result is not without the agent's words"
            ledger.find("i4.not-concealed", in_file(file), detail)


def _refs(file: str, verdict: dict[str, JSON]) -> Iterator[JSON]:
    """The source ids and snapshot references of a stored source verdict."""
    if file == SOURCES:
        yield from (*_listed(verdict, "verified"), *_listed(verdict, "skipped"))
        for copy in _listed(verdict, "copies"):
            yield from _listed(copy, "snapshot_refs") if isinstance(copy, dict) else ()
        items = [item for item in _listed(verdict, "unresolved") if isinstance(item, dict)]
        yield from (item[name] for item in items for name in ("ref", "snapshot_ref") if item[name] is not None)


def _explained(ledger: Ledger, envelope: JSON, stored: Mapping[str, dict[str, JSON]]) -> None:
    """Whether the stored verdicts say why the gate acted, and the statement says the same (i4.explained)."""
    reasons, statement = _reasons(stored), _statement(envelope)
    is_gates = _is_gates(envelope)
    if not reasons:
        detail = "the result was withheld, and neither recorded verdict says why"
        ledger.find("i4.unexplained", in_file(ENVELOPE, "outcome"), detail)
    elif is_gates and statement != statement_of(reasons):
        detail = "the statement gives other reasons than the recorded verdicts"
        ledger.find("i4.unexplained", in_file(ENVELOPE, "outcome", "statement"), detail)
    elif is_gates and not _is_as_gated(envelope, reasons):
        detail = "the envelope holds more than the gate leaves, or something else"
        ledger.find("i4.not-as-gated", in_file(ENVELOPE), detail)


def _is_as_gated(envelope: JSON, reasons: str) -> bool:
    return isinstance(envelope, dict) and pyjson.encode(emptied(envelope, reasons)) == pyjson.encode(envelope)


def _judged_this(ledger: Ledger, envelope: JSON, stored: Mapping[str, dict[str, JSON]]) -> dict[str, dict[str, JSON]]:
    """The stored verdicts that judged the stored envelope, which did not leave the gate changed."""
    judged = content_hash(envelope, "dd-envelope-json-v1")
    for file, verdict in stored.items():
        if verdict["judged_hash"] != judged:
            detail = "the verdict judged another envelope than the one that is stored"
            ledger.find("i4.judged-hash", in_file(file, "judged_hash"), detail)
    return {file: verdict for file, verdict in stored.items() if verdict["judged_hash"] == judged}


def _compare_sources(
    ledger: Ledger, envelope: JSON, stored: dict[str, JSON], sources: SourceVerdict, copies: Copies
) -> None:
    stated = stored["profile"]
    assert isinstance(stated, dict)  # noqa: S101 - by its schema
    profile = Strictness(bool(stated["require_content"]), bool(stated["require_resolved"]))
    again = sources if profile == sources.profile else check_under(envelope, copies, profile)
    computed = again.as_dict()
    if _copies(stored) == _copies(computed):
        _compare(ledger, SOURCES, stored | {"copies": computed["copies"]}, computed)
    else:
        ledger.miss("copies")
        _compare(ledger, SOURCES, stored, stored | {"status": _status(stored), "skipped": computed["skipped"]})


def _copies(verdict: dict[str, JSON]) -> list[tuple[str, ...]]:
    """The copies that a source verdict names, pins with their references, in an order of their own."""
    return sorted(
        (str(copy["sha256"]), *sorted(map(str, _listed(copy, "snapshot_refs"))))
        for copy in _listed(verdict, "copies")
        if isinstance(copy, dict)
    )


def _listed(document: dict[str, JSON], name: str) -> list[JSON]:
    listed = document.get(name)
    return listed if isinstance(listed, list) else []


def _status(verdict: dict[str, JSON]) -> str:
    """The status that follows from the lists of a source verdict (sources.verdict)."""
    for name, status in (("violations", "failed"), ("unresolved", "unresolved"), ("verified", "verified")):
        if _listed(verdict, name):
            return status
    return "nothing-to-check"


def _compare(ledger: Ledger, file: str, stored: dict[str, JSON], computed: dict[str, JSON]) -> None:
    """One finding, at the first member that differs."""
    for name, value in computed.items():
        if pyjson.encode(_comparable(name, stored[name])) != pyjson.encode(_comparable(name, value)):
            detail = f"the stored {name} is not the one that is computed again"
            ledger.find(_DIFFERS[file], in_file(file, name), detail)
            return


def _comparable(name: str, value: JSON) -> JSON:
    """What is compared of a member: findings without their prose, notes as the set of their codes."""
    if name == "notes" and isinstance(value, list):
        return [*sorted({str(note["code"]) for note in value if isinstance(note, dict)})]
    if name in _FINDINGS.values() and isinstance(value, list):
        return [_without_detail(entry) for entry in value]
    if name == "omitted" and isinstance(value, dict):
        return {rule: count for rule, count in value.items() if rule != "note"}
    return value


def _without_detail(entry: JSON) -> JSON:
    return {name: value for name, value in entry.items() if name != "detail"} if isinstance(entry, dict) else entry


def _texts(ledger: Ledger, texts: Mapping[str, bytes], stored: Mapping[str, dict[str, JSON]]) -> None:
    for file, verdict in stored.items():
        text = texts.get(_TEXTS[file])
        if text is None:
            continue
        first, _, rest = text.partition(b"\n")
        if first.partition(b" (")[0] != _head(file, verdict).encode():
            ledger.find("i4.text-differs", in_file(_TEXTS[file]), f"its first line is not the one that {file} has")
        elif any(line and not line.startswith(b"  ") for line in rest.split(b"\n")):
            detail = "a line below the first is not indented, and could be read as another verdict"
            ledger.find("i4.text-differs", in_file(_TEXTS[file]), detail)


def _head(file: str, verdict: dict[str, JSON]) -> str:
    status = str(verdict["status"])
    if file == GROUNDING:
        mode = verdict["mode"]
        return grounding_head(status, mode if isinstance(mode, str) else None)
    return sources_head(status, *(len(_listed(verdict, name)) for name in ("verified", "unresolved", "skipped")))
