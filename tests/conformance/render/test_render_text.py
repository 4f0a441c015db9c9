"""The text of a report: what a terminal shows."""

import pytest
from report_samples import DIGEST, EVERY_OUTCOME, implementation, report

from groundrules.conformance.render import FORMATS

text = FORMATS["text"]


def test_a_good_report_is_a_table_and_a_summary():
    """Name, table by family, both strengths, and the summary line last."""
    told = report(implementation({"canon.a": "pass", "canon.b": "pass", "ijson.a": "pass"}, language="Rust"))
    assert text(told).splitlines() == [
        "canon-rs 0.3 (Rust)",
        "family  total  pass  fail",
        "canon       2     2     0",
        "ijson       1     1     0",
        "all         3     3     0",
        "passes: 3 with the right reasons, 3 by verdict alone",
        "conform: 3 of 3 vectors passed (corpus d2fe599300000000)",
    ]


def test_every_outcome_fits_80_columns():
    """A column for each outcome that occurs, with headings of several lines, and a line for each departure."""
    lines = text(report(implementation(EVERY_OUTCOME, version="1"))).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1:4] == [
        " " * 56 + "not-",
        " " * 26 + "wrong-" + " " * 21 + "applic-",
        "family    total pass fail reason xfail xpass skipped    able timeout crash error",
    ]
    departures = [line.partition(":")[0] for line in lines if ": canon." in line]
    assert departures == ["fail", "wrong-reason", "xpass", "skipped", "timeout", "crash", "error", "xfail"]
    assert "not-applicable:" not in "\n".join(lines)
    assert lines[-1] == f"conform: 2 of 11 vectors passed, 1 not applicable (corpus {DIGEST[:16]})"


@pytest.mark.parametrize(
    ("detail", "lines"),
    [
        ("", ["fail: canon.a"]),
        ("expected pass, came fail", ["fail: canon.a: expected pass, came fail"]),
        ("one " * 30, ["fail: canon.a:", "    " + "one " * 18 + "one", "    " + "one " * 10 + "one"]),
        ("x" * 100, ["fail: canon.a:", "    " + "x" * 76, "    " + "x" * 24]),
        ("\x1b[31m\n", ["fail: canon.a: \\u{1b}[31m\\u{a}"]),
    ],
)
def test_a_departure_is_one_line_where_it_fits(detail, lines):
    """A longer one stands under its id, broken at 80 columns, and nothing in it moves the cursor."""
    shown = text(report(implementation({"canon.a": ("fail", detail)}))).splitlines()
    assert shown[5:-1] == lines


def test_a_very_long_detail_is_cut_and_says_so():
    """The first 600 characters, and how many there are."""
    shown = text(report(implementation({"canon.a": ("fail", "x" * 10_000)})))
    assert "… (10000" in shown
    assert shown.count("x") == 600


def test_several_implementations_and_a_set_are_named():
    """Each has its block, and each summary line names its own."""
    one, other = implementation({"canon.a": "pass"}), implementation({"canon.a": "pass"}, name="other\n")
    shown = text(report(one, other, set="1.0"))
    assert "conform: canon-rs 0.3: 1 of 1 vectors passed (corpus d2fe599300000000, set 1.0)\n\n" in shown
    assert shown.endswith("conform: other\\u{a} 0.3: 1 of 1 vectors passed (corpus d2fe599300000000, set 1.0)\n")
