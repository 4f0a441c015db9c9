"""Brokered retrieval: the conductor reads, hands over, and records."""

import hashlib
import json

import pytest
from agents import COPIES, SNAPSHOT, TENOR, answer, ask, conductor, run

from groundrules import load_copies, verify_run
from groundrules.harness import Refused
from groundrules.times import parse_rfc3339
from groundrules.trace import read_trace

ALL_GOOD = {"contract": "valid", "files": "agree", "grounding": "passed", "sources": "verified"}


@pytest.fixture
def copies():
    with load_copies(COPIES) as held:
        yield held


def brokered(tmp_path, function, copies, **more):
    return run(tmp_path, function, "brokered", copies=copies, **more)


def words(finished, copies):
    return verify_run(finished.folder, copies).words


def test_a_record_is_read_handed_over_and_recorded(tmp_path, copies):
    """Span and record are one retrieval with one time; what is shown is verified against the copy."""
    finished = brokered(tmp_path, lambda task: answer(task.retrieve(SNAPSHOT, TENOR)), copies)
    (record,) = finished.envelope["retrievals"]
    _, span = read_trace((finished.folder / "spans.jsonl").read_bytes())
    (item,) = finished.envelope["evidence"]
    assert item["content"]["name"] == "Old Margery"
    assert record["status"] == "ok"
    assert record["content_hash"] == item["content_hash"] == span.attributes["dd.content_hash"]
    assert record["span_id"] == span.span_id
    assert (parse_rfc3339(record["started_at"]), parse_rfc3339(record["ended_at"])) == (span.start_ns, span.end_ns)
    assert words(finished, copies) == ALL_GOOD


def test_the_agent_says_under_which_name(tmp_path, copies):
    """The hash and the content are those of the canonicalisation it asked for."""

    def asks(task):
        return answer(task.retrieve(SNAPSHOT, TENOR, "jcs-document-v1"))

    finished = brokered(tmp_path, asks, copies)
    assert finished.envelope["retrievals"][0]["canonicalisation"] == "jcs-document-v1"
    assert words(finished, copies) == ALL_GOOD


def test_a_model_call_comes_after_the_records(tmp_path, copies):
    """G1 by the conductor's times: before them is a violation, after them none."""

    def early(task):
        with task.tracer.start_as_current_span("chat"):
            pass
        return answer(task.retrieve(SNAPSHOT, TENOR))

    def late(task):
        item = task.retrieve(SNAPSHOT, TENOR)
        with task.tracer.start_as_current_span("chat"):
            pass
        return answer(item)

    assert brokered(tmp_path / "early", early, copies).grounding.codes == ("g1.call-before-retrieval",)
    assert words(brokered(tmp_path / "late", late, copies), copies) == ALL_GOOD


def test_a_retrieval_of_ones_own_is_a_violation(tmp_path, copies):
    """B4: the conductor has no record of it, whatever it declares."""

    def reads_itself(task):
        item = task.retrieve(SNAPSHOT, TENOR)
        stated = {"dd.source_id": item["source_id"], "dd.content_hash": item["content_hash"]}
        with task.tracer.start_as_current_span("retrieval", attributes=stated):
            pass
        return answer(item)

    finished = brokered(tmp_path, reads_itself, copies)
    assert finished.grounding.codes == ("b4.span-without-record",)
    assert words(finished, copies)["grounding"] == "withheld"


def test_what_was_never_handed_over_is_not_cited(tmp_path, copies):
    """An item that differs from the record in anything breaks the contract; a reference alone is a violation."""

    def changes(task):
        return answer(task.retrieve(SNAPSHOT, TENOR) | {"snapshot_ref": "snapshot:older"})

    def invents(task):
        made = answer(task.retrieve(SNAPSHOT, TENOR))
        made["payload"]["grounded_on"][0]["source_id"] = "bell:none"
        return made

    assert brokered(tmp_path / "a", changes, copies).fault.codes == ("c15.not-recorded",)
    codes = brokered(tmp_path / "b", invents, copies).grounding.codes
    assert codes == ("b1.reference", "b3.rests-on-no-record", "g4.not-in-evidence")


def refusals(task, *asked):
    found = []
    for method, *words in asked:
        with pytest.raises(Refused) as caught:
            getattr(task, method)(*words)
        found.append(caught.value.code)
    return found


def test_misses_and_errors_are_recorded_too(tmp_path, copies):
    """Each refusal that reached a copy has its span and its record; the run stays in order."""
    found = []

    def tries(task):
        found.extend(
            refusals(
                task,
                ("retrieve", SNAPSHOT, "bell:none"),
                ("retrieve", "snapshot:none", TENOR),
                ("retrieve", SNAPSHOT, TENOR, "none-v1"),
                ("retrieve", "", TENOR),
                ("retrieve", SNAPSHOT, "a\nb"),
                ("retrieve", SNAPSHOT, 7),
            )
        )
        return answer(task.retrieve(SNAPSHOT, TENOR))

    finished = brokered(tmp_path, tries, copies)
    assert found == [
        "retrieve.not-found",
        "retrieve.not-listed",
        "retrieve.unknown-canonicalisation",
        "retrieve.malformed",
        "retrieve.malformed",
        "retrieve.malformed",
    ]
    statuses = [record["status"] for record in finished.envelope["retrievals"]]
    assert statuses == ["not-found", "error", "error", "ok"]
    assert words(finished, copies) == ALL_GOOD


