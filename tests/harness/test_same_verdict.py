"""The same verdict live and stored: random runs, good and bad, through the conductor and back from their folders."""

import json
import random

import pytest
from agents import COPIES, INPUT, SNAPSHOT, TENOR, answer, ask, good, spec
from opentelemetry import trace as api
from opentelemetry.context import Context

from groundrules import content_hash, load_copies, loads, verify_run
from groundrules.citations import MODES
from groundrules.harness import Answer, Conductor, InProcessAgent, Refused, RunStore
from groundrules.harness.outcomes import Faulty
from groundrules.harness.results import copied_result

RUNS_A_PART = 550
BELLS = [loads(line) for line in (COPIES.parent / "bells.jsonl").read_bytes().splitlines()]


def record(chance):
    """The evidence item of a bell, as an agent that reads for itself would make it."""
    bell = chance.choice(BELLS)
    return {
        "source_id": bell["source_id"],
        "hash_algorithm": "sha256",
        "canonicalisation": "jcs-document-v1",
        "content_hash": content_hash(bell, "jcs-document-v1"),
        "content": dict(bell),
        "snapshot_ref": chance.choice([SNAPSHOT, SNAPSHOT, "snapshot:unlisted"]),
    }


def evidence(task, mode, chance):
    """What a good agent of a mode rests on."""
    if mode == "retrieval":
        items = [record(chance)]
        for item in items:
            stated = {"dd.source_id": item["source_id"], "dd.content_hash": item["content_hash"]}
            task.tracer.start_span("retrieval", attributes=stated).end()
        return items
    if mode == "brokered":
        return [task.retrieve(SNAPSHOT, TENOR)]
    if mode == "delegation":
        return [task.input_item(), task.delegate("counter", task.input)]
    return [task.input_item()]


def spoiled_result(result, chance):
    """One change to a result: a member gone, a value of another kind, a citation altered."""
    match chance.randrange(9):
        case 0:
            result.pop(chance.choice([*result]))
        case 1:
            result["status"] = chance.choice(["succeeded", "abstained", "referred", "failed", "suspended"])
        case 2:
            result["reason_code"] = "x"
        case 3:
            result.get("evidence", [{}])[0]["content_hash"] = "0" * 64
        case 4:
            result.get("evidence", [{}])[0]["content"] = {"other": 1.5}
        case 5:
            result.get("payload", {}).setdefault("grounded_on", []).append(
                {"source_id": chance.choice(["x", TENOR]), "content_hash": "0" * 64}
            )
        case 6:
            result["payload"] = chance.choice([{}, {"schema_class": "Answer", "grounded_on": []}, 3])
        case 7:
            result.setdefault("evidence", []).append(record(chance))
        case 8:
            result[chance.choice(["statement", "more", "evidence"])] = chance.choice(["text", 0, {"a": []}, None])


def odd_span(task, chance):
    """A span that may break a rule, or G0, or nothing."""
    name = chance.choice(["work", "chat", "retrieval", "embeddings x", "invoke_agent"])
    attributes = chance.choice(
        [
            {},
            {"dd.source_id": "x"},
            {"dd.source_id": "x", "dd.content_hash": "1" * 64},
            {"dd.outcome": "succeeded"},
            {"dd.clock_skew_us": 99},
            {"gen_ai.operation.name": "chat", "x": float("nan")},
        ]
    )
    context = chance.choice([None, None, None, Context()])
    span = task.tracer.start_span(name, context, attributes=attributes)
    if chance.random() < 0.2:
        span.set_status(api.StatusCode.ERROR)
    if chance.random() < 0.9:
        span.end()


def odd_text(task, chance):
    """A span as another process might send it."""
    _, trace_id, parent, _ = task.traceparent.split("-")
    made = {
        "name": chance.choice(["work", "chat", "retrieval"]),
        "context": {"trace_id": f"0x{trace_id}", "span_id": f"0x{chance.choice(['01', '02', parent])}"},
        "parent_id": chance.choice([f"0x{parent}", "0x01", "0x02", None]),
        "start_time": chance.choice(["2026-12-01T00:00:00.000001Z", "never"]),
        "end_time": chance.choice(["2026-12-01T00:00:00.000009Z", "2026-12-01T00:00:00.000000Z", None]),
        "attributes": chance.choice([{}, {"dd.source_id": "x", "dd.content_hash": "2" * 64}, 3]),
        "status": chance.choice([{}, {"status_code": "ERROR"}, {"status_code": "FINE"}]),
    }
    return json.dumps(made).encode()


class Random:
    """An agent that does something else in every run, as a generator of random numbers decides."""

    isolation = "none"

    def __init__(self, mode, profile, chance):
        self.spec = spec(mode, span_profile=profile)
        self._chance = chance

    def perform(self, task):
        chance, made = self._chance, Answer()
        try:
            for _ in range(chance.choice([0, 0, 0, 1, 2])):
                odd_span(task, chance)
            result = answer(*evidence(task, self.spec.grounding_mode, chance))
            for _ in range(chance.choice([0, 0, 1, 1, 2])):
                spoiled_result(result, chance)
            made.result = copied_result(result, 1_000_000)
        except (Faulty, Refused, AttributeError, IndexError, KeyError, TypeError) as error:
            made.fault = error.fault if isinstance(error, Faulty) else None
            made.result = None if made.fault else {"status": "failed", "statement": ""}
        own, fault = task.tracer.texts()
        made.fault = made.fault or fault
        made.spans = own + [odd_text(task, chance) for _ in range(chance.choice([0, 0, 0, 1, 2]))]
        return made


@pytest.mark.parametrize("part", range(4))
def test_the_same_verdict_live_and_stored(tmp_path, part):
    """For all but withheld runs the verdicts are equal; of those the recorded ones are repeated, and marked so."""
    chance = random.Random(part)
    counter = InProcessAgent(spec(agent_id="counter"), good)
    seen = set()
    with load_copies(COPIES) as copies:
        conductors = {
            mode: Conductor(
                [Random(mode, chance.choice(["dd", "dd", "genai"]), chance), counter],
                RunStore(tmp_path / mode),
                copies=copies,
            )
            for mode in MODES
        }
        for _ in range(RUNS_A_PART):
            finished = conductors[chance.choice(MODES)].invoke(ask(input=INPUT))
            verdict = verify_run(finished.folder, copies)
            seen.add((finished.grounding.status, finished.sources.status, finished.fault and finished.fault.code))
            assert verdict.contract.status == "valid"
            assert verdict.files.status == "agree" or set(verdict.files.missing) == {"root"}, verdict.lines()
            if "failed" in (finished.grounding.status, finished.sources.status):
                assert verdict.grounding.status == "withheld"
                assert verdict.recorded["grounding"]["status"] == finished.grounding.status
                assert verdict.recorded["sources"]["status"] == finished.sources.status
                assert finished.envelope["evidence"] == []
            else:
                assert verdict.recorded is None
                assert verdict.grounding == finished.grounding
                assert verdict.sources == finished.sources
    assert {status for status, _, _ in seen} == {"passed", "failed"}
    assert {status for _, status, _ in seen} == {"verified", "unresolved", "failed", "nothing-to-check"}
    assert {"agent.contract", "agent.malformed-result", "agent.malformed-span", None} <= {code for _, _, code in seen}
