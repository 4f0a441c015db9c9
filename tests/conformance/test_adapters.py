"""Adapters that misbehave: each has its result, the others their answers, and the run ends with nothing left over."""

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from groundrules.conformance import protocol
from groundrules.conformance.adapter import Adapter, Failed, Limits
from groundrules.conformance.builtin import answer
from groundrules.conformance.runner import ask_adapter, ask_builtin
from groundrules.conformance.score import Outcome
from groundrules.conformance.sets import named_set
from groundrules.conformance.vectors import load
from groundrules.documents import kit
from groundrules.errors import KitError, UsageError
from groundrules.processes import ending

NAUGHTY = [sys.executable, str(Path(__file__).parent / "naughty.py")]
VECTORS = {vector.id: vector for vector in load().vectors}
GOOD = [vector for vector in VECTORS.values() if vector.kind == "parse" and not vector.is_negative][:4]
LIMITS = Limits(seconds=2.0, octets=1_000_000)


def outcomes(mode, vectors=GOOD, **options):
    answered = ask_adapter([*NAUGHTY, mode], vectors, limits=LIMITS, **options)
    return [result.outcome.value for result in answered.results], [result.detail for result in answered.results]


@pytest.mark.parametrize(
    ("mode", "result", "detail"),
    [
        ("garbage", "error", "it is no JSON text"),
        ("not-an-object", "error", "it is no JSON object"),
        ("hang", "timeout", "there was no answer within 2 s"),
        ("die", "crash", "it closed its output and ended with status 7: out of luck"),
        ("killed", "crash", "it closed its output and ended with signal SIGKILL"),
        ("flood", "error", "it wrote a line of more than 1000000 bytes"),
        ("out-of-order", "error", "it answers 3 where 2 was asked"),
        ("no-seq", "error", "neither a hello nor an answer"),
        ("boolean-seq", "error", "neither a hello nor an answer"),
        ("twice", "error", "it wrote more than one line"),
        ("close-stdout", "crash", "it closed its output"),
        ("error", "error", "the adapter reports an error: I do not want to"),
        ("error-without-detail", "error", "neither a hello nor an answer"),
        ("skip", "skipped", "not today"),
        ("indeterminate", "fail", "indeterminate 1 and 1.0 look alike"),
        ("duplicate-name", "error", "stands twice"),
        ("half-a-line", "crash", "it closed its output"),
    ],
)
def test_what_goes_wrong_has_its_result_and_the_others_their_answers(mode, result, detail):
    """The misbehaving answer is told, the process is ended and started anew, and the rest is asked."""
    found, details = outcomes(mode)
    assert found == ["pass", result, "pass", "pass"]
    assert detail in details[1]
    assert "\x1b" not in details[1]


@pytest.mark.parametrize(
    ("mode", "result", "detail"),
    [("twice-later", "error", "it wrote what it was not asked for"), ("close-stdin", "crash", "it closed its input")],
)
def test_what_shows_at_the_next_question_has_its_result_there(monkeypatch, mode, result, detail):
    """A second answer that comes late, and an adapter that stops listening."""
    real = Adapter.ask

    def slowly(*words, **named):
        time.sleep(0.5)
        return real(*words, **named)

    monkeypatch.setattr(Adapter, "ask", slowly)
    found, details = outcomes(mode)
    assert found == ["pass", "pass", result, "pass"]
    assert detail in details[2]


