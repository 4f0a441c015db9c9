"""What holds for the whole run: which groundrules is tested, and what was left out."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import groundrules
from places import NOT_RUN, UNDER_TEST

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_configure():
    """Refuse to test another groundrules than the one that was asked for."""
    if UNDER_TEST and not Path(groundrules.__file__).is_relative_to(UNDER_TEST):
        pytest.exit(f"groundrules is {groundrules.__file__}, not the one in {UNDER_TEST}", returncode=2)


def pytest_terminal_summary(terminalreporter):
    for what in sorted(set(NOT_RUN)):
        terminalreporter.write_line(f"NOT RUN: {what}", red=True, bold=True)
