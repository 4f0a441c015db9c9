"""``request`` and ``run``: what they print, how they end, and that bad input is one line."""

import json
import os
import subprocess
import sys
import threading

import pytest

from groundrules.cli import leave
from groundrules.documents import validate
from places import ROOT

EXAMPLES = ROOT / "tests" / "examples"
COUNTER = EXAMPLES / "counter" / "agent.json"
ARCHIVIST = EXAMPLES / "archivist" / "agent.json"
QUESTION = EXAMPLES / "librarian" / "input.json"
COPIES = EXAMPLES / "copies.json"


@pytest.fixture
def asked(command):
    """The octets of a fresh request."""

    def ask(agent=COUNTER, asked=EXAMPLES / "counter" / "input.json", *more):
        ran = command("request", asked, "--agent", agent, *more)
        assert (ran.code, ran.err) == (0, "")
        return ran.out

    return ask


def test_a_request_is_made(asked):
    """It satisfies its schema, and no two are one."""
    first, second = (
        json.loads(asked(COUNTER, EXAMPLES / "counter" / "input.json", "--conversation", "c")) for _ in "ab"
    )
    assert validate(first, "request") == []
    assert first["conversation_id"] == "c"
    assert first["invocation_id"] != second["invocation_id"]


def test_a_run_is_told_and_stored(command, asked, tmp_path):
    """Where it is, its outcome, its two verdicts apart, and the head of the index."""
    ran = command("run", "-", "--agent", COUNTER, "--store", tmp_path, stdin=asked())
    assert (ran.code, ran.err) == (0, "")
    heads = [line.partition(":")[0] for line in ran.text.splitlines()]
    assert heads == ["run", "outcome", "grounding", "sources", "index head"]
    assert command("runs", "verify", "--store", tmp_path).code == 0


def test_a_run_as_data(command, asked, tmp_path):
    """The envelope, both verdicts, the head."""
    words = ["--agent", ARCHIVIST, "--copies", COPIES, "--store", tmp_path, "--json"]
    ran = command("run", "-", *words, stdin=asked(ARCHIVIST, QUESTION))
    told = json.loads(ran.text)
    assert ran.code == 0
    assert (told["format"], told["isolation"], told["fault"]) == ("run/1", "none", None)
    assert validate(told["envelope"], "envelope") == []
    assert validate(told["grounding"], "grounding-verdict") == []
    assert validate(told["sources"], "source-verdict") == []
    assert told["sources"]["status"] == "verified"


def agent(tmp_path, name, text, **changes):
    """A specification like the counter's with a function of its own."""
    (tmp_path / f"{name}.py").write_text(text)
    document = json.loads(COUNTER.read_bytes()) | changes | {"run": {"kind": "python", "function": f"{name}.py:do"}}
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(document))
    return path


INVENTS = """
def do(task):
    item = task.input_item()
    return {
        "status": "succeeded", "statement": "s", "evidence": [item],
        "payload": {"schema_class": "WordCount", "words": 1, "grounded_on": [
            {"source_id": "never-read", "content_hash": item["content_hash"]}]},
    }
"""
FAILS = "def do(task):\n    raise ValueError('no\\nway')\n"
UNRESOLVED = """
def do(task):
    item = task.input_item() | {"source_id": "a", "canonicalisation": "dd-json-document-v1"}
    pair = {name: item[name] for name in ("source_id", "content_hash")}
    declared = {f"dd.{name}": value for name, value in pair.items()}
    task.tracer.start_span("retrieval", attributes=declared).end()
    return {
        "status": "succeeded", "statement": "s", "evidence": [item],
        "payload": {"schema_class": "WordCount", "words": 1, "grounded_on": [pair]},
    }
"""


def test_a_withheld_result_and_a_faulty_agent_end_with_1(command, asked, tmp_path):
    """What was withheld is not shown; what an agent raised is, in one line, to whoever ran it."""
    ran = command("run", "-", "--agent", agent(tmp_path, "invents", INVENTS), "--store", tmp_path / "a", stdin=asked())
    assert ran.code == 1
    assert "never-read" not in ran.text
    assert "r2.reference" in ran.text
    ran = command("run", "-", "--agent", agent(tmp_path, "fails", FAILS), "--store", tmp_path / "b", stdin=asked())
    assert ran.code == 1
    assert "  the agent raised an exception: ValueError: no way [agent.raised]" in ran.text.splitlines()


def test_unresolved_sources_are_unchecked_where_they_are_required(command, asked, tmp_path):
    """By the list's own profile."""
    copies = json.loads(COPIES.read_bytes()) | {"profile": {"require_resolved": True}}
    copies["sources"][0]["path"] = str(EXAMPLES / "bells.jsonl")
    (tmp_path / "copies.json").write_text(json.dumps(copies))
    path = agent(tmp_path, "unresolved", UNRESOLVED, grounding_mode="retrieval")
    words = ["--agent", path, "--store", tmp_path / "runs"]
    assert command("run", "-", *words, stdin=asked()).code == 0
    assert command("run", "-", *words, "--copies", tmp_path / "copies.json", stdin=asked()).code == 3


BAD = [
    (b"", "read.empty", []),
    (b"{", "read.syntax", []),
    (b"[]", "request.malformed", []),
    (b'{"format": "request/1", "format": "request/1"}', "read.duplicate-name", []),
    (b"{}", "config.agent-mode", ["--agent", "MODELESS"]),
    (b"{}", "usage.no-file", ["--agent", "none.json"]),
    (b"{}", "config.pin-mismatch", ["--copies", "WRONG"]),
    (b"{}", "usage.no-file", ["--copies", "none.json"]),
    (b"{}", "config.sandbox", ["--sandbox"]),
    (b"{}", "config.agent", ["--agent", COUNTER]),
    (b"{}", "usage.unwritable", ["--store", COUNTER]),
    (b"{}", "usage.arguments", ["--none"]),
]


