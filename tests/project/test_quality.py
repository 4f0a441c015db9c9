"""The project's own gates: style, types, chapters, site, and words that do not belong."""

import dataclasses
import re
import subprocess
import sys

import pytest

from groundrules import chapters
from places import ROOT, UNDER_TEST

pytestmark = pytest.mark.skipif(bool(UNDER_TEST), reason="concerns the checkout")


def run(*words):
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_code_is_linted():
    """Ruff finds nothing."""
    run("ruff", "check", ".")


def test_the_code_is_formatted():
    """Ruff would format nothing."""
    run("ruff", "format", "--check", ".")


def test_the_types_hold():
    """Mypy in strict mode finds nothing in the package."""
    run("mypy")


@pytest.mark.parametrize("path", sorted((ROOT / "spec").glob("*.md")), ids=lambda path: path.name)
def test_the_tables_of_a_chapter_are_fresh(path):
    """Each generated table is what the catalogue and the registry give today."""
    text = path.read_text(encoding="utf-8")
    assert chapters.refreshed(text) == text


def test_the_tables_are_written_anew(monkeypatch, tmp_path):
    """Run as a module the generator rewrites the tables of every chapter of the checkout, and nothing else."""
    page = "# x\n\n<!-- table: names -->\nold\n<!-- end -->\n\ntext\n"
    (tmp_path / "c.md").write_text(page)
    found = chapters.kit()
    monkeypatch.setattr(chapters, "kit", lambda: dataclasses.replace(found, chapters=tmp_path))
    chapters.main()
    written = (tmp_path / "c.md").read_text()
    assert "jcs-input-v1" in written
    assert written.startswith("# x\n\n<!-- table: names -->\n\n| name |")
    assert written.endswith("<!-- end -->\n\ntext\n")
    monkeypatch.setattr(chapters, "kit", lambda: dataclasses.replace(found, chapters=None))
    chapters.main()


def test_the_site_builds(tmp_path):
    """Mkdocs in strict mode builds every page, links and anchors included."""
    run("mkdocs", "build", "--quiet", "--site-dir", str(tmp_path / "site"))
    for page in ("index.html", "strict-json/index.html", "canonical-json/index.html", "conformance/index.html"):
        assert (tmp_path / "site" / page).is_file()
    assert 'id="canon.py-floats"' in (tmp_path / "site" / "canonical-json" / "index.html").read_text()


def test_no_module_is_long():
    """Modules have one idea and at most 300 lines."""
    for path in (ROOT / "python").rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 300, path


def test_the_core_imports_no_network():
    """Importing the package and its commands loads no HTTP client, and no schema validator before one is needed."""
    code = (
        "import sys, groundrules, groundrules.cli; "
        "print(*sorted({'http.client', 'urllib.request', 'httpx', 'requests', 'jsonschema'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_readme_commands_are_the_ones_run():
    """The test command of the README is, letter for letter, the one that continuous integration calls."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", readme, re.DOTALL)
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert len(blocks) >= 2
    assert blocks[1].strip() in ci
