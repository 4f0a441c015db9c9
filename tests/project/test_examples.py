"""Every command and program shown in the documents is run, and prints what stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from places import ROOT, UNDER_TEST

pytestmark = pytest.mark.skipif(bool(UNDER_TEST), reason="concerns the checkout")

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "spec").rglob("*.md"))]
BIN = Path(sys.executable).parent


def blocks(path, language):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def sessions():
    for path in DOCUMENTS:
        for block in blocks(path, "console"):
            for shown in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, expected = shown.partition("\n")
                yield pytest.param(command, expected, id=f"{path.name}: {command[:60]}")


@pytest.mark.parametrize(("command", "expected"), list(sessions()))
def test_a_shown_command_prints_what_is_shown(command, expected):
    """A command in a document, run from the checkout, prints the lines below it."""
    environment = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.stdout.removesuffix("\n") == expected.removesuffix("\n")


def test_the_adapter_in_the_chapter_is_one(tmp_path):
    """The forty lines pass the vectors that they say they pass, and are few."""
    (program,) = blocks(ROOT / "spec" / "protocol.md", "python")
    path = tmp_path / "newcomer.py"
    path.write_text(program, encoding="utf-8")
    assert program.count("\n") <= 60
    words = [str(BIN / "groundrules"), "conform", "--adapter", f"{sys.executable} {path}"]
    patterns = ["--include", "canon.pyjson.names.*", "--include", "canon.pyjson.structure.*"]
    done = subprocess.run([*words, *patterns], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


PROGRAMS = re.findall(
    r"```python\n(.*?)```\n\nIt prints:\n\n```text\n(.*?)```",
    (ROOT / "README.md").read_text(encoding="utf-8"),
    re.DOTALL,
)


def test_every_program_in_the_readme_has_its_output_beside_it():
    """None is shown that is not run."""
    assert len(PROGRAMS) == len(blocks(ROOT / "README.md", "python")) == 3


@pytest.mark.parametrize(("program", "expected"), PROGRAMS)
def test_a_program_in_the_readme_prints_what_is_shown(program, expected):
    """The lines of embedding run as they stand."""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == expected
