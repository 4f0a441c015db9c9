"""The guard as a program of its own: what it tells of the agent, and that it ends with the conductor."""

import json
import os
import subprocess
import sys

import coverage
import pytest

from groundrules.harness import guard
from places import ROOT


def program():
    """How Python runs the guard; where coverage is measured, under its eyes."""
    measuring = coverage.Coverage.current()
    if measuring is None:
        return ["-I", "-S", guard.__file__]
    files = [f"--rcfile={ROOT / 'pyproject.toml'}", f"--data-file={measuring.config.data_file}"]
    return ["-m", "coverage", "run", "--parallel-mode", *files, "-m", "groundrules.harness.guard"]


def guarded(command, *, control=None, seconds=20.0, memory=None):
    """What the guard of a command tells, and how it ended; with ``control`` closed at once where it is False."""
    read, write = os.pipe()
    status, tell = os.pipe()
    wanted = {"command": command, "seconds": seconds, "memory": memory, "control": read, "status": tell}
    process = subprocess.Popen(
        [sys.executable, *program(), json.dumps(wanted)],
        pass_fds=(read, tell),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    os.close(read)
    os.close(tell)
    if control is False:
        os.close(write)
    with os.fdopen(status, "rb") as lines:
        told = [json.loads(line) for line in lines]
    if control is None:
        os.close(write)
    assert process.wait(20) == 0
    return told


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="descendants are seen on Linux only")


@pytest.mark.parametrize(
    ("command", "last"),
    [
        (["true"], {"ended": "exit", "status": 0}),
        (["sh", "-c", "exit 7"], {"ended": "exit", "status": 7}),
        (["sh", "-c", "kill -9 $$"], {"ended": "exit", "status": -9}),
    ],
)
def test_the_end_of_an_agent_is_told(command, last):
    """Its process id first, then how it ended."""
    first, told = guarded(command)
    assert first["pid"] > 1
    assert told == last


def test_an_agent_that_cannot_be_started_is_told():
    """There is no process, and the reason is."""
    assert guarded(["/no/such/program"]) == [{"ended": "not-started", "why": "no such file or directory"}]


def test_time_is_over():
    """The guard ends what has no end."""
    assert guarded(["sleep", "60"], seconds=0.2)[-1] == {"ended": "timed-out"}


def test_a_conductor_that_is_gone_is_an_order_to_end():
    """The closed pipe is all it needs to know."""
    assert guarded(["sleep", "60"], control=False)[-1] == {"ended": "told"}


@LINUX
def test_memory_is_looked_at():
    """An agent that holds more than it may is ended; one that holds less is not."""
    eats = [sys.executable, "-c", "held = b'x' * 90_000_000; import time; time.sleep(60)"]
    assert guarded(["sh", "-c", f'{eats[0]} -c "{eats[2]}" & wait'], memory=100_000_000)[-1] == {"ended": "memory"}
    assert guarded(["sleep", "0.2"], memory=400_000_000)[-1] == {"ended": "exit", "status": 0}


@LINUX
def test_orphans_are_reaped():
    """Processes whose parents have ended are the guard's to bury, before and after the agent's own end."""
    told = guarded(["sh", "-c", "(sleep 0.1 &) ; (sleep 60 &) ; sleep 0.4"])
    assert told[-1] == {"ended": "exit", "status": 0}
