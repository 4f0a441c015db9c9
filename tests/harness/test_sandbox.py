"""The sandbox: what an agent in Bubblewrap sees and cannot do."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from agents import ask, spec

from groundrules import ConfigurationError, verify_run
from groundrules.harness import Conductor, Limits, RunStore, Sandbox, StdioAgent
from groundrules.harness.sandbox import wrapped
from groundrules.trace import read_trace
from places import not_here

AGENT = """
import json, os, socket, sys
host = json.loads(sys.stdin.readline())
item = {
    "source_id": host["input_ref"], "hash_algorithm": "sha256", "canonicalisation": host["input_canonicalisation"],
    "content_hash": host["input_hash"],
}
def tried(do):
    try:
        do()
        return "yes"
    except OSError as error:
        return type(error).__name__
found = {
    "store": sorted(os.listdir(sys.argv[1])),
    "writes": tried(lambda: open(sys.argv[2], "w")),
    "temporary": tried(lambda: open("/tmp/x", "w")),
    "processes": len([name for name in os.listdir("/proc") if name.isdigit()]) < 9,
    "network": os.path.exists("/sys/class/net") and sorted(name for _, name in socket.if_nameindex()) == ["lo"],
}
result = {
    "status": "succeeded", "statement": json.dumps(found), "evidence": [item],
    "payload": {"schema_class": "Answer", "grounded_on": [{k: item[k] for k in ("source_id", "content_hash")}]},
}
print(json.dumps({"op": "result", "result": json.dumps(result), "spans": []}))
"""


@pytest.fixture
def bubblewrap():
    program = shutil.which("bwrap")
    works = program and subprocess.run([program, "--unshare-all", "--ro-bind", "/", "/", "true"], check=False)
    if not works or works.returncode:
        not_here("Bubblewrap (bwrap), or user namespaces for it")


def boxed(tmp_path, **more):
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "agent.py").write_text(AGENT)
    store = tmp_path / "runs"
    sandbox = Sandbox(hidden=(store,), **more)
    command = [os.path.realpath(sys.executable), "agent.py", str(store), str(tmp_path / "agent" / "new")]
    return StdioAgent(spec(), command, folder=tmp_path / "agent", sandbox=sandbox, limits=Limits(seconds=20))


@pytest.mark.usefixtures("bubblewrap")
def test_an_agent_in_a_sandbox_sees_little(tmp_path):
    """No store, no other processes, no network, nothing to write but its own /tmp; and the run says so."""
    made = Conductor([boxed(tmp_path)], RunStore(tmp_path / "runs"))
    made.invoke(ask())
    finished = made.invoke(ask())
    assert finished.fault is None, finished.fault
    found = json.loads(finished.envelope["outcome"]["statement"])
    assert found.pop("writes") in ("OSError", "PermissionError")
    assert found == {"store": [], "temporary": "yes", "processes": True, "network": True}
    root = read_trace((finished.folder / "spans.jsonl").read_bytes())[0]
    assert root.attributes["groundrules.isolation"] == finished.isolation == "bubblewrap"
    assert verify_run(finished.folder).words["files"] == "agree"


@pytest.mark.usefixtures("bubblewrap")
def test_the_network_is_said_to_be_there(tmp_path):
    """Isolation with the network is called by another name."""
    made = Conductor([boxed(tmp_path, network=True)], RunStore(tmp_path / "runs"))
    assert made.invoke(ask()).isolation == "bubblewrap, with network"


def stub(tmp_path, monkeypatch, text):
    (tmp_path / "bin").mkdir()
    if text:
        program = tmp_path / "bin" / "bwrap"
        program.write_text(text)
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


@pytest.mark.parametrize("text", ["", "#!/bin/sh\necho 'no namespaces' >&2\nexit 1\n"])
def test_a_sandbox_that_cannot_be_made_stops_the_start(tmp_path, monkeypatch, text):
    """Nothing runs without the isolation that was asked for."""
    stub(tmp_path, monkeypatch, text)
    with pytest.raises(ConfigurationError, match=r"config\.sandbox"):
        boxed(tmp_path)


def test_the_command_is_wrapped(tmp_path, monkeypatch):
    """Read-only files, the folder in sight, the store hidden, the command last."""
    stub(tmp_path, monkeypatch, "#!/bin/sh\nfor word; do :; done\nexit 0\n")
    assert boxed(tmp_path).isolation == "bubblewrap"
    words = wrapped(["a", "b"], tmp_path, Sandbox(hidden=(Path("/x"),), network=True))
    assert words[-2:] == ["a", "b"]
    assert "--share-net" in words
    assert words[words.index("/x") - 1] == "--tmpfs"


def test_an_agent_in_a_folder_that_is_hidden_stops_the_start(tmp_path):
    """It would not find its own program."""
    with pytest.raises(ConfigurationError, match=r"lies in the store.*config\.sandbox"):
        wrapped(["a"], tmp_path / "runs" / "agent", Sandbox(hidden=(tmp_path / "runs",)))
