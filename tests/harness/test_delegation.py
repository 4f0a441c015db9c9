"""Delegation: grants, child runs, and what the parent's envelope says of them."""

import threading
import time

import pytest
from agents import INPUT, answer, ask, conductor, good, run, spec

from groundrules import envelope_hash, loads, verify_run
from groundrules.errors import UsageError
from groundrules.harness import Conductor, InProcessAgent, Refused, RunStore
from groundrules.harness.delegation import Grants
from groundrules.runs import store as stores

GOOD = {"valid", "agree", "passed", "nothing-to-check"}


def relay(task):
    """Has the counter run on its own input, and cites both."""
    return answer(task.input_item(), task.delegate("counter", task.input))


def family(folder, parent=relay, child=good, **more):
    agents = [InProcessAgent(spec(agent_id="counter", mode=more.pop("child_mode", "none")), child, **more)]
    return conductor(folder, parent, "delegation", agents=agents)


def test_a_child_run_is_stored_recorded_and_cited(tmp_path):
    """Two stored runs that name each other; the hash is that of the child's stored envelope."""
    carried = {"conversation_id": "talk:9", "policy_bundle_ref": "profile:parish@v3"}
    finished = family(tmp_path).invoke(ask() | carried)
    (recorded,) = finished.envelope["delegations"]
    child = tmp_path / recorded["delegated_invocation_id"]
    envelope = loads((child / "envelope.json").read_bytes())
    assert envelope_hash(envelope) == recorded["content_hash"]
    assert recorded | {"content_hash": ""} == {
        "delegated_invocation_id": child.name,
        "delegated_agent_id": "counter",
        "delegated_agent_version": "1",
        "delegated_status": "succeeded",
        "canonicalisation": "dd-envelope-json-v1",
        "content_hash": "",
    }
    assert envelope["parent_invocation_id"] == finished.envelope["invocation_id"]
    assert {name: envelope[name] for name in carried} == carried
    assert set(verify_run(finished.folder).words.values()) == GOOD
    assert set(verify_run(child).words.values()) == GOOD


def test_the_traces_are_two_and_linked(tmp_path):
    """The child's root is no span of the parent's trace; it links to the parent's root."""
    finished = family(tmp_path).invoke(ask())
    (recorded,) = finished.envelope["delegations"]
    parent = (finished.folder / "spans.jsonl").read_bytes().splitlines()
    child = (tmp_path / recorded["delegated_invocation_id"] / "spans.jsonl").read_bytes().splitlines()
    root, delegation = map(loads, parent)
    (own,) = map(loads, child)
    assert own["parent_id"] is None
    assert own["context"]["trace_id"] != root["context"]["trace_id"]
    assert own["links"][0]["context"]["span_id"] == root["context"]["span_id"]
    assert delegation["name"] == "delegation"
    assert delegation["parent_id"] == root["context"]["span_id"]
    assert delegation["attributes"]["dd.delegated_invocation_id"] == recorded["delegated_invocation_id"]


def test_a_child_is_recorded_also_when_the_parent_fails(tmp_path):
    """What was run was run."""

    def fails(task):
        relay(task)
        raise ValueError

    finished = family(tmp_path, fails).invoke(ask())
    assert finished.fault.code == "agent.raised"
    assert len(finished.envelope["delegations"]) == 1
    assert set(verify_run(finished.folder).words.values()) == GOOD


def test_a_child_that_is_withheld_is_recorded_as_it_was_stored(tmp_path):
    """The parent gets what left the gate, and nothing else."""
    seen = []

    def invents(task):
        made = answer(task.input_item())
        made["payload"]["grounded_on"].append({"source_id": "x", "content_hash": "0" * 64})
        return made

    def looks(task):
        seen.append(task.delegate("counter", task.input))
        return {"status": "abstained", "statement": "", "reason_code": "none"}

    finished = family(tmp_path, looks, invents).invoke(ask())
    assert finished.envelope["delegations"][0]["delegated_status"] == "failed"
    assert seen[0]["content"]["evidence"] == []
    assert "payload" not in seen[0]["content"]
    assert verify_run(finished.folder).words["files"] == "agree"


def test_an_admitted_child_is_awaited(tmp_path):
    """The parent's run ends when its children have, though the parent did not wait."""
    started = threading.Event()

    def slow(task):
        started.set()
        time.sleep(0.3)
        return good(task)

    def hurries(task):
        threading.Thread(target=task.delegate, args=("counter", task.input)).start()
        started.wait(10)
        return answer(task.input_item())

    finished = family(tmp_path, hurries, slow).invoke(ask())
    assert len(finished.envelope["delegations"]) == 1
    assert set(verify_run(finished.folder).words.values()) == GOOD


def refusal(task, *words):
    with pytest.raises(Refused) as caught:
        task.delegate(*words)
    return caught.value.code


def test_refusals_are_answers(tmp_path):
    """The agent may go on; no child is recorded."""
    found = []

    def tries(task):
        found.extend(
            refusal(task, *words)
            for words in (
                ("nobody", INPUT),
                ("", INPUT),
                ("answerer", INPUT),
                ("counter", INPUT, "guessed"),
                ("counter", INPUT, "\ud800"),
                ("counter", []),
                ("counter", {"schema_class": ""}),
            )
        )
        return answer(task.input_item())

    finished = family(tmp_path, tries).invoke(ask())
    assert found == [
        "delegate.unknown-agent",
        "delegate.unknown-agent",
        "delegate.self",
        "delegate.unknown-grant",
        "delegate.unknown-grant",
        "delegate.malformed-input",
        "delegate.malformed-input",
    ]
    assert finished.envelope["delegations"] == []
    assert set(verify_run(finished.folder).words.values()) == GOOD
    assert len(RunStore(tmp_path).ids()) == 1


