"""Rule D4: the stored child runs are those whose hashes the conductor recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groundrules import strictjson
from groundrules.canonical import content_hash
from groundrules.citations import Delegation, delegation
from groundrules.errors import CanonicalError, GroundrulesError
from groundrules.runs.agreement import in_file
from groundrules.runs.layout import ENVELOPE
from groundrules.runs.reading import Unreadable, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.runs.agreement import Ledger
    from groundrules.runs.reading import StoredRun
    from groundrules.strictjson import JSON


def children(ledger: Ledger, run: StoredRun) -> list[Unreadable]:
    """Hold every recorded delegation to the child run in the store.

    Args:
        ledger: takes what is found.
        run: the delegating run.

    Returns:
        The stored children that cannot be read.
    """
    unreadable: list[Unreadable] = []
    known: dict[str, _Child] = {}
    envelope = run.documents.get(ENVELOPE)
    listed = envelope.get("delegations") if isinstance(envelope, dict) else None
    for index, entry in enumerate(listed if isinstance(listed, list) else ()):
        recorded = delegation(entry, index)
        if recorded is None or not isinstance(entry, dict) or not isinstance(envelope, dict):
            continue
        child_id = str(entry["delegated_invocation_id"])
        name = f"{child_id}/{ENVELOPE}"
        child = known.get(child_id)
        if child is None:
            child = known[child_id] = _read(run, child_id)
            if child.error is not None:
                unreadable.append(told(name, child.error))
        if child.is_missing:
            ledger.miss(name)
        elif child.error is None:
            for code, detail in _faults(child, recorded, entry, envelope):
                ledger.find(code, in_file(ENVELOPE, "delegations", index), detail)
    return unreadable


@dataclass(slots=True)
class _Child:
    """A stored child, read once however often it is recorded; its hashes are kept by name."""

    envelope: JSON = None
    is_missing: bool = False
    error: GroundrulesError | None = None
    hashes: dict[str, str | CanonicalError] = field(default_factory=dict)

    def hash(self, name: str) -> str | CanonicalError:
        """The child's hash under a name, or why it has none."""
        if name not in self.hashes:
            try:
                self.hashes[name] = content_hash(self.envelope, name)
            except CanonicalError as error:
                self.hashes[name] = error
        return self.hashes[name]


def _read(run: StoredRun, child_id: str) -> _Child:
    try:
        octets = run.child(child_id)
        return _Child(is_missing=True) if octets is None else _Child(strictjson.loads(octets))
    except GroundrulesError as error:
        return _Child(error=error)


def _faults(
    stored: _Child, recorded: Delegation, entry: dict[str, JSON], parent: dict[str, JSON]
) -> Iterator[tuple[str, str]]:
    """What is wrong with a stored child: a code and one clause each."""
    actual = stored.hash(recorded.canonicalisation)
    if isinstance(actual, CanonicalError):
        yield "d4.child-hash", f"the stored child has no hash under the delegation's name: {actual.detail}"
        return
    if actual != recorded.pair[1]:
        yield "d4.child-hash", f"the stored child hashes to {actual}, the delegation says {recorded.pair[1]}"
        return
    child = stored.envelope
    stated = child if isinstance(child, dict) else {}
    named = stated.get("parent_invocation_id")
    if not isinstance(named, str) or named != parent.get("invocation_id"):
        yield "d4.child-parent", "the stored child does not name this run as its parent"
    outcome = stated.get("outcome")
    status = outcome.get("status") if isinstance(outcome, dict) else None
    said = (stated.get("invocation_id"), stated.get("agent_id"), stated.get("agent_version"), status)
    names = ("delegated_invocation_id", "delegated_agent_id", "delegated_agent_version", "delegated_status")
    if said != tuple(entry[name] for name in names):
        yield "d4.child-record", "the stored child is not the run that the delegation names"
