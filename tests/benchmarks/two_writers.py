"""Two processes that write one store: what they wrote, and whether anything is lost.

Usage: ``python tests/benchmarks/two_writers.py [SECONDS]``, a minute where nothing is said.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "harness"), str(ROOT / "tests")]

from agents import ask, conductor  # noqa: E402

from groundrules import verify_run  # noqa: E402
from groundrules.harness import RunStore  # noqa: E402
from groundrules.runs.storecheck import check_store  # noqa: E402


def written(folder, seconds):
    """Run until the time is over; the ids of what was stored."""
    made, until = conductor(folder), time.monotonic() + seconds
    while time.monotonic() < until:
        print(made.invoke(ask()).folder.name)


def main():
    """Start the two, wait, and look."""
    if len(sys.argv) > 2:
        written(sys.argv[1], float(sys.argv[2]))
        return
    seconds = sys.argv[1] if len(sys.argv) > 1 else "60"
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, __file__, folder, seconds]
        writers = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        ids = [line for writer in writers for line in writer.communicate()[0].split()]
        store = RunStore(folder)
        lost = set(ids) - set(store.ids())
        words = {tuple(verify_run(Path(folder) / invocation_id).words.values()) for invocation_id in ids}
        print(f"{len(ids)} runs told as stored by two processes in {seconds} s, {len(lost)} lost")
        print(f"verdicts: {sorted(words)}")
        print(f"index: {len(check_store(store)[0])} findings in {len(store.index.read_bytes().splitlines())} lines")


if __name__ == "__main__":
    main()
