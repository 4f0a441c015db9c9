"""What holds for every format: no report breaks it, and no foreign text is anything but text."""

import json
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from markdown_it import MarkdownIt
from report_samples import EVERY_OUTCOME, NASTY, implementation, report, reports

from groundrules.conformance.render import FORMATS
from groundrules.documents import validate

VOID = {"meta", "br"}
TABLE = {"table", "thead", "tbody", "tr", "th", "td"}
MARKDOWN_TAGS = TABLE | {"h1", "h2", "p", "strong", "code", "pre", "ul", "li", "details", "summary"}
HTML_TAGS = MARKDOWN_TAGS | VOID | {"html", "head", "title", "style", "body", "header", "main", "section"}
HTML_TAGS |= {"h3", "div", "dl", "dt", "dd", "tfoot"}
HTML_ATTRIBUTES = {
    "lang",
    "charset",
    "name",
    "content",
    "http-equiv",
    "class",
    "scope",
    "tabindex",
    "role",
    "aria-label",
}


class Page(HTMLParser):
    """The tags and attributes of a page; fails where one is closed that is not open."""

    def __init__(self):
        super().__init__()
        self.tags = set()
        self.attributes = set()
        self.open = []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def page(text):
    parser = Page()
    parser.feed(text)
    parser.close()
    return parser


WORST = report(
    *(
        implementation({"a.b": ("fail", nasty)}, name=nasty[:100], version=nasty[:100], url=nasty[:500])
        for nasty in NASTY
    ),
    does_not_claim=NASTY,
    kit=NASTY[1],
)


def test_the_formats_are_those_that_are_promised():
    """Six formats, each by its name."""
    assert list(FORMATS) == ["text", "markdown", "junit", "badge", "html", "matrix"]


@given(reports)
@example(WORST)
@example(report(implementation({})))
def test_any_report_is_rendered(document):
    """Whatever the schema allows gives text of every format; XML and JSON parse, no page holds foreign markup."""
    assert validate(document, "conformance-report") == []
    rendered = {name: render(document) for name, render in FORMATS.items()}
    for text in rendered.values():
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert all(character == "\n" or character.isprintable() for character in text)
    ET.fromstring(rendered["junit"].encode())  # noqa: S314 - it reads what this kit wrote
    json.loads(rendered["badge"])
    assert "<script" not in rendered["html"].lower()
    shown = page(rendered["html"])
    assert shown.open == []
    assert shown.tags <= HTML_TAGS
    assert shown.attributes <= HTML_ATTRIBUTES


@given(reports)
@example(WORST)
@example(report(implementation(EVERY_OUTCOME)))
def test_markdown_shows_foreign_text_and_obeys_none(document):
    """As CommonMark with tables, nothing becomes a tag, a link or a heading that the renderer did not write."""
    reader = MarkdownIt("commonmark").enable("table")
    for name in ("markdown", "matrix"):
        shown = page(reader.render(FORMATS[name](document)))
        assert shown.open == []
        assert shown.tags <= MARKDOWN_TAGS
        assert shown.attributes <= {"style"}


@pytest.mark.parametrize("nasty", NASTY)
@pytest.mark.parametrize("name", FORMATS)
def test_a_detail_is_shown_and_not_dropped(name, nasty):
    """Every format but the badge and the matrix tells where a failing answer departs."""
    clean = FORMATS[name](report(implementation({"canon.a": ("fail", "plain words")})))
    assert ("plain words" in clean) == (name not in ("badge", "matrix"))
    spoiled = FORMATS[name](report(implementation({"canon.a": ("fail", f"plain {nasty} words")})))
    assert ("plain " in spoiled) == (name not in ("badge", "matrix"))
