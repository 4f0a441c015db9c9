"""The built wheel is the whole kit: the suite passes against it."""

import os
import subprocess
import sys
import zipfile

import pytest

from places import ROOT, UNDER_TEST

LEFT_OUT = (
    "adapters",
    "harness/test_same_verdict.py",
    "harness/test_stdio.py",
    "runs/test_kills.py",
    "linter/test_removal.py",
    "conformance/render",
    "conformance/test_adapters.py",
    "conformance/test_kit_parts.py",
)

pytestmark = [
    pytest.mark.wheel,
    pytest.mark.skipif(bool(UNDER_TEST), reason="this is the suite inside the wheel's run"),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", folder, ROOT], check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_carries_the_kit(wheel):
    """Schemas, vectors, the catalogue, the type marker and the licences are inside."""
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = {
        f"groundrules/kit/{path.relative_to(ROOT).as_posix()}"
        for folder in ("schemas", "vectors")
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
    }
    assert shipped <= names
    assert {"groundrules/kit/spec/rules.json", "groundrules/py.typed"} <= names
    assert {name.rpartition("licenses/")[2] for name in names if "licenses/" in name} == {
        "LICENSE",
        "vectors/LICENSE",
        "schemas/LICENSE",
    }


def test_the_suite_passes_against_the_wheel(wheel, tmp_path):
    """With the wheel in place of the checkout the tests of the verifier pass; what asks processes is left out."""
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", tmp_path, wheel]
    subprocess.run(install, check=True, capture_output=True)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    environment = inherited | {"PYTHONPATH": str(tmp_path), "GROUNDRULES_UNDER_TEST": str(tmp_path)}
    suite = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-cov", "tests"]
    suite += [f"--ignore=tests/{left_out}" for left_out in LEFT_OUT]
    done = subprocess.run(suite, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
