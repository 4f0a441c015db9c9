"""Agents over stdio: good ones, and every way not to keep to the protocol; nothing is left running."""

import contextlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from agents import COPIES, INPUT, SNAPSHOT, TENOR, ask, good, spec

from groundrules import ConfigurationError, load_copies, verify_run
from groundrules.documents import validate
from groundrules.harness import Conductor, InProcessAgent, Limits, RunStore, StdioAgent, guarded, messages
from groundrules.harness.outcomes import Faulty

ROGUE = str(Path(__file__).parent / "rogue.py")
GOOD = {"valid", "agree", "passed", "nothing-to-check"}
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="descendants are seen on Linux only")


def rogue(*words, mode="none", seconds=20.0, **more):
    given = {name: more.pop(name) for name in ("octets", "memory") if name in more}
    return StdioAgent(spec(mode), [sys.executable, ROGUE, *words], limits=Limits(seconds=seconds, **given), **more)


def run(store, *words, agents=(), copies=None, retrievers=None, **more):
    setting = {} if copies is None else {"copies": copies}
    made = Conductor([rogue(*words, **more), *agents], RunStore(store), retrievers=retrievers, **setting)
    return made.invoke(ask())


def words(finished, copies=None):
    return verify_run(finished.folder, *([copies] if copies else [])).words


def test_a_good_agent_in_another_process(tmp_path):
    """Its spans are stored as it sent them, after the root."""
    finished = run(tmp_path, "good")
    assert finished.fault is None
    assert (finished.folder / "spans.jsonl").read_text().count('"name": "work"') == 2
    assert set(words(finished).values()) == GOOD


def test_an_agent_gets_what_the_chapter_says(tmp_path, monkeypatch):
    """Its request, reference, hash, name and trace parent; the variables on the list; three descriptors."""
    monkeypatch.setenv("SECRET", "s")
    monkeypatch.setenv("LISTED", "l")
    monkeypatch.setenv("LANG", "C")
    seen_file = tmp_path / "seen.json"
    finished = run(tmp_path / "runs", "shows", str(seen_file), environment=["LISTED", "UNSET"], folder=tmp_path)
    assert finished.fault is None
    seen = json.loads(seen_file.read_text())
    message = seen["message"]
    assert validate(message, "host-message") == []
    assert set(message) == {
        "v",
        "op",
        "request",
        "input_ref",
        "input_hash",
        "input_canonicalisation",
        "traceparent",
    }
    assert json.loads(message["request"])["input"] == INPUT
    assert set(seen["environment"]) - {"PATH", "LC_ALL", "TZ", "LC_CTYPE"} == {"LANG", "LISTED"}
    assert seen["folder"] == str(tmp_path)
    assert seen["descriptors"][:3] == [0, 1, 2]
    assert len(seen["descriptors"]) == 4  # the fourth reads the list


def test_a_grant_is_given_in_mode_delegation_only(tmp_path):
    """It delegates with it, and a refusal is an answer."""
    agents = [InProcessAgent(spec(agent_id="counter"), good)]
    finished = run(tmp_path, "delegates", "counter", mode="delegation", agents=agents)
    assert finished.fault is None
    assert finished.envelope["outcome"]["statement"] == "delegate.malformed-input"
    assert set(words(finished).values()) == GOOD


def test_records_are_asked_for(tmp_path):
    """A record, a query, and what is refused, in one run."""
    retrievers = {"all": lambda _: [(SNAPSHOT, "bell:scarfoot/single"), (SNAPSHOT, "bell:tarnhow/treble")]}
    with load_copies(COPIES) as copies:
        finished = run(
            tmp_path, "asks", SNAPSHOT, TENOR, mode="brokered", copies=copies, retrievers=retrievers
        )  # fmt: skip
        assert finished.fault is None
        assert finished.envelope["outcome"]["statement"] == "retrieve.malformed delegate.not-allowed"
        assert words(finished, copies)["sources"] == "verified"
        assert words(finished, copies)["grounding"] == "passed"


RESULT = '{"op": "result", "result": "{}", "spans": []}'
RETRIEVE = '{"op": "retrieve", "seq": %d, "snapshot_ref": "a", "source_id": "b"}\n'

