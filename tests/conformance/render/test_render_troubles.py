"""What a report says of itself: a part of the vectors, a corpus or a list that is not in order."""

import json

import pytest
from report_samples import implementation, report

from groundrules.conformance.render import FORMATS

DAMAGED = [
    {"code": "kit.vector", "detail": "the vector is <none>", "file": "canon/a/vector.json"},
    {"code": "kit.not-sealed", "detail": "the vectors are others"},
]
GREEN = implementation({"canon.one": "pass"})


@pytest.mark.parametrize("form", ["text", "markdown", "html", "junit"])
def test_what_is_not_in_order_stands_in_every_form(form):
    """Nobody can read a report and miss that its corpus was damaged, or that a list names what is not there."""
    plain = FORMATS[form](report(GREEN))
    shown = FORMATS[form](report(GREEN, damaged=DAMAGED, unmatched=["poems.*"])).replace("\\", "")
    for words in ("canon/a/vector.json: the vector is", "the vectors are others [kit.not-sealed]", "poems."):
        assert words in shown
        assert words not in plain
    assert (form == "text") == ("<none>" in shown)


def test_what_is_not_in_order_is_an_error_of_junit():
    """A program that counts errors counts these."""
    shown = FORMATS["junit"](report(GREEN, damaged=DAMAGED))
    assert '<testsuite name="groundrules: corpus" tests="2" failures="0" errors="2" skipped="0">' in shown
    assert 'tests="3" failures="0" errors="2"' in shown.splitlines()[1]


@pytest.mark.parametrize("form", ["text", "markdown", "html", "junit"])
def test_a_part_is_told_in_every_form(form):
    """Who asked some of the vectors does not look like one who asked all."""
    assert FORMATS[form](report(GREEN, partial=True)) != FORMATS[form](report(GREEN))


@pytest.mark.parametrize(
    ("members", "colour"),
    [
        ({}, "brightgreen"),
        ({"partial": True}, "yellow"),
        ({"damaged": DAMAGED}, "red"),
        ({"partial": True, "unmatched": ["poems.*"]}, "red"),
    ],
)
def test_the_badge_is_no_better_than_the_run(members, colour):
    """A part is at best yellow, and what is not in order is red."""
    assert json.loads(FORMATS["badge"](report(GREEN, **members)))["color"] == colour
