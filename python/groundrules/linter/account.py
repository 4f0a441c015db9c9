"""The envelope as the rules read it: its well-formed parts, and a G0 fault for every other (g0.envelope)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from groundrules.citations import (
    STATUSES,
    Delegation,
    Pair,
    Path,
    RetrievalRecord,
    delegation,
    grounded_on,
    is_invocation_id,
    is_text,
    reference,
    retrieval_record,
)
from groundrules.e1 import malformation
from groundrules.order import DocumentOrder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from groundrules.strictjson import JSON

VIOLATION = "grounding-violation"
"""How the problem type of a withheld envelope ends."""

_Part = TypeVar("_Part")
EnvelopeFault = tuple[str, Path, str]
"""A G0 code, the path of what is wrong, and one clause."""


@dataclass(frozen=True, slots=True)
class Item:
    """One well-formed evidence item."""

    index: int
    pair: Pair
    canonicalisation: str
    snapshot_ref: str | None
    has_content: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """One well-formed grounding reference and where it stands."""

    path: Path
    pair: Pair


@dataclass(slots=True)
class Account:
    """What an envelope says, part by part.

    Attributes:
        envelope: the envelope; {} where it is no object.
        is_object: whether it is one.
        invocation_id: well-formed, or None.
        status: a known status, or None.
        mode: the envelope's ``grounding_mode`` as it stands.
        references: in document order.
        items: evidence items by index.
        delegations: recorded child runs.
        records: recorded retrievals.
        faults: what is malformed, in document order.
    """

    envelope: dict[str, JSON]
    is_object: bool = True
    invocation_id: str | None = None
    status: str | None = None
    mode: JSON = None
    references: list[Reference] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    delegations: list[Delegation] = field(default_factory=list)
    records: list[RetrievalRecord] = field(default_factory=list)
    faults: list[EnvelopeFault] = field(default_factory=list)

    @property
    def is_violation(self) -> bool:
        """The envelope says that a grounding violation made it fail."""
        match self.envelope.get("problem"):
            case {"type": str(type_)}:
                return self.status == "failed" and type_.endswith(VIOLATION)
        return False

    @property
    def is_withheld(self) -> bool:
        """It says so, and holds nothing any more (lint.withheld)."""
        return self.is_violation and not self.holds_content

    @property
    def holds_content(self) -> bool:
        """A payload, or evidence other than an empty list, is there."""
        return "payload" in self.envelope or self.envelope.get("evidence", []) != []

    def path_to(self, name: str) -> Path:
        """The path of a member, or of the envelope where it has none of that name."""
        return (name,) if name in self.envelope else ()

    @property
    def pairs(self) -> frozenset[Pair]:
        """The pairs in evidence."""
        return frozenset(item.pair for item in self.items)


def read_account(envelope: JSON) -> Account:
    """Read an envelope of any shape."""
    if not isinstance(envelope, dict):
        fault = ("g0.envelope", (), "the envelope is no object")
        return Account({}, is_object=False, faults=[fault])
    account = Account(envelope, mode=envelope.get("grounding_mode"))
    account.faults += [*_identity(account), *_payload(account), *_lists(account)]
    if account.is_violation and account.holds_content:
        account.faults.append(("g0.withheld-content", (), "the envelope is withheld and still has payload or evidence"))
    order = DocumentOrder(envelope)
    account.faults.sort(key=lambda fault: order(fault[1]))
    return account


def _identity(account: Account) -> Iterator[EnvelopeFault]:
    invocation_id = account.envelope.get("invocation_id")
    if is_invocation_id(invocation_id):
        account.invocation_id = str(invocation_id)
    else:
        yield (
            "g0.invocation-id",
            account.path_to("invocation_id"),
            "it is no lower-case UUID of version 7",
        )
    outcome = account.envelope.get("outcome")
    if not isinstance(outcome, dict):
        yield "g0.outcome", account.path_to("outcome"), "the outcome is no object"
        return
    status = outcome.get("status")
    if isinstance(status, str) and status in STATUSES:
        account.status = status
    else:
        place: Path = ("outcome", "status") if "status" in outcome else ("outcome",)
        yield "g0.status", place, f"the status is none of {', '.join(STATUSES)}"


def _payload(account: Account) -> Iterator[EnvelopeFault]:
    if "payload" not in account.envelope:
        return
    payload = account.envelope["payload"]
    if not isinstance(payload, dict):
        yield "g0.payload", ("payload",), "the payload is no object"
    else:
        if not is_text(payload.get("schema_class")):
            place: Path = ("payload", "schema_class") if "schema_class" in payload else ("payload",)
            yield "g0.schema-class", place, "the payload has no schema class"
        if "grounded_on" not in payload:
            yield "g0.grounded-on-missing", ("payload",), "the payload has no root grounded_on"
    for path, listed in grounded_on(payload):
        yield from _references(account, path, listed)


def _references(account: Account, path: Path, listed: JSON) -> Iterator[EnvelopeFault]:
    if not isinstance(listed, list):
        yield "g0.malformed-references", path, "a grounded_on is no list"
        return
    for index, entry in enumerate(listed):
        pair = reference(entry)
        if pair is None:
            detail = "an entry of a grounded_on is no well-formed reference"
            yield "g0.malformed-references", (*path, index), detail
        else:
            account.references.append(Reference((*path, index), pair))


def _lists(account: Account) -> Iterator[EnvelopeFault]:
    yield from _list(account, "evidence", "g0.evidence", _item, account.items)
    yield from _list(account, "delegations", "g0.delegations", delegation, account.delegations)
    yield from _list(account, "retrievals", "g0.retrievals", retrieval_record, account.records)
    seen: set[Pair] = set()
    for item in account.items:
        if item.pair in seen:
            yield "g0.duplicate-evidence", ("evidence", item.index), "an earlier item has the same id and hash"
        seen.add(item.pair)


def _list(
    account: Account, name: str, code: str, read: Callable[[JSON, int], _Part | None], parts: list[_Part]
) -> Iterator[EnvelopeFault]:
    listed = account.envelope.get(name, [])
    if not isinstance(listed, list):
        yield code, (name,), f"{name} is no list"
        return
    for index, entry in enumerate(listed):
        part = read(entry, index)
        if part is None:
            yield code, (name, index), f"an entry of {name} does not have its shape"
        else:
            parts.append(part)


def _item(value: JSON, index: int) -> Item | None:
    if not isinstance(value, dict) or malformation(value):
        return None
    snapshot = value.get("snapshot_ref")
    return Item(
        index,
        (str(value["source_id"]), str(value["content_hash"])),
        str(value["canonicalisation"]),
        snapshot if isinstance(snapshot, str) else None,
        "content" in value,
    )
