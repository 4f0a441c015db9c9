"""The Markdown of a report: what a CI step shows."""

import pytest
from markdown_it import MarkdownIt
from report_samples import DIGEST, EVERY_OUTCOME, implementation, report

from groundrules.conformance.render import FORMATS
from groundrules.conformance.render.markdown import inline

markdown = FORMATS["markdown"]

RED = ("fail", "wrong-reason", "xpass", "skipped", "timeout", "crash", "error")


def test_a_report_has_head_table_and_what_it_does_not_claim():
    """Kit, corpus and set; who answered; a row for each family and one for all; the claims that are not made."""
    told = report(implementation({"canon.a": "pass"}, language="Rust", url="https://x.example"), set="1.0")
    told["implementations"][0]["features"] = ["one-shot"]
    assert markdown(told).split("\n\n") == [
        "# Conformance",
        f"Kit 0.1.0, corpus `{DIGEST}`, set 1.0, 1 vectors asked.",
        "## canon-rs 0.3",
        "**1 of 1 vectors passed**; 1 with the right reasons, 1 by verdict alone.",
        "- language: Rust\n- url: https\\://x.example\n- kinds: parse, canonicalise\n- features: one-shot",
        "| family | vectors | pass | fail |\n| --- | --: | --: | --: |\n| canon | 1 | 1 | 0 |\n| **all** | 1 | 1 | 0 |",
        "## What this does not claim",
        "- A pass shows &lt;nothing&gt; \\| of other inputs.\n",
    ]


def test_details_are_folded_by_outcome():
    """One fold for each outcome that occurs, what is red first, each without an empty line."""
    shown = markdown(report(implementation(EVERY_OUTCOME)))
    folds = [block for block in shown.split("\n\n") if block.startswith("<details>")]
    assert [fold.split("\n")[1] for fold in folds] == [
        f"<summary>{outcome}: 1</summary>" for outcome in (*RED, "xfail", "not-applicable")
    ]
    assert all(fold.endswith("</details>") for fold in folds)


def test_what_many_vectors_share_is_told_once():
    """Ids with the same detail stand together; one without a detail stands alone."""
    told = {"canon.a": ("fail", "same <b>"), "canon.b": ("fail", "same <b>"), "canon.c": "fail"}
    shown = markdown(report(implementation(told)))
    assert "<p><code>canon.a</code>, <code>canon.b</code></p>\n<pre>same &lt;b&gt;</pre>\n" in shown
    assert "<p><code>canon.c</code></p>\n</details>" in shown


def test_nothing_declared_is_no_list():
    """An implementation that never said hello has no kinds, and no empty list of them."""
    told = report(implementation({"canon.a": "error"}))
    told["implementations"][0]["kinds"] = []
    assert "- kinds" not in markdown(told)


@pytest.mark.parametrize(
    "foreign",
    ["a|b", "*a* _b_ `c`", "[x](y)", "<b>&amp;", "~~a~~", "\\*", "www.x.example", "http://x", "$1$", "a\n# b", "2.0"],
)
def test_foreign_text_shows_as_it_is(foreign):
    """Rendered and read back, it is the text, with an escape for each character that does not print."""
    told = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(f"x {inline(foreign)}")
    expected = foreign.replace("\n", "\\u{a}").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert told == f"<p>x {expected}</p>\n"