FAULTS = [
    ("agent.timed-out", ["silent"], {"seconds": 0.5}),
    ("agent.timed-out", ["lingers"], {"seconds": 0.7}),
    ("agent.crashed", ["quiet-end"], {}),
    ("agent.crashed", ["raises"], {}),
    ("agent.crashed", ["killed"], {}),
    ("agent.crashed", ["status"], {}),
    ("agent.malformed-message", ["more"], {}),
    ("agent.output-limit", ["long"], {"octets": 100_000}),
    ("agent.malformed-message", ["says", "hello\n"], {}),
    ("agent.malformed-message", ["says", "\n"], {}),
    ("agent.malformed-message", ["says", '{"op": "result"}\n'], {}),
    ("agent.malformed-message", ["says", '{"op": "result", "result": "{}", "spans": [], "more": 1}\n'], {}),
    ("agent.malformed-message", ["says", '{"op": "sing", "seq": 1}\n'], {}),
    ("agent.malformed-message", ["says", RETRIEVE % 2], {}),
    ("agent.malformed-message", ["says", (RETRIEVE % 2).replace("2", "1.5")], {}),
    ("agent.malformed-message", ["says", (RETRIEVE % 2).replace("2", "2e0")], {}),
    ("agent.malformed-message", ["says", '{"op": "retrieve", "seq": 1, "source_id": "b"}\n'], {}),
    ("agent.malformed-message", ["says", "[" * 1000 + "\n"], {}),
    ("agent.malformed-message", ["says", f"{RESULT}\n{RESULT}\n"], {}),
    ("agent.malformed-result", ["result", "{"], {}),
    ("agent.malformed-result", ["result", "[]"], {}),
    ("agent.malformed-result", ["result", '{"status": "succeeded", "statement": "", "problem": {}}'], {}),
    ("agent.malformed-span", ["spans", "{}"], {}),
    ("agent.malformed-span", ["spans", "x"], {}),
    ("agent.malformed-span", ["spans", '{"context":\n{}}'], {}),
]


@pytest.mark.parametrize(("code", "said", "more"), FAULTS)
def test_an_agent_that_breaks_the_protocol_is_an_outcome(tmp_path, code, said, more):
    """Never a hang, never a traceback: a stored run that says agent-error, and in time."""
    begun = time.monotonic()
    finished = run(tmp_path, *said, **more)
    assert time.monotonic() - begun < 15
    assert finished.fault.code == code
    assert "\n" not in str(finished.fault)
    assert finished.envelope["problem"]["type"].endswith(":agent-error")
    assert set(words(finished).values()) == GOOD


def test_what_it_wrote_to_standard_error_is_told_and_not_stored(tmp_path):
    """The last line is for the operator."""
    finished = run(tmp_path, "raises")
    assert "ValueError: the answer is 42" in str(finished.fault)
    assert all(b"42 " not in path.read_bytes() for path in finished.folder.iterdir())


def test_an_agent_that_does_not_read_is_not_waited_for(tmp_path):
    """A request that fills the pipe, and nobody who takes it."""
    made = Conductor([rogue("deaf", seconds=0.6)], RunStore(tmp_path))
    finished = made.invoke(ask(input=INPUT | {"text": "x" * 1_000_000}))
    assert finished.fault.code == "agent.timed-out"


def test_an_agent_that_ends_without_reading_is_an_outcome(tmp_path):
    """The request cannot be written to one that is gone."""
    agent = StdioAgent(spec(), ["true"], limits=Limits(seconds=10))
    finished = Conductor([agent], RunStore(tmp_path)).invoke(ask(input=INPUT | {"text": "x" * 1_000_000}))
    assert finished.fault.code == "agent.crashed"


@pytest.mark.parametrize("command", [["/no/such/program"], ["./none"], [ROGUE + ".not"]])
def test_a_program_that_cannot_be_started_is_an_outcome(tmp_path, command):
    """The run is stored, and says so."""
    agent = StdioAgent(spec(), command)
    assert Conductor([agent], RunStore(tmp_path)).invoke(ask()).fault.code == "agent.not-started"


