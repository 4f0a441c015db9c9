"""The contract: what an envelope alone satisfies, whoever made it (rules C1 to C15).

Every finding at once, in document order. A rule looks at members that have their type; the rest is C1's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from groundrules import documents
from groundrules.canonical import CANONICALISATIONS
from groundrules.citations import DELEGATION_NAME, INPUT_NAMES
from groundrules.findings import Finding, Place
from groundrules.order import DocumentOrder
from groundrules.strictjson import pointer
from groundrules.verdict import ContractVerdict

if TYPE_CHECKING:
    from groundrules.citations import Path
    from groundrules.strictjson import JSON

STRUCT_LEVELS = 32
"""How deep a document nests that crosses a protobuf Struct."""

_FAILED = ("failed", "suspended")
_UNDECIDED = ("abstained", "referred")
_RETRIEVING = ("retrieval", "brokered")
_INPUT_CITING = ("input_only", "none", "delegation")
_PAIRED_FROM = (0, 6)
_VERSION = re.compile(r"(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})(?:\.(?:0|[1-9][0-9]{0,5}))?")
_Found = Iterator[tuple[str, "Path", str]]


def check_contract(envelope: JSON) -> ContractVerdict:
    """Hold an envelope to the contract.

    Args:
        envelope: any JSON value as strict reading yields it.

    Returns:
        The verdict; a value that is no object has a C1 finding alone.
    """
    found = [*_schema(envelope)]
    if isinstance(envelope, dict):
        view = _View(envelope)
        found += [finding for check in _CHECKS for finding in check(view)]
    order = DocumentOrder(envelope)
    found.sort(key=lambda entry: (order(entry[1]), _rule_number(entry[0])))
    findings = tuple(Finding(code, Place(pointer(path)), detail) for code, path, detail in found)
    return ContractVerdict(findings, tuple(_notes(envelope)))


class _View:
    """The members of an envelope that have their type; what has another is None, and C1 has told it."""

    def __init__(self, envelope: dict[str, JSON]) -> None:
        self.envelope = envelope
        outcome = envelope.get("outcome")
        self.outcome = outcome if isinstance(outcome, dict) else None
        self.status = outcome.get("status") if isinstance(outcome, dict) else None
        self.mode = envelope.get("grounding_mode")
        payload = envelope.get("payload")
        self.payload = payload if isinstance(payload, dict) else None
        self.items = self._objects("evidence")
        invocation_id = envelope.get("invocation_id")
        self.input_id = f"input:{invocation_id}" if isinstance(invocation_id, str) else None

    @property
    def known_status(self) -> bool:
        return self.status in (*_FAILED, *_UNDECIDED, "succeeded")

    def succeeded_in(self, *modes: str) -> bool:
        return self.status == "succeeded" and self.mode in modes

    def records(self, name: str) -> list[dict[str, JSON]] | None:
        """The objects of a list of records, or None where it is no list."""
        listed = self._objects(name)
        return None if listed is None else [record for _, record in listed]

    def _objects(self, name: str) -> list[tuple[int, dict[str, JSON]]] | None:
        """The objects of a list by index; none where it is absent, None where it is no list."""
        value = self.envelope.get(name, [])
        if not isinstance(value, list):
            return None
        return [(index, entry) for index, entry in enumerate(value) if isinstance(entry, dict)]

    def items_with(self, *names: str) -> list[tuple[int, dict[str, JSON]]]:
        """The evidence items that have strings for these members, by index."""
        items = self.items or ()
        return [(index, item) for index, item in items if all(isinstance(item.get(name), str) for name in names)]

    def cites_input(self, item: dict[str, JSON]) -> bool:
        return item.get("source_id") == self.input_id and item.get("canonicalisation") in INPUT_NAMES


def _schema(envelope: JSON) -> _Found:
    for path, detail in documents.departures(envelope, "envelope"):
        yield "c1.schema", path, detail


def _problem_given(view: _View) -> _Found:
    if view.status in _FAILED and "problem" not in view.envelope:
        yield "c2.problem-missing", (), f"a run that is {view.status} states no problem"


def _reason_given(view: _View) -> _Found:
    if view.outcome is not None and view.status in _UNDECIDED and "reason_code" not in view.outcome:
        yield "c3.reason-missing", ("outcome",), f"a run that {view.status} gives no reason code"


def _referral_named(view: _View) -> _Found:
    if view.outcome is not None and view.status == "referred" and "referred_to" not in view.outcome:
        yield "c4.referral-missing", ("outcome",), "a referred run names nobody it was referred to"


def _payload_given(view: _View) -> _Found:
    if view.status == "succeeded" and "payload" not in view.envelope:
        yield "c5.payload-missing", (), "a succeeded run has no payload"


def _payload_only_on_success(view: _View) -> _Found:
    if view.known_status and view.status != "succeeded" and "payload" in view.envelope:
        yield "c6.payload-present", ("payload",), f"a run that is {view.status} has a payload"


def _problem_only_on_failure(view: _View) -> _Found:
    if view.known_status and view.status not in _FAILED and "problem" in view.envelope:
        yield "c7.problem-present", ("problem",), f"a run that is {view.status} states a problem"


def _payload_grounded(view: _View) -> _Found:
    if view.payload is not None:
        for name, code in (("schema_class", "c8.schema-class-missing"), ("grounded_on", "c8.grounded-on-missing")):
            if name not in view.payload:
                yield code, ("payload",), f"the payload has no {name}"


def _canonicalisation_registered(view: _View) -> _Found:
    for index, item in view.items or ():
        name = item.get("canonicalisation")
        if isinstance(name, str) and name not in CANONICALISATIONS:
            place = ("evidence", index, "canonicalisation")
            yield "c9.unregistered", place, "the canonicalisation is not registered"


def _retrieval_grounded(view: _View) -> _Found:
    if not view.succeeded_in(*_RETRIEVING):
        return
    detail = f"a succeeded run in mode {view.mode} rests on nothing"
    if "payload" not in view.envelope:
        yield "c10.grounded-on-empty", (), detail
    elif view.payload is not None and "grounded_on" not in view.payload:
        yield "c10.grounded-on-empty", ("payload",), detail
    elif view.payload is not None and view.payload["grounded_on"] == []:
        yield "c10.grounded-on-empty", ("payload", "grounded_on"), detail


def _input_cited(view: _View) -> _Found:
    if not view.succeeded_in(*_INPUT_CITING) or view.items is None or view.input_id is None:
        return
    if not any(view.cites_input(item) for _, item in view.items):
        place: Path = ("evidence",) if "evidence" in view.envelope else ()
        yield "c11.input-not-cited", place, "no evidence item cites the input under an input canonicalisation"


def _input_alone(view: _View) -> _Found:
    if view.succeeded_in("input_only", "none") and view.input_id is not None:
        for index, item in view.items_with("source_id", "canonicalisation"):
            if not view.cites_input(item):
                yield "c12.other-evidence", ("evidence", index), f"in mode {view.mode} only the input is evidence"


def _delegated_alone(view: _View) -> _Found:
    records = view.records("delegations")
    if not view.succeeded_in("delegation") or records is None or view.input_id is None:
        return
    recorded = {_delegation(record) for record in records}
    for index, item in view.items_with("source_id", "content_hash", "canonicalisation"):
        cited = (item["source_id"], item["content_hash"], item["canonicalisation"])
        if not view.cites_input(item) and cited not in recorded:
            detail = "the item is neither the input nor a recorded delegation"
            yield "c13.not-delegated", ("evidence", index), detail


def _delegation(record: dict[str, JSON]) -> tuple[JSON, ...] | None:
    """How a recorded delegation is cited, or None where it is malformed."""
    invocation_id, digest = record.get("delegated_invocation_id"), record.get("content_hash")
    name = record.get("canonicalisation", DELEGATION_NAME)
    if not all(isinstance(part, str) for part in (invocation_id, digest, name)):
        return None
    return (f"invocation:{invocation_id}", digest, name)


def _payload_schema_paired(view: _View) -> _Found:
    version = _version(view.envelope.get("contract_version"))
    if version >= _PAIRED_FROM and ("payload" in view.envelope) != ("payload_schema" in view.envelope):
        yield "c14.unpaired", (), "one of payload and payload_schema is there without the other"


def _retrieved_alone(view: _View) -> _Found:
    records = view.records("retrievals")
    if not view.succeeded_in("brokered") or records is None:
        return
    recorded = {_recorded(record) for record in records if record.get("status") == "ok"} - {None}
    for index, item in view.items_with("source_id", "content_hash", "canonicalisation"):
        if isinstance(item.get("snapshot_ref", ""), str) and _recorded(item) not in recorded:
            yield "c15.not-recorded", ("evidence", index), "the item is on no recorded retrieval"


def _recorded(value: dict[str, JSON]) -> tuple[JSON, ...] | None:
    """What an item or a record says was retrieved, or None where a part is no string."""
    parts = tuple(value.get(name) for name in ("source_id", "content_hash", "canonicalisation", "snapshot_ref"))
    return parts if all(isinstance(part, str) for part in parts) else None


_CHECKS: Final[tuple[Callable[[_View], _Found], ...]] = (
    _problem_given,
    _reason_given,
    _referral_named,
    _payload_given,
    _payload_only_on_success,
    _problem_only_on_failure,
    _payload_grounded,
    _canonicalisation_registered,
    _retrieval_grounded,
    _input_cited,
    _input_alone,
    _delegated_alone,
    _payload_schema_paired,
    _retrieved_alone,
)


def _version(value: JSON) -> tuple[int, int]:
    """Major and minor of a contract version; (-1, 0) where it is malformed, which C1 tells."""
    match = _VERSION.fullmatch(value) if isinstance(value, str) else None
    return (int(match[1]), int(match[2])) if match else (-1, 0)


def _rule_number(code: str) -> int:
    return int(code[1 : code.index(".")])


def _notes(envelope: JSON) -> Iterator[Finding]:
    levels, layer = 0, [envelope]
    while layer := [value for value in layer if isinstance(value, dict | list)]:
        levels += 1
        if levels > STRUCT_LEVELS:
            detail = f"the envelope nests deeper than {STRUCT_LEVELS} levels and could not cross a protobuf Struct"
            yield Finding("note.struct-depth", Place(""), detail)
            return
        layer = [inner for value in layer for inner in (value.values() if isinstance(value, dict) else value)]
