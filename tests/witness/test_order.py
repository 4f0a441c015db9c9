"""The order of resolvers, on random records against the plain reading of the chapter."""

from hypothesis import given, settings
from random_records import random_logs

from groundrules.documents import validate
from groundrules.witness import check_order, vocabulary

CLASSES = {name: resolver.order_class for name, resolver in vocabulary().resolvers.items()}
KINDS = {name: resolver.kind for name, resolver in vocabulary().resolvers.items()}


def test_the_resolvers_are_eleven_in_three_classes():
    """Seven compute, two ask, two decide; the rule is deterministic, and decides."""
    assert sorted(CLASSES.values()) == [0] * 7 + [1] * 2 + [2] * 2
    assert {name for name, kind in KINDS.items() if kind == "semantic"} == {n for n, c in CLASSES.items() if c == 1}
    assert (CLASSES["eio.resolver.graph-rule"], KINDS["eio.resolver.graph-rule"]) == (2, "deterministic")


def plain(document):
    """The findings, each condition asked by itself."""
    log = document.get("log", [])
    for i, predicate in enumerate(document.get("predicates", [])):
        yield from plain_classes(predicate["resolvers"], f"/predicates/{i}/resolvers")
    yield from (
        ("o1.unknown-resolver", f"/log/{k}/resolver") for k, e in enumerate(log) if e["resolver"] not in CLASSES
    )
    for k, entry in enumerate(log):
        for j, fact in enumerate(entry["established"]):
            if is_computed(log, k, fact):
                yield "o2.decided-again", f"/log/{k}/established/{j}"
    for k, entry in enumerate(log):
        for j, fact in enumerate(entry["asked"] if KINDS.get(entry["resolver"]) == "semantic" else ()):
            if fact not in entry["open_before"] or is_computed(log, k, fact):
                yield "o3.not-open", f"/log/{k}/asked/{j}"


def plain_classes(listed, place):
    for j, name in enumerate(listed):
        if name not in CLASSES:
            yield "o1.unknown-resolver", f"{place}/{j}"
        elif any(CLASSES.get(earlier, -1) > CLASSES[name] for earlier in listed[:j]):
            yield "o1.decreasing", f"{place}/{j}"


def is_computed(log, k, fact):
    return any(
        (other["seq"], index) < (log[k]["seq"], k)
        and other["claim"] == log[k]["claim"]
        and CLASSES.get(other["resolver"]) == 0
        and fact in other["established"]
        for index, other in enumerate(log)
    )


@settings(max_examples=300)
@given(random_logs())
def test_findings_are_what_the_chapter_says(document):
    """On random lists and logs, in document order and rule by rule."""
    assert validate(document, "evaluation-record") == []
    verdict = check_order(document)
    assert [(finding.code, finding.at.pointer) for finding in verdict.findings] == list(plain(document))
    assert verdict.status == ("failed" if verdict.findings else "passed")
    assert verdict.as_dict()["status"] == verdict.status
