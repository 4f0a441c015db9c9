"""Errors as one line and as data; foreign text made fit for a message."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from groundrules.errors import CanonicalError, Where, bare, escaped, show


@given(st.text())
def test_shown_text_is_one_printable_line(text):
    """Whatever an agent put into an id, a message that repeats it stays one line that prints."""
    assert show(text).isprintable()
    assert bare(text).isprintable()


@given(st.text(alphabet=st.characters(codec=None), max_size=20))
def test_surrogates_are_shown_too(text):
    """Half a surrogate pair, which no terminal takes, is written as an escape."""
    show(text).encode("utf-8")


def test_long_text_is_replaced_by_length_and_hash():
    """Beyond 120 characters a message says how long the text is and what it hashes to, and repeats none of it."""
    text = "secret" * 30
    assert show(text) == f"<180 characters, sha256 {hashlib.sha256(text.encode()).hexdigest()}>"
    assert bare(text) == show(text)
    assert show("a" * 120) == '"' + "a" * 120 + '"'


def test_controls_quotes_and_bidirectional_marks_are_escaped():
    """Text cannot forge a second line, end its own quotation or reorder what follows."""
    assert show('a"\\\n\u202e') == '"a\\"\\\\\\u{a}\\u{202e}"'
    assert escaped("é<\x1b>") == "é<\\u{1b}>"


def test_an_error_tells_where_what_and_what_to_do():
    """The line has the place first and the code last; the data has the same members and no empty ones."""
    where = Where(file="a\nb.json", line=3, offset=40, pointer="/x")
    error = CanonicalError("canon.x", "it is wrong", stage="project", where=where, remedy="mend it")
    assert str(error) == "a\\u{a}b.json, line 3, byte 40, at /x: it is wrong; mend it [canon.x]"
    assert error.as_dict() == {
        "code": "canon.x",
        "stage": "project",
        "detail": "it is wrong",
        "remedy": "mend it",
        "file": "a\nb.json",
        "line": 3,
        "offset": 40,
        "pointer": "/x",
    }
    bare_error = CanonicalError("canon.x", "it is wrong", stage="project")
    assert str(bare_error) == "it is wrong [canon.x]"
    assert bare_error.as_dict() == {"code": "canon.x", "stage": "project", "detail": "it is wrong"}
    assert str(bare_error.in_file("f")) == "f: it is wrong [canon.x]"
