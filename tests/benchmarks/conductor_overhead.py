"""What the conductor costs: runs a second of an agent in mode ``none``, and the ratio to calling the agent bare.

Usage: ``python tests/benchmarks/conductor_overhead.py [RUNS]``. Everything is measured in one process, one after the
other, three times, and the fastest is told. The store is on the disk of the folder for temporary files, where every
file is forced to the disk, and in memory where the machine has /dev/shm.
"""

import sys
import tempfile
import time
from pathlib import Path

from groundrules import content_hash, lint, read_trace, verify_run
from groundrules.harness import AgentSpec, Conductor, InProcessAgent, RunStore, request_for

INPUT = {"schema_class": "Question", "text": "Which bell is the oldest?"}
SCHEMA = {"type": "object", "required": ["schema_class", "grounded_on"], "properties": {"schema_class": {"const": "A"}}}
SPEC = AgentSpec("answerer", "1", "none", frozenset({"Question"}), "A", SCHEMA)


def agent(task):
    """Cites its input and says nothing."""
    item = task.input_item()
    cited = {name: item[name] for name in ("source_id", "content_hash")}
    payload = {"schema_class": "A", "grounded_on": [cited]}
    return {"status": "succeeded", "statement": "Done.", "payload": payload, "evidence": [item]}


def timed(runs, call):
    """Seconds of one call, the best of three rounds."""
    best = float("inf")
    for _ in range(3):
        begun = time.perf_counter()
        for _ in range(runs):
            call()
        best = min(best, (time.perf_counter() - begun) / runs)
    return best


class Bare:
    """What the agent needs of a task, made as cheaply as can be."""

    input_ref = "input:01a23086-4001-7246-ab92-11f9b8c04766"

    def input_item(self):
        return {
            "source_id": self.input_ref,
            "hash_algorithm": "sha256",
            "canonicalisation": "dd-input-json-v1",
            "content_hash": content_hash(INPUT, "dd-input-json-v1"),
            "content": INPUT,
        }


def measured(name, folder, runs):
    """What a store in a folder costs, run by run."""
    made = Conductor([InProcessAgent(SPEC, agent)], RunStore(Path(folder) / "runs"))
    finished = made.invoke(request_for("answerer", INPUT))
    octets = (finished.folder / "spans.jsonl").read_bytes()
    yield f"the conductor, store {name}", timed(runs, lambda: made.invoke(request_for("answerer", INPUT)))
    yield f"verifying one run, {name}", timed(runs, lambda: verify_run(finished.folder))
    yield "linting its trace alone", timed(runs, lambda: lint(read_trace(octets), finished.envelope))


def main():
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    bare = timed(runs * 20, lambda: agent(Bare()))
    rows = [("the agent bare", bare)]
    for name, place in (("on disk", None), ("in memory", "/dev/shm")):  # noqa: S108 - a benchmark asks for it
        if place is None or Path(place).is_dir():
            with tempfile.TemporaryDirectory(dir=place) as folder:
                rows += measured(name, folder, runs)
    for name, seconds in rows:
        print(f"{name:<32} {seconds * 1e6:9.0f} us  {1 / seconds:9.0f} a second  {seconds / bare:7.0f} times bare")


if __name__ == "__main__":
    main()
