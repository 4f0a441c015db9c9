"""Rule D4: the stored child runs are those whose hashes the conductor recorded."""

from __future__ import annotations

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
    unreadable = []
    envelope = run.documents.get(ENVELOPE)
    listed = envelope.get("delegations") if isinstance(envelope, dict) else None
    for index, entry in enumerate(listed if isinstance(listed, list) else ()):
        recorded = delegation(entry, index)
        if recorded is None or not isinstance(entry, dict) or not isinstance(envelope, dict):
            continue
        child_id = str(entry["delegated_invocation_id"])
        name = f"{child_id}/{ENVELOPE}"
        try:
            octets = run.child(child_id)
            if octets is None:
                ledger.miss(name)
            else:
                for code, detail in _faults(strictjson.loads(octets), recorded, entry, envelope):
                    ledger.find(code, in_file(ENVELOPE, "delegations", index), detail)
        except GroundrulesError as error:
            unreadable.append(told(name, error))
    return unreadable


def _faults(
    child: JSON, recorded: Delegation, entry: dict[str, JSON], parent: dict[str, JSON]
) -> Iterator[tuple[str, str]]:
    """What is wrong with a stored child: a code and one clause each."""
    try:
        actual = content_hash(child, recorded.canonicalisation)
    except CanonicalError as error:
        yield "d4.child-hash", f"the stored child has no hash under the delegation's name: {error.detail}"
        return
    if actual != recorded.pair[1]:
        yield "d4.child-hash", f"the stored child hashes to {actual}, the delegation says {recorded.pair[1]}"
        return
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
