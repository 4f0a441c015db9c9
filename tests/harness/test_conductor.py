"""The conductor: the order of a run, its outcomes, and what it refuses."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading

import pytest
from agents import EXAMPLES, INPUT, SCHEMA, SNAPSHOT, TENOR, answer, ask, conductor, good, run, spec

from groundrules import (
    ConfigurationError,
    KitError,
    RequestError,
    UsageError,
    content_hash,
    load_copies,
    loads,
    read_trace,
    verify_run,
)
from groundrules.harness import Answer, Conductor, InProcessAgent, RunStore
from groundrules.harness import run as running
from groundrules.harness.results import parse_result
from groundrules.runs.layout import FILES

MEMBERS = {
    "conversation_id": "talk:9",
    "policy_bundle_ref": "profile:parish@v3",
    "acting_for": {"principal_id": "p:1", "name": "Ada", "principal_kind": "person", "assurance": "low"},
}


def words(finished, copies=None):
    return verify_run(finished.folder, copies).words if copies else verify_run(finished.folder).words


def problem(finished):
    return finished.envelope["problem"]["type"].rpartition(":")[2]


def test_a_good_run_is_stored_with_its_verdicts(tmp_path):
    """The envelope, the trace and the verdicts are one run, and verifying says what the conductor said."""
    request = ask() | MEMBERS
    finished = conductor(tmp_path / "runs").invoke(request)
    assert {path.name for path in finished.folder.iterdir()} == set(FILES)
    assert loads((finished.folder / "request.json").read_bytes()) == request
    envelope = loads((finished.folder / "envelope.json").read_bytes())
    assert envelope == finished.envelope
    assert {name: envelope[name] for name in MEMBERS} == MEMBERS
    assert envelope["outcome"] == {"status": "succeeded", "statement": "Done."}
    assert envelope["grounding_mode"] == "none"
    assert "delegations" not in envelope
    assert "retrievals" not in envelope
    assert (finished.grounding.status, finished.sources.status) == ("passed", "nothing-to-check")
    assert (finished.isolation, finished.fault) == ("none", None)
    assert words(finished) == {
        "contract": "valid",
        "files": "agree",
        "grounding": "passed",
        "sources": "nothing-to-check",
    }


def test_the_root_holds_what_the_conductor_alone_writes(tmp_path):
    """Mode, hash and name of the input, ids, profile, skew, isolation and outcome, all on the root."""
    finished = run(tmp_path, input_canonicalisation="jcs-input-v1", span_profile="genai", clock_skew_us=7)
    (root,) = read_trace((finished.folder / "spans.jsonl").read_bytes())
    assert root.name == "invoke_agent"
    assert root.parent_id is None
    assert root.trace_id == finished.envelope["telemetry"]["trace_id"]
    assert root.attributes == {
        "dd.grounding_mode": "none",
        "dd.input_hash": content_hash(INPUT, "jcs-input-v1"),
        "dd.input_canonicalisation": "jcs-input-v1",
        "dd.invocation_id": finished.envelope["invocation_id"],
        "dd.agent_id": "answerer",
        "dd.agent_version": "1",
        "dd.span_profile": "genai",
        "dd.clock_skew_us": 7,
        "dd.outcome": "succeeded",
        "groundrules.isolation": "none",
        "gen_ai.operation.name": "invoke_agent",
    }
    assert set(words(finished).values()) == {"valid", "agree", "passed", "nothing-to-check"}


def test_what_an_agent_counts_is_in_the_telemetry(tmp_path):
    """Model and tokens are the agent's statement, beside the conductor's trace id."""
    finished = run(tmp_path, lambda task: answer(task.input_item(), model_id="m", input_tokens=3, output_tokens=4))
    telemetry = finished.envelope["telemetry"]
    assert telemetry.pop("trace_id")
    assert telemetry == {"model_id": "m", "input_tokens": 3, "output_tokens": 4}


def test_an_agent_may_abstain_and_refer(tmp_path):
    """Neither is a failure."""
    first = run(tmp_path / "a", lambda _: {"status": "abstained", "statement": "No.", "reason_code": "unsure"})
    second = run(
        tmp_path / "b",
        lambda _: {"status": "referred", "statement": "No.", "reason_code": "unsure", "referred_to": "desk"},
    )
    for finished, status in ((first, "abstained"), (second, "referred")):
        assert finished.envelope["outcome"]["status"] == status
        assert finished.fault is None
        assert set(words(finished).values()) == {"valid", "agree", "passed", "nothing-to-check"}


def test_an_input_that_is_not_accepted_never_reaches_the_agent(tmp_path):
    """The run is stored as failed, with a problem type of its own."""
    called = []
    made = conductor(tmp_path, called.append)
    finished = made.invoke(ask(input={"schema_class": "Poem"}))
    assert not called
    assert problem(finished) == "input-not-accepted"
    assert finished.envelope["outcome"]["statement"] == (
        "There is no result: the agent does not accept the class of the input."
    )
    assert words(finished)["files"] == "agree"


def raises(_task):
    raise ValueError("the answer is 42")


def leaves(_task):
    raise SystemExit("the answer is 42")


def stops(_task):
    raise GeneratorExit


def raises_what_cannot_be_told(_task):
    def untold(_error):
        raise ValueError

    raise type("Odd\nname", (BaseException,), {"__str__": untold})


def circular(_task):
    found = []
    found.append(found)
    return {"status": "abstained", "statement": "", "evidence": found}


FAULTS = {
    "agent.raised": [raises, leaves, stops, raises_what_cannot_be_told],
    "agent.malformed-result": [
        lambda _: None,
        lambda _: "done",
        lambda _: {"status": "succeeded"},
        lambda _: {"status": "suspended", "statement": ""},
        lambda task: answer(task.input_item()) | {"grounding_mode": "none"},
        lambda task: answer(task.input_item()) | {"problem": {"type": "x"}},
        lambda task: answer(task.input_item()) | {"delegations": []},
        lambda task: answer(task.input_item()) | {"retrievals": []},
        lambda task: answer(task.input_item()) | {"payload": ()},
        lambda task: answer(task.input_item()) | {"input_tokens": float("nan")},
        lambda task: answer(task.input_item()) | {"statement": "\ud800"},
        circular,
    ],
    "agent.contract": [
        lambda task: answer(task.input_item()) | {"evidence": []},
        lambda task: answer(task.input_item()) | {"evidence": [task.input_item() | {"source_id": "other"}]},
        lambda _: {"status": "succeeded", "statement": ""},
        lambda _: {"status": "abstained", "statement": ""},
        lambda task: answer(task.input_item()) | {"evidence": [{"source_id": "x"}]},
        lambda task: answer(task.input_item()) | {"payload": {}},
    ],
    "agent.payload-class": [
        lambda task: answer(task.input_item()) | {"payload": {"schema_class": "Other", "grounded_on": []}}
    ],
    "agent.reported": [lambda _: {"status": "failed", "statement": "I could not."}],
}


@pytest.mark.parametrize(("code", "function"), [(code, one) for code, many in FAULTS.items() for one in many])
def test_a_faulty_agent_is_an_outcome(tmp_path, code, function):
    """Whatever the agent does, there is a stored envelope that satisfies the contract and says agent-error."""
    finished = run(tmp_path, function)
    assert finished.fault.code == code
    assert str(finished.fault).isprintable()
    assert problem(finished) == "agent-error"
    assert finished.envelope["outcome"]["status"] == "failed"
    assert "payload" not in finished.envelope
    assert code in finished.envelope["problem"]["detail"]
    assert set(words(finished).values()) == {"valid", "agree", "passed", "nothing-to-check"}


@pytest.mark.parametrize("function", [raises, leaves])
def test_what_an_agent_says_in_an_exception_is_told_and_not_stored(tmp_path, function):
    """An answer does not travel in an error."""
    finished = run(tmp_path, function)
    assert "the answer is 42" in str(finished.fault)
    assert all(b"the answer" not in path.read_bytes() for path in finished.folder.iterdir())


class Verbose:
    """An agent whose result is short as text and long as a page: many numbers, deep down."""

    isolation = "none"

    def __init__(self):
        self.spec = spec()

    def perform(self, _task):
        numbers = f"{'[' * 58}{','.join('1' * 540_000)}{']' * 58}".encode()
        text = b'{"status": "abstained", "statement": "", "reason_code": "x", "evidence": [{"x": %s}]}' % numbers
        return Answer(result=parse_result(text))


def test_a_result_that_does_not_fit_into_an_envelope_is_an_outcome(tmp_path):
    """An envelope that would not read back is not made."""
    finished = Conductor([Verbose()], RunStore(tmp_path)).invoke(ask())
    assert finished.fault.code == "agent.too-large"
    assert words(finished)["contract"] == "valid"


def test_an_interrupt_is_not_the_agents(tmp_path):
    """Whoever stops the conductor stops it; nothing of the run is stored, and its id is free."""

    def stopped(_task):
        raise KeyboardInterrupt

    made, request = conductor(tmp_path, stopped), ask()
    with pytest.raises(KeyboardInterrupt):
        made.invoke(request)
    assert RunStore(tmp_path).ids() == []
    assert conductor(tmp_path).invoke(request).envelope["outcome"]["status"] == "succeeded"


def test_a_violation_is_withheld(tmp_path):
    """An invented reference in the payload: the result is gone, and both verdicts say what was judged."""

    def invents(task):
        made = answer(task.input_item())
        made["payload"]["grounded_on"].append({"source_id": "bell:none", "content_hash": "0" * 64})
        return made

    finished = run(tmp_path, invents)
    assert problem(finished) == "grounding-violation"
    assert finished.envelope["evidence"] == []
    assert finished.grounding.codes == ("r2.reference",)
    assert words(finished)["grounding"] == "withheld"
    assert words(finished)["files"] == "agree"
    assert finished.fault is None
    root = read_trace((finished.folder / "spans.jsonl").read_bytes())[0]
    assert root.attributes["dd.outcome"] == "succeeded"


BAD_REQUESTS = [
    ("request.malformed", None),
    ("request.malformed", []),
    ("request.malformed", {"format": "request/2"}),
    ("request.malformed", {"invocation_id": "1"}),
    ("request.malformed", {"input": {}}),
    ("request.malformed", {"input": 1}),
    ("request.malformed", {"more": 1}),
    ("request.malformed", {"requested_at": "today"}),
    ("request.malformed", {"input": INPUT | {"t": (1,)}}),
    ("request.malformed", {"input": INPUT | {"n": float("inf")}}),
    ("request.malformed", {"input": INPUT | {"s": "\udc00"}}),
    ("request.parent-set", {"parent_invocation_id": "01a23086-4001-7246-ab92-11f9b8c04766"}),
    ("request.unknown-agent", {"agent_id": "nobody"}),
    ("request.other-version", {"agent_version": "2"}),
]


@pytest.mark.parametrize(("code", "changes"), BAD_REQUESTS)
def test_a_callers_error_raises_and_stores_nothing(tmp_path, code, changes):
    """No run is made of what is no request."""
    made = conductor(tmp_path)
    with pytest.raises(RequestError) as caught:
        made.invoke(ask() | changes if isinstance(changes, dict) else changes)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)
    assert RunStore(tmp_path).ids() == []
    assert not (tmp_path / "invocations.jsonl").exists()


def test_an_input_outside_the_domain_of_its_name_is_a_callers_error(tmp_path):
    """An integer that jcs-input-v1 does not hash cannot be run under it."""
    made = conductor(tmp_path, input_canonicalisation="jcs-input-v1")
    with pytest.raises(RequestError, match=r"/input/n.*request\.malformed"):
        made.invoke(ask(input=INPUT | {"n": 2**60}))


def test_a_version_that_is_there_may_be_asked_for(tmp_path):
    """The version in the request is compared, not ignored."""
    assert conductor(tmp_path).invoke(ask() | {"agent_version": "1"}).fault is None


def test_an_id_is_used_once(tmp_path):
    """A stored id is refused, by this conductor and by the next."""
    made, request = conductor(tmp_path), ask()
    finished = made.invoke(request)
    before = {path.name: path.read_bytes() for path in finished.folder.iterdir()}
    for again in (made, conductor(tmp_path)):
        with pytest.raises(RequestError, match=r"request\.reused"):
            again.invoke(request)
    assert {path.name: path.read_bytes() for path in finished.folder.iterdir()} == before


def test_an_id_under_way_is_refused(tmp_path):
    """A second run with the id of one that has not ended is not begun."""
    entered, leave = threading.Event(), threading.Event()

    def slow(task):
        entered.set()
        leave.wait(10)
        return good(task)

    made, request = conductor(tmp_path, slow), ask()
    found = []
    thread = threading.Thread(target=lambda: found.append(made.invoke(request)))
    thread.start()
    entered.wait(10)
    with pytest.raises(RequestError, match=r"request\.running"):
        conductor(tmp_path).invoke(request)
    leave.set()
    thread.join()
    assert found[0].fault is None


def test_two_agents_with_one_id_are_refused(tmp_path):
    """Which of them is asked could not be told."""
    agents = [InProcessAgent(spec(), good), InProcessAgent(spec(), good)]
    with pytest.raises(ConfigurationError, match=r"config\.agent\b"):
        Conductor(agents, RunStore(tmp_path))


def test_the_caller_keeps_no_hold_on_the_request(tmp_path):
    """What the agent or the caller changes afterwards is in no file of the run."""
    request = ask()

    def meddles(task):
        item = task.input_item()
        made = answer(item)
        task.request["input"]["text"] = request["input"]["text"] = "changed"
        item["content"] = {"schema_class": "Question", "text": "Which bell is the oldest?"}
        return made

    request["input"] = dict(INPUT)
    finished = conductor(tmp_path, meddles).invoke(request)
    assert set(words(finished).values()) == {"valid", "agree", "passed", "nothing-to-check"}
    assert loads((finished.folder / "request.json").read_bytes())["input"] == INPUT


def test_a_copy_that_changes_under_way_is_an_outcome(tmp_path):
    """Nothing can be said of the sources any more, so there is no result; the run is stored and says why."""
    copy = tmp_path / "bells.jsonl"
    others = b"".join(b'{"source_id": "other:%d", "text": "%s"}\n' % (number, b"x" * 4000) for number in range(9))
    octets = others + (EXAMPLES / "bells.jsonl").read_bytes() + others.replace(b"other", b"another")
    copy.write_bytes(octets)
    pinned = {"snapshot_refs": [SNAPSHOT], "path": "bells.jsonl", "id_field": "source_id"}
    listing = tmp_path / "copies.json"
    listing.write_text(json.dumps({"sources": [pinned | {"sha256": hashlib.sha256(octets).hexdigest()}]}))

    def forged(task):
        item = task.retrieve(SNAPSHOT, TENOR)
        task.retrieve(SNAPSHOT, "other:0")
        copy.write_bytes(octets.replace(b"Margery", b"Mildred"))
        return answer(item)

    with load_copies(listing) as copies:
        finished = run(tmp_path / "runs", forged, "brokered", copies=copies)
    assert problem(finished) == "source-changed"
    assert finished.fault.code == "agent.source-changed"
    assert finished.sources.status == "nothing-to-check"
    assert [record["status"] for record in finished.envelope["retrievals"]] == ["ok", "ok"]
    assert words(finished)["files"] == "agree"


def test_a_gate_that_breaks_the_contract_is_our_fault(tmp_path, monkeypatch):
    """What leaves the gate is held to the contract once more; a failure there raises, and nothing is stored."""
    monkeypatch.setattr(running, "withhold", lambda envelope, *_: dict(envelope, evidence=3))
    with pytest.raises(KitError, match=r"kit\.gate"):
        run(tmp_path)
    assert RunStore(tmp_path).ids() == []


def test_several_threads_share_a_conductor(tmp_path):
    """Forty runs at once are forty runs."""
    made = conductor(tmp_path)
    threads = [threading.Thread(target=made.invoke, args=(ask(),)) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(RunStore(tmp_path).ids()) == 40


def test_a_store_that_cannot_be_made_stops_the_start(tmp_path):
    """One clear error, before anything runs."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UsageError, match=r"usage\.unwritable"):
        conductor(tmp_path / "file" / "runs")