@pytest.mark.parametrize(("octets", "code", "words"), BAD)
def test_bad_input_is_one_line_and_2(command, tmp_path, octets, code, words):
    """Nothing is run and nothing is stored; a pin that does not match stops the start."""
    document = json.loads(COUNTER.read_bytes())
    del document["grounding_mode"]
    (tmp_path / "modeless.json").write_text(json.dumps(document))
    copies = json.loads(COPIES.read_bytes())
    copies["sources"][0] |= {"sha256": "0" * 64, "path": str(EXAMPLES / "bells.jsonl")}
    (tmp_path / "wrong.json").write_text(json.dumps(copies))
    named = {"MODELESS": tmp_path / "modeless.json", "WRONG": tmp_path / "wrong.json"}
    store = [] if "--store" in words else ["--store", tmp_path / "runs"]
    ran = command("run", "-", "--agent", COUNTER, *[named.get(word, word) for word in words], *store, stdin=octets)
    assert ran.code == 2
    assert ran.out == b""
    assert ran.err.count("\n") == 1
    assert f"[{code}]" in ran.err
    assert not list(tmp_path.glob("runs/0*"))


def test_a_request_that_is_used_again_is_refused(command, asked, tmp_path):
    """The file is named in the line."""
    path = tmp_path / "request.json"
    path.write_bytes(asked())
    words = ["run", path, "--agent", COUNTER, "--store", tmp_path / "runs"]
    assert command(*words).code == 0
    ran = command(*words)
    assert ran.code == 2
    assert ran.err.startswith(f"groundrules: {path}, at /invocation_id: ")
    assert "[request.reused]" in ran.err


def test_an_agent_file_that_states_no_id_makes_no_request(command, tmp_path):
    """One line for it, and for an input that is none."""
    (tmp_path / "agent.json").write_text("[]")
    ran = command("request", "-", "--agent", tmp_path / "agent.json", stdin=b"{}")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "[usage.wrong-type]" in ran.err
    ran = command("request", "-", "--agent", COUNTER, stdin=b"{")
    assert (ran.code, ran.err.count("\n")) == (2, 1)


def test_the_command_needs_no_harness_for_others():
    """Commands that run nothing load no OpenTelemetry."""
    code = "import sys, groundrules.cli; print([name for name in sys.modules if 'opentelemetry' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")
def test_a_sandbox_finds_the_store_made(command, asked, tmp_path, monkeypatch):
    """The folder that is hidden from the agent is there before the agent is loaded."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "bwrap"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    run = {"kind": "stdio", "command": ["/bin/true"]}
    path = tmp_path / "agent.json"
    path.write_text(json.dumps(json.loads(COUNTER.read_bytes()) | {"run": run}))
    ran = command("run", "-", "--agent", path, "--sandbox", "--store", tmp_path / "runs", stdin=asked())
    assert (ran.code, ran.err) == (1, "")
    assert "[agent.crashed]" in ran.text
    ran = command("run", "-", "--agent", path, "--sandbox", "--store", tmp_path, stdin=asked())
    assert ran.code == 2
    assert "[config.sandbox]" in ran.err


def test_what_an_agent_prints_is_no_part_of_what_is_told(command, asked, tmp_path):
    """It goes to standard error, so that data stays data."""
    text = "def do(task):\n    print('loud')\n    raise ValueError\n"
    path = agent(tmp_path, "loud", text)
    ran = command("run", "-", "--agent", path, "--store", tmp_path / "runs", "--json", stdin=asked())
    assert json.loads(ran.text)["format"] == "run/1"
    assert ran.err == "loud\n"


def test_a_thread_that_an_agent_left_keeps_nobody_waiting(asked, tmp_path):
    """The command ends when the run has ended, with all that it has to say."""
    text = "import threading, time\ndef do(task):\n    threading.Thread(target=time.sleep, args=(60,)).start()\n"
    path = agent(tmp_path, "stays", text)
    code = "from groundrules.cli import main; main()"
    words = [sys.executable, "-c", code, "run", "-", "--agent", path, "--store", tmp_path / "runs"]
    done = subprocess.run(words, input=asked(), capture_output=True, check=False, timeout=30)
    assert done.returncode == 1
    assert b"index head: " in done.stdout


def test_the_process_ends_at_once_where_a_thread_goes_on(monkeypatch):
    """With the code of the command; where no thread goes on, it ends as usual."""
    codes, stop = [], threading.Event()
    monkeypatch.setattr(os, "_exit", codes.append)
    monkeypatch.setattr(threading, "enumerate", lambda: [threading.main_thread()])
    with pytest.raises(SystemExit) as caught:
        leave(3)
    assert (caught.value.code, codes) == (3, [])
    going = threading.Thread(target=stop.wait)
    going.start()
    monkeypatch.setattr(threading, "enumerate", lambda: [threading.main_thread(), going])
    leave(4)
    stop.set()
    going.join()
    assert codes == [4]


def test_a_request_that_would_be_refused_is_not_made(command):
    """An input that no schema of a request takes, and a conversation without a name."""
    ran = command("request", "-", "--agent", COUNTER, "--conversation", "", stdin=b'{"schema_class": "Text"}')
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, b"", 1)
    assert "at /conversation_id" in ran.err
    assert "[request.malformed]" in ran.err
    ran = command("request", "-", "--agent", COUNTER, "--conversation", "\udcff", stdin=b'{"schema_class": "Text"}')
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, b"", 1)
    assert "[usage.arguments]" in ran.err
    ran = command("request", "-", "--agent", COUNTER, stdin=b"3")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, b"", 1)