def test_what_is_written_after_the_last_answer_spoils_it():
    """Whoever answers and goes on writing has not answered."""
    found, details = outcomes("twice-later", GOOD[:2])
    assert found == ["pass", "error"]
    assert "it wrote what it was not asked for" in details[1]


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_leaves_nothing_behind(monkeypatch, told):
    """Every adapter is ended when the kit is stopped, also one that hangs."""
    monkeypatch.setenv("MARK", f"mark-{os.getpid()}-{time.monotonic_ns()}")
    unignored = "import signal as s; s.signal(s.SIGTERM, s.SIG_DFL); s.signal(s.SIGHUP, s.SIG_DFL)"  # under nohup
    script = f"{unignored}; from groundrules.cli import main; main()"
    words = ["conform", "--include", "ijson.depth.*", "--jobs", "2", "--timeout", "60", "--adapter"]
    command = [sys.executable, "-c", script, *words, f"{' '.join(NAUGHTY)} hang-with-child"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        for _ in range(200):
            time.sleep(0.1)
            if _marked():
                break
        process.send_signal(told)
        assert process.wait(20) == 130
    time.sleep(0.3)
    assert _marked() == []


def test_an_interrupt_reaches_the_caller_and_starts_nothing_again(monkeypatch):
    """The process that hangs is ended, the one that is done is left, and what waits is not asked of a new one."""
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    monkeypatch.setenv("MARK", mark)
    ended = []

    def interrupted(worker):
        while not _marked():
            time.sleep(0.05)
        ended.append(worker)
        raise KeyboardInterrupt

    monkeypatch.setattr("groundrules.conformance.runner._Worker.join", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask_adapter([*NAUGHTY, "hang-with-child"], GOOD, limits=Limits(60.0, 1_000_000), jobs=1)
    threading.Thread.join(ended[0], 20)
    ended[0].abandon()
    assert not ended[0].is_alive()
    assert [result.outcome.value for result in ended[0].results] == ["pass", "crash", "error", "error"]
    assert _marked() == []


def test_standard_error_is_the_adapters_own():
    """Ten megabytes on it block nobody."""
    assert outcomes("flood-stderr")[0] == ["pass"] * 4


@pytest.mark.parametrize(
    ("mode", "detail"),
    [
        ("no-hello", "it closed its output and ended with status 3"),
        ("other-protocol", "it speaks protocol 2, and this kit speaks 1"),
        ("no-json-as-hello", "it is no JSON text"),
        ("hello-as-answer", "an answer came where a hello was asked for"),
        ("error-as-hello", "I speak protocol 7"),
        ("early", ""),
    ],
)
def test_an_adapter_that_does_not_say_hello_is_not_asked_for_ever(mode, detail):
    """Three tries, and every vector has a result."""
    found, details = outcomes(mode)
    assert set(found) <= {"error", "crash"}
    assert detail in details[0]
    assert "is not started again" in details[3]


def test_each_process_says_the_same_hello(tmp_path, monkeypatch):
    """Whoever declares less when it is started again has not declared what it was asked."""
    monkeypatch.setenv("ONCE", str(tmp_path / "once"))
    found, details = outcomes("changing-hello")
    assert found == ["pass", "crash", "error", "error"]
    assert "it says another hello than it said at first" in details[2]


def test_what_is_not_declared_is_not_asked():
    """Neither a kind nor a feature that the hello does not name."""
    found, details = outcomes("other-kinds")
    assert found == ["not-applicable"] * 4
    assert details[0] == "it does not declare the kind parse"
    special = [dataclasses.replace(GOOD[0], features=("teleport",))]
    found, details = outcomes("x", special)
    assert (found, details) == (["not-applicable"], ["it does not declare the feature teleport"])


def test_a_hung_child_is_ended_with_its_parent(monkeypatch):
    """Every process of the group ends, also one that the adapter started."""
    monkeypatch.setenv("MARK", f"mark-{os.getpid()}-{time.monotonic_ns()}")
    assert outcomes("hang-with-child")[0][1] == "timeout"
    time.sleep(0.2)
    assert _marked() == []


def _marked():
    """The running processes that a misbehaving adapter started for this test."""
    mark = os.environ["MARK"].encode()
    return [path for path in Path("/proc").glob("[0-9]*/cmdline") if mark in _cmdline(path)]


def _cmdline(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_an_adapter_that_does_not_end_is_ended():
    """After bye it has a moment, and then no more."""
    start = time.monotonic()
    assert outcomes("no-end")[0][0] == "pass"
    assert time.monotonic() - start < 30


def test_a_large_question_to_a_deaf_adapter_times_out():
    """A pipe that is full is no reason to wait for ever."""
    big = VECTORS["canon.jcs.limits.hundred-thousand-eighths"]
    with Adapter([*NAUGHTY, "deaf"], LIMITS) as adapter:
        with pytest.raises(Failed) as caught:
            adapter.ask(big, 2)
        assert caught.value.result == "timeout"


def test_an_answer_before_the_question_was_read_is_an_error():
    """Whoever answers half a question answers another one."""
    script = (
        "import sys, json; sys.stdin.readline(); print(json.dumps("
        "{'protocol': 1, 'implementation': {'name': 'x', 'version': '1'}, 'kinds': ['canonicalise'], 'features': []}"
        '), flush=True); sys.stdin.buffer.raw.read(10); print(\'{"seq": 1, "verdict": "pass"}\', flush=True);'
        "import time; time.sleep(60)"
    )
    big = VECTORS["canon.jcs.limits.hundred-thousand-eighths"]
    early = pytest.raises(Failed, match="before it had read the question")
    with Adapter([sys.executable, "-c", script], LIMITS) as adapter, early:
        adapter.ask(big, 1)


@pytest.mark.parametrize("command", [["/nonexistent/adapter"], ["a\0b"], [str(Path(__file__).parent)]])
def test_a_command_that_cannot_be_started_is_one_error(command):
    """It is the command line's fault and not a result."""
    with pytest.raises(UsageError, match=r"cannot be started: .*usage\.adapter"):
        ask_adapter(command, GOOD, limits=LIMITS)


def test_several_processes_answer_together_what_one_answers():
    """However many are asked at once, the results are the same and in the order of ids."""
    command = [sys.executable, "-c", "from groundrules.cli import main; main()", "wrong", "none"]
    vectors = [vector for vector in VECTORS.values() if vector.family in ("ijson", "gate")]
    one = ask_adapter(command, vectors, limits=Limits())
    three = ask_adapter(command, vectors, limits=Limits(), jobs=3, show_ids=True)
    assert one.results == three.results == ask_builtin(vectors).results
    assert one.implementation["name"] == "groundrules-wrong-none"
    assert ask_adapter(command, [], limits=Limits()).results == ()


def test_the_kit_blames_itself_for_its_own_messages(monkeypatch):
    """A message that would not satisfy the schema is the kit's error, before anything is sent."""
    blamed = r"the kit's own message is malformed.*kit\.protocol"
    with pytest.raises(KitError, match=blamed):
        protocol.case(GOOD[0], 0, show_id=False)
    monkeypatch.setattr(protocol, "PROTOCOL", 2)
    with pytest.raises(KitError, match=blamed):
        ask_adapter([*NAUGHTY, "x"], GOOD[:1], limits=LIMITS)


def test_ids_say_nothing_unless_asked():
    """The adapter cannot look an expectation up by its id."""
    assert GOOD[0].id.encode() not in protocol.case(GOOD[0], 1, show_id=False)
    assert GOOD[0].id.encode() in protocol.case(GOOD[0], 1, show_id=True)


def test_signals_have_names():
    """A status is told as what it is."""
    assert (ending(0), ending(-9), ending(-200)) == ("status 0", "signal SIGKILL", "signal 200")


def test_a_pass_of_the_smoke_set_is_every_kind():
    """The smoke set asks every kind that the verifier answers but one, lest an adapter's bug hide."""
    smoke = [VECTORS[id_] for id_ in named_set(kit().vectors, "smoke").vectors]
    assert {vector.kind for vector in smoke} == {vector.kind for vector in VECTORS.values()}
    assert all(Outcome(result.outcome) is Outcome.PASS for result in ask_builtin(smoke).results)
    assert len(smoke) < 30
    assert answer(smoke[0].kind, smoke[0].inputs)