def test_a_folder_that_is_gone_is_an_outcome(tmp_path):
    """Where it ran before is no more."""
    agent = StdioAgent(spec(), ["true"], folder=tmp_path / "gone")
    finished = Conductor([agent], RunStore(tmp_path / "runs")).invoke(ask())
    assert finished.fault.code == "agent.not-started"


@pytest.mark.parametrize("command", [[], [""], ["x", ""]])
def test_an_empty_command_is_refused(command):
    """There is nothing to run."""
    with pytest.raises(ConfigurationError, match=r"config\.agent\b"):
        StdioAgent(spec(), command)


@LINUX
@pytest.mark.parametrize("said", [["eats", "400"], ["children-eat"]])
def test_memory_is_limited(tmp_path, said):
    """What one process holds, and what all of them hold together."""
    finished = run(tmp_path, *said, memory=150_000_000)
    assert finished.fault.code in ("agent.memory-limit", "agent.crashed")
    assert finished.fault.code == "agent.memory-limit" or "MemoryError" in str(finished.fault)


@LINUX
def test_memory_that_is_only_asked_for_is_refused(tmp_path):
    """The system refuses a process what is beyond its limit, before anybody looks."""
    fault = run(tmp_path / "a", "reserves", memory=300_000_000).fault
    assert fault.code == "agent.crashed"
    assert "MemoryError" in str(fault)
    assert run(tmp_path / "b", "reserves").fault is None


@LINUX
def test_memory_within_the_limit_is_no_matter(tmp_path):
    """The limit is looked at and not reached."""
    assert run(tmp_path, "eats", "5", memory=400_000_000).fault is None


def commands():
    """The words of every process that runs."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield path.read_bytes().decode("utf-8", "replace").split("\0")[:-1]


def is_alive(pid):
    """Whether a process is there and is no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


@LINUX
@pytest.mark.parametrize(("said", "code"), [("flees", None), ("flees-silent", "agent.timed-out")])
def test_every_descendant_is_ended(tmp_path, said, code):
    """Also one that left the group and the session, and whose parent has ended."""
    finished = run(tmp_path / "runs", said, str(tmp_path / "pid"), seconds=4.0 if code else 20.0)
    assert (finished.fault and finished.fault.code) == code
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_a_child_that_holds_the_output_open_is_ended(tmp_path):
    """The agent is done when it has ended, whoever has its streams."""
    begun = time.monotonic()
    assert run(tmp_path, "holds-output").fault is None
    assert time.monotonic() - begun < 10


