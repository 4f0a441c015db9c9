"""Kill -9 at every step of a run's life: nothing finished is lost, nothing else is there, the next start goes on."""

import re

import pytest
from kills import AGENT, killed_at, steps

from places import ROOT, UNDER_TEST

STEPS = [
    "reserved",
    AGENT,
    "folder made",
    "request.json written",
    "envelope.json written",
    "spans.jsonl written",
    "grounding.json written",
    "grounding.txt written",
    "sources.json written",
    "sources.txt written",
    "renamed",
    "index line begun",
    "indexed",
    "finished",
]
FINISHED = STEPS.index("renamed")


def test_these_are_the_steps(tmp_path):
    """None is left out below."""
    assert steps(tmp_path) == STEPS


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_loses_nothing_and_leaves_nothing(tmp_path, step):
    """A run is stored from the moment its folder has its name, and not before."""
    left = killed_at(tmp_path, step)
    assert left.was_killed
    assert left.is_there == (STEPS.index(step) >= FINISHED)
    assert left.words == (("valid", "agree", "passed", "nothing-to-check") if left.is_there else ())
    assert left.remains == ()
    assert left.findings == ()
    assert left.again == ("request.reused" if left.is_there else None)


@pytest.mark.skipif(bool(UNDER_TEST), reason="concerns the checkout")
def test_the_table_in_the_chapter_has_these_steps():
    """Each step is a row, in this order."""
    chapter = (ROOT / "spec" / "store.md").read_text(encoding="utf-8")
    table = chapter.partition("<!-- kills -->")[2].partition("<!-- /kills -->")[0]
    assert re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)[2:] == STEPS
