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


def check_order(document: JSON) -> OrderVerdict:
    """Hold the resolvers of a record to their order: those that its predicates list, and those that its log tells.

    Args:
        document: of ``schemas/evaluation-record.json``.

    Raises:
        SchemaError: ``schema.evaluation-record``.
    """
    record = read_record(document)
    return OrderVerdict((*_classes(record), *_decided_again(record), *_not_open(record)))


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


def _computed_before(record: Record) -> Iterator[tuple[Entry, frozenset[str]]]:
    """Each entry in document order, with what deterministic resolvers had established for its claim before it."""
    known = vocabulary().resolvers
    established: dict[str, set[str]] = {}
    before: dict[int, frozenset[str]] = {}
    for entry in sorted(record.log, key=attrgetter("seq")):
        mine = established.setdefault(entry.claim, set())
        before[entry.index] = frozenset(mine)
        if entry.resolver in known and known[entry.resolver].order_class == _FIRST_CLASS:
            mine.update(entry.established)
    for entry in record.log:
        yield entry, before[entry.index]


def _decided_again(record: Record) -> Iterator[Finding]:
    """O2: nobody establishes what was computed before."""
    for entry, computed in _computed_before(record):
        for position, fact in enumerate(entry.established):
            if fact in computed:
                at = Place(f"/log/{entry.index}/established/{position}")
                yield Finding("o2.decided-again", at, "a deterministic resolver had established it before")


def _not_open(record: Record) -> Iterator[Finding]:
    """O3: an evaluator is asked what was open, and was not computed."""
    known = vocabulary().resolvers
    for entry, computed in _computed_before(record):
        if entry.resolver in known and known[entry.resolver].kind == "semantic":
            for position, fact in enumerate(entry.asked):
                if fact in computed or fact not in entry.open_before:
                    at = Place(f"/log/{entry.index}/asked/{position}")
                    yield Finding("o3.not-open", at, "it was not open when the evaluator was asked")
