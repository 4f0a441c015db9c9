"""The table of *Store* on what a kill leaves, from killing a conductor at each step of a run.

Usage: ``python tests/benchmarks/kill_table.py`` prints the table; with ``--write`` it stands in the chapter.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "runs")]

from kills import killed_at, steps  # noqa: E402


def row(step):
    """What was found for one step."""
    with tempfile.TemporaryDirectory() as folder:
        left = killed_at(folder, step)
    run = "stored, " + ", ".join(left.words) if left.is_there else "not there"
    index = "has its line" if left.was_indexed else ("gets its line" if left.is_there else "has no line")
    again = "refused" if left.again else "can be run"
    is_clean = left.was_killed and not left.remains and not left.findings
    return f"| {step} | {run} | {index} | {'clean' if is_clean else 'NOT CLEAN'}; the same id {again} |"


def main():
    """Print the table, or write it."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(step) for step in steps(folder)]
    head = ["| killed after | the run | the index | the next start |", "| --- | --- | --- | --- |"]
    table = "\n".join([*head, *rows])
    if sys.argv[1:] == ["--write"]:
        path = ROOT / "spec" / "store.md"
        before, _, rest = path.read_text(encoding="utf-8").partition("<!-- kills -->")
        after = rest.partition("<!-- /kills -->")[2]
        path.write_text(f"{before}<!-- kills -->\n\n{table}\n\n<!-- /kills -->{after}", encoding="utf-8")
    else:
        print(table)


if __name__ == "__main__":
    main()