def test_the_payload_schema_may_hold_more(tmp_path):
    """The payload class is the deployment's: what it forbids is an agent error."""
    schema = SCHEMA | {"properties": SCHEMA["properties"] | {"n": {"type": "integer"}}}

    def counts(task):
        made = answer(task.input_item())
        made["payload"]["n"] = "three"
        return made

    finished = run(tmp_path, counts, payload_schema=schema)
    assert finished.fault.code == "agent.payload-class"
    assert finished.fault.diagnosis == 'at "/n" it does not satisfy type'


def test_of_many_malformed_items_the_first_is_told(tmp_path):
    """An agent that answers with a hundred thousand of them has one fault, in bounded time and words."""

    def many(_task):
        return {"status": "failed", "statement": "x", "evidence": [{} for _ in range(100_000)]}

    finished = run(tmp_path, many)
    assert finished.fault.code == "agent.contract"
    assert finished.fault.codes == ("c1.schema",)
    assert len(str(finished.fault)) < 300
    assert set(words(finished).values()) == {"valid", "agree", "passed", "nothing-to-check"}


def test_an_exception_whose_text_stops_the_process_is_an_outcome(tmp_path):
    """Its text is code of the agent's."""

    class Stops(Exception):  # noqa: N818
        def __str__(self):
            raise SystemExit

    def raises(_task):
        raise Stops

    finished = run(tmp_path, raises)
    assert (finished.fault.code, str(finished.fault).count("Stops")) == ("agent.raised", 1)


