"""The composite action: its script asks an adapter, writes the summary, and ends as the kit does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from places import ROOT, UNDER_TEST

pytestmark = pytest.mark.skipif(bool(UNDER_TEST), reason="concerns the checkout")

ACTION = yaml.safe_load((ROOT / ".github" / "actions" / "conform" / "action.yml").read_text(encoding="utf-8"))
SELF = f'{sys.executable} -c "from groundrules.cli import main; main()" wrong'


@pytest.mark.parametrize(("mistake", "code"), [("none", 0), ("reject-all", 1)])
def test_the_action_asks_and_tells(tmp_path, mistake, code):
    """Every input reaches the kit; the summary is written whether or not the run is green."""
    (tmp_path / "groundrules" / "bin").mkdir(parents=True)
    (tmp_path / "groundrules" / "bin" / "groundrules").symlink_to(Path(sys.executable).parent / "groundrules")
    step = ACTION["runs"]["steps"][1]
    given = {name: str(stated.get("default", "")) for name, stated in ACTION["inputs"].items()}
    given |= {"adapter": f"{SELF} {mistake}", "set": "smoke", "report": str(tmp_path / "report.json")}
    filled = {name: given[text.split(".")[1].split()[0]] for name, text in step["env"].items()}
    assert filled.keys() == {name.upper() for name in given}
    summary = tmp_path / "summary.md"
    environment = os.environ | filled | {"RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(summary)}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", step["run"]], env=environment, cwd=tmp_path, check=False)
    assert done.returncode == code
    assert f"groundrules-wrong-{mistake}" in summary.read_text(encoding="utf-8")
    assert (tmp_path / "report.json").exists()


def test_the_action_installs_the_kit_it_stands_in():
    """Three folders up from the action is the checkout."""
    assert (ROOT / ".github" / "actions" / "conform" / ".." / ".." / ".." / "pyproject.toml").resolve().is_file()
    assert "$GITHUB_ACTION_PATH/../../.." in ACTION["runs"]["steps"][0]["run"]