def test_only_a_run_that_delegates_has_a_grant(tmp_path):
    """In another mode there is none, and nothing to ask."""
    found = []

    def tries(task):
        found.extend((task.grant, refusal(task, "answerer", INPUT)))
        return good(task)

    conductor(tmp_path, tries).invoke(ask())
    assert found == [None, "delegate.not-allowed"]


def test_delegation_is_one_level_deep(tmp_path):
    """A child whose mode is delegation has no grant, and its parent's is of no use to it."""
    found = []

    def child(task):
        parents = task.input["grant"]
        found.extend((task.grant, refusal(task, "answerer", INPUT), refusal(task, "answerer", INPUT, parents)))
        return answer(task.input_item())

    def parent(task):
        return answer(task.input_item(), task.delegate("counter", INPUT | {"grant": task.grant}))

    finished = family(tmp_path, parent, child, child_mode="delegation").invoke(ask())
    assert found == [None, "delegate.not-allowed", "delegate.not-allowed"]
    assert set(verify_run(finished.folder).words.values()) == GOOD


def test_a_grant_is_of_one_run(tmp_path):
    """Another run at the same time, and a later one, are refused."""
    inner, outer = [], []

    def second(task):
        inner.append(refusal(task, "counter", INPUT, task.input["text"]))
        return answer(task.input_item())

    agents = [InProcessAgent(spec("delegation", "second"), second), InProcessAgent(spec(agent_id="counter"), good)]

    def first(task):
        outer.append(task.grant)
        made.invoke(ask("second", input=INPUT | {"text": task.grant}))
        return answer(task.input_item())

    made = conductor(tmp_path, first, "delegation", agents=agents)
    made.invoke(ask())
    made.invoke(ask("second", input=INPUT | {"text": outer[0]}))
    assert inner == ["delegate.other-run", "delegate.expired-grant"]


def test_grants_are_forgotten_in_time():
    """Only so many grants of runs that are over are remembered; those of runs under way always are."""
    grants = Grants()
    first, live = grants.give("0", "a"), grants.give("live", "a")
    grants.expire("0")
    for number in range(1, 4097):
        grants.give(str(number), "a")
        grants.expire(str(number))
    with pytest.raises(Refused, match="unknown-grant"):
        grants.redeem(first, "live", "b")
    grants.redeem(live, "live", "b")


def test_there_is_a_limit_to_children(tmp_path, monkeypatch):
    """A run cannot fill the store for ever."""
    monkeypatch.setattr("groundrules.harness.delegation.MOST_CHILDREN", 2)
    found = []

    def greedy(task):
        evidence = [task.delegate("counter", task.input) for _ in range(2)]
        found.append(refusal(task, "counter", INPUT))
        return answer(task.input_item(), *evidence)

    finished = family(tmp_path, greedy).invoke(ask())
    assert found == ["delegate.too-many"]
    assert len(finished.envelope["delegations"]) == 2


def test_a_child_that_cannot_be_stored_is_refused(tmp_path, monkeypatch):
    """No room for the child is no child; the parent is told, and is stored when there is room again."""
    found, whole = [], stores.write_files

    def no_room(*_):
        monkeypatch.setattr(stores, "write_files", whole)
        raise UsageError("usage.unwritable", "no space left on device")

    def parent(task):
        monkeypatch.setattr(stores, "write_files", no_room)
        found.append(refusal(task, "counter", INPUT))
        return answer(task.input_item())

    finished = family(tmp_path, parent).invoke(ask())
    assert found == ["delegate.not-stored"]
    assert finished.envelope["delegations"] == []
    assert RunStore(tmp_path).ids() == [finished.folder.name]


def test_a_timed_out_parent_waits_for_its_child(tmp_path):
    """Time is over while a child runs: the parent fails when the child is stored, and has it on record."""

    def slow(task):
        time.sleep(0.4)
        return good(task)

    agents = [InProcessAgent(spec(agent_id="counter"), slow)]
    made = Conductor([InProcessAgent(spec("delegation"), relay, seconds=0.1), *agents], RunStore(tmp_path))
    finished = made.invoke(ask())
    assert finished.fault.code == "agent.timed-out"
    assert len(finished.envelope["delegations"]) == 1
    assert set(verify_run(finished.folder).words.values()) == GOOD


@pytest.mark.parametrize("agent_id", ["\ud800", "", "x" * 2001, 3, None])
def test_a_child_whose_name_is_none_is_refused(tmp_path, agent_id):
    """It would stand on the conductor's own span, where everybody has to be able to read it."""

    def delegates(task):
        with pytest.raises(Refused, match="unknown-agent"):
            task.delegate(agent_id, {})
        return answer(task.input_item())

    finished = run(tmp_path, delegates, "delegation")
    assert finished.fault is None
    assert verify_run(finished.folder).words["grounding"] == "passed"