@LINUX
def test_a_conductor_that_is_killed_leaves_no_agent(tmp_path):
    """Kill -9 of the conductor while an agent runs: the guard ends what is left, and the run does not exist."""
    pid = tmp_path / "pid"
    code = (
        f"import sys; sys.path[:0] = [{str(Path(__file__).parent)!r}]\n"
        f"from test_stdio import run\nrun({str(tmp_path / 'runs')!r}, 'flees-silent', {str(pid)!r})\n"
    )
    conductor = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 20
    while not (pid.exists() and pid.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    conductor.send_signal(signal.SIGKILL)
    conductor.wait()
    while is_alive(int(pid.read_text())) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(int(pid.read_text()))
    assert RunStore(tmp_path / "runs").ids() == []


@LINUX
@pytest.mark.parametrize("said", ["kills-its-guard", "stops-its-guard", "leaves-without-its-guard"])
def test_an_agent_that_attacks_its_guard_is_an_outcome(tmp_path, said, monkeypatch):
    """Without isolation it can; the run fails all the same, in time, and the agent is ended."""
    monkeypatch.setattr("groundrules.harness.guarded.GRACE", 0.5)
    monkeypatch.setattr("groundrules.harness.guard.PATIENCE", 0.5)
    finished = run(tmp_path, said, seconds=0.7)
    assert finished.fault.code in ("agent.crashed", "agent.timed-out")
    assert set(words(finished).values()) == GOOD
    assert not [words for words in commands() if words[-2:] == [ROGUE, said]]


@LINUX
def test_an_agent_that_writes_to_what_its_guard_tells_is_an_outcome(tmp_path):
    """Without isolation it can; whatever it wrote, the run ends and is stored."""
    finished = run(tmp_path, "tells-for-its-guard", seconds=4.0)
    assert finished.fault is None or finished.fault.code == "agent.crashed"
    assert set(words(finished).values()) == GOOD


def test_what_a_guard_tells_is_told_from_other_lines():
    """What is no object is passed over."""
    lines = b"{\n[]\n\xff\n" + b"[" * 9999 + b'\n{"ended": "exit"}\n'
    assert [*guarded.objects_of(lines)] == [{"ended": "exit"}]


def test_spans_that_came_with_a_result_are_stored_whatever_came_after(tmp_path):
    """An agent that then ends badly has said what it did."""
    finished = run(tmp_path, "status")
    assert finished.fault.code == "agent.crashed"
    assert (finished.folder / "spans.jsonl").read_text().count('"name": "work"') == 1


MESSAGES = [
    ("3", "it is no object"),
    ('{"op": 1}', "op is none of retrieve, delegate, result"),
    ('{"op": "result", "result": "{}", "spans": [], "seqence": 1}', '"seqence" is not known here'),
    ('{"op": "result"}', "the member result is missing, the member spans is missing"),
    ('{"op": "retrieve", "seq": 1, "retriever": "all"}', "the member query is missing"),
    ('{"op": "result", "result": "{}", "spans": [' + "0," * 500_000 + "0]}", "spans is no list of texts"),
    ('{"op": "result", "result": "{}", "spans": {}}', "spans is no list of texts"),
]


@pytest.mark.parametrize(("line", "why"), MESSAGES, ids=range(len(MESSAGES)))
def test_what_is_wrong_with_a_message_is_named(line, why):
    """The commonest mistakes of who writes an agent, each by its name."""
    with pytest.raises(Faulty) as caught:
        messages.read(line.encode())
    assert caught.value.fault.code == "agent.malformed-message"
    assert why in caught.value.fault.diagnosis
    assert len(caught.value.fault.diagnosis) < 200


def test_a_command_that_the_system_does_not_take_is_an_outcome(tmp_path):
    """A word of it that is longer than a program may be given."""
    agent = StdioAgent(spec(), ["true", "x" * 3_000_000])
    assert Conductor([agent], RunStore(tmp_path)).invoke(ask()).fault.code == "agent.not-started"


SPANS = [
    ("owned", "g0.owned-attribute"),
    ("outside", "g0.outside-tree"),
    ("foreign", "g0.foreign-trace"),
]


@pytest.mark.parametrize(("said", "code"), SPANS)
def test_spans_that_claim_what_is_not_theirs_reach_the_linter(tmp_path, said, code):
    """Conductor attributes, another trace, outside the tree: withheld, and the span is stored as it came."""
    finished = run(tmp_path, said)
    assert code in finished.grounding.codes
    assert finished.envelope["problem"]["type"].endswith(":grounding-violation")
    assert words(finished) == {
        "contract": "valid",
        "files": "agree",
        "grounding": "withheld",
        "sources": "nothing-to-check",
    }


def test_more_spans_than_a_trace_has_are_an_outcome(tmp_path, monkeypatch):
    """The root is there, and as many as there is room for."""
    monkeypatch.setattr("groundrules.harness.run.MOST_SPANS", 6)
    finished = run(tmp_path, "many-spans", "9")
    assert finished.fault.code == "agent.too-many-spans"
    assert len((finished.folder / "spans.jsonl").read_bytes().splitlines()) == 6
    assert set(words(finished).values()) == GOOD


def test_questions_have_a_limit(tmp_path, monkeypatch):
    """An agent does not ask for ever."""
    monkeypatch.setattr("groundrules.harness.stdio.MOST_QUESTIONS", 5)
    assert run(tmp_path, "asks-on").fault.code == "agent.too-many-questions"
    monkeypatch.setattr("groundrules.harness.stdio.MOST_QUESTIONS", 9)
    assert run(tmp_path, "asks-on").fault is None
