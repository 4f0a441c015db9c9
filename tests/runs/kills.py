"""A conductor that is killed at one step of a run's life, in a process of its own; and what it leaves."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "harness"), str(Path(__file__).parents[1])]

from agents import ask, conductor, good, spec  # noqa: E402

from groundrules import RequestError, verify_run  # noqa: E402
from groundrules.harness import Conductor, InProcessAgent, RunStore  # noqa: E402
from groundrules.runs.storecheck import check_store  # noqa: E402

AGENT = "the agent running"


def dying(folder, step, request):
    """Run, in this process, and be killed at a step."""

    def on(done):
        if done == step:
            os.kill(os.getpid(), signal.SIGKILL)

    def agent(task):
        on(AGENT)
        return good(task)

    Conductor([InProcessAgent(spec(), agent)], RunStore(folder, on=on)).invoke(request)


@dataclass(frozen=True)
class Left:
    """What a killed conductor left, before and after the next start.

    Attributes:
        was_killed: by the signal.
        is_there: the run is stored.
        was_indexed: it stood in the index before the next start.
        words: the four words of the stored run.
        remains: parts and marks that the next start left behind.
        findings: what index and runs disagree about after the next start and one run more.
        again: what came of asking for the same run again: ``None``, or the code of the refusal.
    """

    was_killed: bool
    is_there: bool
    was_indexed: bool
    words: tuple
    remains: tuple
    findings: tuple
    again: str | None


def killed_at(folder, step):
    """Kill a conductor at a step, start another on its store, and look."""
    request = ask()
    words = [sys.executable, __file__, str(folder), step, json.dumps(request)]
    done = subprocess.run(words, capture_output=True, check=False)
    index, run = Path(folder) / "invocations.jsonl", Path(folder) / request["invocation_id"]
    was_indexed = index.exists() and request["invocation_id"].encode() in index.read_bytes()
    made = conductor(folder)
    made.invoke(ask())
    is_there = run.is_dir()
    told = tuple(verify_run(run).words.values()) if is_there else ()
    remains = (*Path(folder).glob(".*.partial"), *(Path(folder) / ".running").iterdir())
    findings = tuple(str(finding) for finding in check_store(RunStore(folder))[0])
    again = None
    try:
        made.invoke(request)
    except RequestError as error:
        again = error.code
    return Left(done.returncode == -signal.SIGKILL, is_there, was_indexed, told, remains, findings, again)


def steps(folder):
    """The steps of a run, in their order; the agent runs after the first."""
    seen = []
    Conductor([InProcessAgent(spec(), good)], RunStore(folder, on=seen.append)).invoke(ask())
    return [seen[0], AGENT, *seen[1:]]


if __name__ == "__main__":
    dying(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
