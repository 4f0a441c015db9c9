"""The order of resolvers: what can be computed comes before what is judged (rules O1 to O3)."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from groundrules.findings import Finding, Place, as_data, as_lines
from groundrules.witness.record import read_record
from groundrules.witness.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules.strictjson import JSON
    from groundrules.witness.record import Entry, Record

_FIRST_CLASS = 0
"""The class of the resolvers that establish by computing alone."""


@dataclass(frozen=True, slots=True)
class OrderVerdict:
    """In what a record's resolvers are out of order: findings rule by rule, each in document order."""

    findings: tuple[Finding, ...]

    @property
    def status(self) -> str:
        """``failed`` with any finding, else ``passed``."""
        return "failed" if self.findings else "passed"

    def as_dict(self) -> dict[str, JSON]:
        """The verdict as data."""
        return {"format": "order/1", "status": self.status, **as_data(self.findings, ())}

    def lines(self) -> list[str]:
        """The verdict as text."""
        return [f"order: {self.status.upper() if self.findings else self.status}", *as_lines(self.findings)]


def check_order(document: JSON | Record) -> OrderVerdict:
    """Hold the resolvers of a record to their order: those that its predicates list, and those that its log tells.

    Args:
        document: of ``schemas/evaluation-record.json``, or what :func:`read_record` made of it.

    Raises:
        SchemaError: ``schema.evaluation-record``.
    """
    record = read_record(document)
    computed = _Computed(record)
    return OrderVerdict((*_classes(record), *_decided_again(record, computed), *_not_open(record, computed)))


def _classes(record: Record) -> Iterator[Finding]:
    """O1: each list is non-decreasing in class, and names resolvers that exist."""
    known = vocabulary().resolvers
    for index, predicate in enumerate(record.predicates):
        yield from of_list(predicate.resolvers, f"/predicates/{index}/resolvers")
    for entry in record.log:
        if entry.resolver not in known:
            at = Place(f"/log/{entry.index}/resolver")
            yield Finding("o1.unknown-resolver", at, "it is none of the vocabulary")


def of_list(resolvers: Sequence[str], pointer: str) -> Iterator[Finding]:
    """O1 for one list of resolvers, which stands at a JSON Pointer."""
    known = vocabulary().resolvers
    reached = _FIRST_CLASS
    for position, name in enumerate(resolvers):
        at = Place(f"{pointer}/{position}")
        if name not in known:
            yield Finding("o1.unknown-resolver", at, "it is none of the vocabulary")
            continue
        if known[name].order_class < reached:
            yield Finding("o1.decreasing", at, f"it is of class {known[name].order_class}, after class {reached}")
        reached = max(reached, known[name].order_class)


class _Computed:
    """When each fact of each claim was first computed, in places of the log in time."""

    def __init__(self, record: Record) -> None:
        known = vocabulary().resolvers
        self._place: dict[int, int] = {}
        self._first: dict[tuple[str, str], int] = {}
        for place, entry in enumerate(sorted(record.log, key=attrgetter("seq"))):
            self._place[entry.index] = place
            if entry.resolver in known and known[entry.resolver].order_class == _FIRST_CLASS:
                for fact in entry.established:
                    self._first.setdefault((entry.claim, fact), place)

    def is_before(self, entry: Entry, fact: str) -> bool:
        """Whether a deterministic resolver had established a fact for an entry's claim before it."""
        return self._first.get((entry.claim, fact), len(self._place)) < self._place[entry.index]


def _decided_again(record: Record, computed: _Computed) -> Iterator[Finding]:
    """O2: nobody establishes what was computed before."""
    for entry in record.log:
        for position, fact in enumerate(entry.established):
            if computed.is_before(entry, fact):
                at = Place(f"/log/{entry.index}/established/{position}")
                yield Finding("o2.decided-again", at, "a deterministic resolver had established it before")


def _not_open(record: Record, computed: _Computed) -> Iterator[Finding]:
    """O3: an evaluator is asked what was open, and was not computed."""
    known = vocabulary().resolvers
    for entry in record.log:
        if entry.resolver in known and known[entry.resolver].kind == "semantic":
            open_before = frozenset(entry.open_before)
            for position, fact in enumerate(entry.asked):
                if computed.is_before(entry, fact) or fact not in open_before:
                    at = Place(f"/log/{entry.index}/asked/{position}")
                    yield Finding("o3.not-open", at, "it was not open when the evaluator was asked")