def test_an_agent_that_changes_the_folder_moves_no_store(tmp_path, monkeypatch):
    """A store that was named from the folder of the start stays where it was."""
    monkeypatch.chdir(tmp_path)

    def moves(task):
        (tmp_path / "elsewhere").mkdir()
        os.chdir(tmp_path / "elsewhere")
        return good(task)

    made = Conductor([InProcessAgent(spec(), moves)], RunStore("runs"))
    assert made.invoke(ask()).folder.parent == tmp_path / "runs"
    assert [*(tmp_path / "elsewhere").iterdir()] == []


def test_an_agent_that_closes_every_descriptor_is_stored():
    """Also the lock that the conductor held meanwhile; in a process of its own, which loses its streams by it."""
    code = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "import os\nfrom agents import *\n"
        "def closes(task):\n    os.closerange(3, 200)\n    return good(task)\n"
        "finished = conductor(sys.argv[1], closes).invoke(ask())\n"
        "again = conductor(sys.argv[1]).invoke(ask())\n"
        "print(finished.fault, again.fault, len(RunStore(sys.argv[1]).ids()))\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", code, folder, *sys.path]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stdout == "None None 2\n", done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no copies of a process here")
def test_a_copy_of_the_process_that_comes_back_ends():
    """An agent that forks and returns twice gives one answer and one stored run."""
    code = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "import os\nfrom agents import *\n"
        "def forks(task):\n    task.pid = os.fork()\n    return good(task)\n"
        "finished = conductor(sys.argv[1], forks).invoke(ask())\n"
        "print(finished.fault, len(RunStore(sys.argv[1]).ids()), flush=True)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", code, folder, *sys.path]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stdout == "None 1\n", done.stderr
