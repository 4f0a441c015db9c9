"""Where the tests find the checkout, and the data that is not ours to ship."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HANDED = Path(os.environ.get("GROUNDRULES_DATA", ROOT.parent / "shared")).resolve()
UNDER_TEST = os.environ.get("GROUNDRULES_UNDER_TEST")
"""The folder that groundrules has to be imported from, where the suite is run against an installed package."""

NOT_RUN: list[str] = []
"""What was skipped for want of something; said again, loudly, at the end of the run."""


def not_here(what):
    """Skip a test for want of something, and say so at the end of the run."""
    NOT_RUN.append(what)
    pytest.skip(what)
