"""The page of a report: what somebody reads who was sent it."""

import re

import pytest
from report_samples import CLAIM, DIGEST, EVERY_OUTCOME, implementation, report

from groundrules.conformance.render import FORMATS

page = FORMATS["html"]


def test_the_page_says_who_what_and_what_not():
    """Implementation, kit, corpus, set and every claim that is not made, in its head."""
    told = report(implementation({"canon.a": "pass"}, language="Rust", url="javascript:alert(1)"), set="1.0")
    head, _, rest = page(told).partition("</header>")
    for wanted in ("canon-rs 0.3", "groundrules 0.1.0", DIGEST, "1.0", "A pass shows &lt;nothing&gt; | of other"):
        assert wanted in head
    assert CLAIM not in head
    assert "<dd>javascript:alert(1)</dd>" in rest
    assert "<dd>Rust</dd>" in rest


def test_the_page_asks_for_nothing():
    """No link, no source, no import, no script, and a policy that would refuse them."""
    shown = page(report(implementation(EVERY_OUTCOME, url="https://x.example")))
    assert re.search(r"\s(src|href|action|on\w+)=|@import|url\(|<script|<link", shown) is None
    assert "default-src 'none'" in shown


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"canon.a": "pass"}, "Every vector is a pass or an expected failure."),
        ({"canon.a": "pass", "canon.b": "not-applicable"}, "Every vector that is applicable is a pass"),
        ({"canon.a": "fail"}, "The run is red."),
    ],
)
def test_the_standing_is_said_in_words(told, words):
    """A colour is never the only sign."""
    assert words in page(report(implementation(told)))


def test_every_departure_and_every_id_is_there():
    """What is red lies open before what is not, which is folded; all ids stand in one fold at the end."""
    told = dict(EVERY_OUTCOME) | {"canon.bare": "fail"}
    shown = page(report(implementation(told)))
    heads = re.findall(r"<h3[^>]*>(.*?): \d+</h3>", shown)
    assert heads == ["fail", "wrong-reason", "xpass", "skipped", "timeout", "crash", "error"]
    folds = re.findall(r"<summary>(.*?)</summary>", shown)
    assert folds == ["xfail: 1", "not-applicable: 1", f"All {len(told)} vectors"]
    for outcome in (*heads, "xfail", "not-applicable"):
        assert f"<pre>the {outcome}</pre>" in shown
    ids = re.findall(r"<code>([a-z][^<]*[.][^<]*)</code>", shown.partition("<summary>All")[2])
    assert ids == sorted(told)


def test_several_implementations_stand_one_after_the_other():
    """The head names all of them."""
    told = {"canon.a": "pass"}
    shown = page(report(implementation(told), implementation(told, name="other & more")))
    assert "<dt>Implementations</dt>\n<dd>canon-rs 0.3<br>other &amp; more 0.3</dd>" in shown
    assert "<title>Conformance of canon-rs 0.3, other &amp; more 0.3</title>" in shown
    assert "<dd>all vectors</dd>" in shown