def test_a_record_without_octets_under_a_name_is_an_error(tmp_path):
    """An integer that jcs does not hash, and none of the members that a name covers: there is no item."""
    copy = b'{"source_id": "big", "n": 99999999999999999999}\n'
    (tmp_path / "copy.jsonl").write_bytes(copy)
    entry = {"snapshot_refs": ["s"], "path": "copy.jsonl", "id_field": "source_id"}
    listing = {"sources": [entry | {"sha256": hashlib.sha256(copy).hexdigest()}]}
    (tmp_path / "copies.json").write_text(json.dumps(listing))

    def tries(task):
        asked = [("retrieve", "s", "big", name) for name in ("jcs-document-v1", "json-sorted-utf8-v1")]
        assert refusals(task, *asked) == ["retrieve.failed", "retrieve.nothing-covered"]
        return answer(task.retrieve("s", "big"))

    with load_copies(tmp_path / "copies.json") as held:
        finished = run(tmp_path / "runs", tries, "brokered", copies=held)
        assert verify_run(finished.folder, held).words == ALL_GOOD


def test_a_retriever_names_records(tmp_path, copies):
    """The conductor reads each of them itself; a record that is not there is told, and the rest is handed over."""
    asked = []

    def by_place(query):
        asked.append(query)
        return [(SNAPSHOT, TENOR), (SNAPSHOT, "bell:none"), (SNAPSHOT, "bell:tarnhow/treble")]

    finished = brokered(
        tmp_path,
        lambda task: answer(*task.query("by-place", {"place": "Tarnhow"})),
        copies,
        retrievers={"by-place": by_place},
    )
    assert asked == [{"place": "Tarnhow"}]
    assert [record["status"] for record in finished.envelope["retrievals"]] == ["ok", "not-found", "ok"]
    assert words(finished, copies) == ALL_GOOD


def test_a_query_that_finds_nothing_is_recorded(tmp_path, copies):
    """Nothing found, a failing retriever, and records that are all missing: each leaves its record."""

    def fails(_query):
        raise OSError("the index is gone")

    retrievers = {"nothing": lambda _: [], "fails": fails, "missing": lambda _: [(SNAPSHOT, "bell:none")]}
    found = []

    def tries(task):
        found.extend(
            refusals(
                task,
                ("query", "nothing", {"a": 1}),
                ("query", "fails", {"a": 1}),
                ("query", "missing", {"a": 1}),
                ("query", "none", {"a": 1}),
                ("query", "nothing", {"a": (1,)}),
            )
        )
        return answer(task.retrieve(SNAPSHOT, TENOR))

    finished = brokered(tmp_path, tries, copies, retrievers=retrievers)
    assert found == [
        "retrieve.not-found",
        "retrieve.failed",
        "retrieve.not-found",
        "retrieve.unknown-retriever",
        "retrieve.malformed",
    ]
    records = finished.envelope["retrievals"]
    assert [record["status"] for record in records] == ["not-found", "error", "not-found", "ok"]
    assert records[0]["snapshot_ref"] == "retriever:nothing"
    assert records[0]["source_id"].startswith("query:")
    assert words(finished, copies) == ALL_GOOD


def test_other_modes_have_no_broker(tmp_path, copies):
    """In mode retrieval the agent reads for itself."""
    found = []

    def tries(task):
        found.extend(refusals(task, ("retrieve", SNAPSHOT, TENOR), ("query", "x", {})))
        return {"status": "abstained", "statement": "", "reason_code": "x"}

    finished = conductor(tmp_path, tries, "retrieval", copies=copies).invoke(ask())
    assert found == ["retrieve.not-allowed"] * 2
    assert "retrievals" not in finished.envelope


def test_there_is_a_limit_and_an_end(tmp_path, copies, monkeypatch):
    """A run reads so many records and no more, and none when it is over."""
    monkeypatch.setattr("groundrules.harness.broker.MOST_CALLS", 2)
    kept = []

    def greedy(task):
        kept.append(task)
        items = [task.retrieve(SNAPSHOT, TENOR), task.retrieve(SNAPSHOT, "bell:scarfoot/single")]
        assert refusals(task, ("retrieve", SNAPSHOT, TENOR)) == ["retrieve.too-many"]
        return answer(*items)

    finished = brokered(tmp_path, greedy, copies)
    assert refusals(kept[0], ("retrieve", SNAPSHOT, TENOR)) == ["retrieve.over"]
    assert len(finished.envelope["retrievals"]) == 2


def test_what_was_asked_for_and_is_not_there_is_recorded_concealed(tmp_path, copies):
    """An agent's words do not reach the envelope by way of a refusal; a digest tells an operator who knows them."""
    words_of_it = "the answer is 42"

    def tries(task):
        for wanted in ((words_of_it, TENOR), (SNAPSHOT, words_of_it), (SNAPSHOT, TENOR, words_of_it)):
            with pytest.raises(Refused):
                task.retrieve(*wanted)
        with pytest.raises(Refused):
            task.retrieve("\ud800", TENOR)
        raise ValueError

    finished = brokered(tmp_path, tries, copies)
    first, second, third = finished.envelope["retrievals"]
    digest = f"sha256:{hashlib.sha256(words_of_it.encode()).hexdigest()}"
    assert first["snapshot_ref"] == second["source_id"] == third["canonicalisation"] == digest
    assert second["snapshot_ref"] == SNAPSHOT
    assert [record["status"] for record in finished.envelope["retrievals"]] == ["error", "not-found", "error"]
    told = [path for path in finished.folder.iterdir() if path.name != "spans.jsonl"]  # the trace is an account
    assert all(words_of_it.encode() not in path.read_bytes() for path in told)
    assert words(finished, copies)["grounding"] == "passed"
