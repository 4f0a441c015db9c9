"""Strict reading: values, refusals, places."""

import json
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from groundrules import strictjson
from groundrules.errors import ReadError
from groundrules.strictjson import Limits, fast, loads, reference
from groundrules.strictjson.decode import decode
from groundrules.strictjson.values import LIMITS
from samples import damaged_texts, json_texts, values


def refusal(data, **options):
    with pytest.raises(ReadError) as caught:
        loads(data, **options)
    return caught.value


def same(left, right):
    """Equality that tells 1 from 1.0, True from 1 and 0.0 from -0.0, and sees member order."""
    return repr(left) == repr(right)


@given(json_texts())
def test_a_text_that_python_writes_is_read_as_python_reads_it(data):
    """On what json.dumps writes, strict reading and json.loads agree to the type of every number."""
    assert same(loads(data), json.loads(data))


@settings(max_examples=3000)
@given(damaged_texts())
@example(b'["\\ud83d\\\\\\ude00"]')
@example(b'["\\\\ud800"]')
@example(b'["\\"[[[", "]"]')
@example(b"")
@example(b"[1-2]")
def test_the_fast_reader_never_says_yes_alone(data):
    """Whatever the fast reader accepts the reference reader accepts too, with the same value."""
    try:
        text = decode(data, LIMITS)
        value = fast.read(data, text, LIMITS)
    except (ReadError, fast.Doubt):
        return
    assert same(value, reference.read(text, LIMITS))


@settings(max_examples=1000)
@given(values)
def test_the_fast_reader_serves_whatever_is_plainly_good(value):
    """A text within the limits is not sent to the slow reader: doubt would be no error, only a waste nobody sees."""
    data = json.dumps(value, ensure_ascii=False).encode()
    assert same(fast.read(data, data.decode(), LIMITS), value)


@settings(max_examples=3000)
@given(st.binary(max_size=60) | damaged_texts())
def test_any_octets_give_a_value_or_one_refusal(data):
    """Nothing but ReadError leaves the reader, and its line is one line."""
    try:
        loads(data)
    except ReadError as error:
        refused = error
    else:
        return
    assert str(refused).isprintable()
    assert refused.code.startswith("read.")
    assert refused.stage in ("decode", "parse")


@pytest.mark.parametrize(
    ("data", "code", "line", "offset", "pointer"),
    [
        (b'{"a":{"b":[0,tru]}}', "read.syntax", 1, 13, "/a/b/1"),
        (b'{\n "a/b": {\n  "~": nul}}', "read.syntax", 3, 19, "/a~1b/~0"),
        ('{"é":1,"é":2}'.encode(), "read.duplicate-name", 1, 8, ""),
        (b'{"x":[{"k":1,"k":2}]}', "read.duplicate-name", 1, 13, "/x/0"),
        (b'["\\ud800"]', "read.lone-surrogate", 1, 2, "/0"),
        (b"[1] x", "read.trailing-data", 1, 4, ""),
        (b'["a", "\xff"]', "read.invalid-utf8", 1, 7, None),
        (b"\n\n", "read.empty", 3, 2, ""),
        (b'{"a":1e999}', "read.number-overflow", 1, 5, "/a"),
    ],
)
def test_a_refusal_names_its_place(data, code, line, offset, pointer):
    """Line, octet and JSON Pointer lead a person to the offence."""
    error = refusal(data)
    found = (error.code, error.where.line, error.where.offset, error.where.pointer)
    assert found == (code, line, offset, pointer)


@pytest.mark.parametrize(
    "text",
    [
        *("[1", "[", "[1,", '{"a"', '{"a":', "{", '{"a":1', '{"a":1,', '"', '"\\', '"\\u12', "-", "1e", "tru", "[1 2]"),
        *("{1:2}", '{"a" 1}', "[}", '{"a":1]', "[,1]", '"\\u00g0"', '"\x01"', "1.", ".5", "01", "--1", "1e+", "'a'"),
    ],
)
def test_what_departs_from_the_grammar_is_refused(text):
    """Truncations and mistakes of every token are syntax errors, each in one line that names what was found."""
    error = refusal(text.encode())
    assert (error.code, error.stage) == ("read.syntax", "parse")


def test_two_hundred_thousand_levels_are_one_short_refusal():
    """The nesting bomb is refused at its 65th bracket."""
    error = refusal(b"[" * 200_000)
    assert (error.code, error.where.offset) == ("read.too-deep", 64)
    assert len(str(error)) < 300


def test_the_size_limit_has_two_sides():
    """64 MiB are read; one octet more is refused before anything else is looked at."""
    body = b'["' + b"a" * (LIMITS.document - 4) + b'"]'
    assert len(loads(body)[0]) == LIMITS.document - 4
    assert refusal(body + b" ").code == "read.document-too-large"
    assert refusal(b"\xff" * (LIMITS.document + 1)).code == "read.document-too-large"


def test_limits_can_be_narrowed():
    """A caller with narrower needs gets the same refusals earlier."""
    narrow = Limits(depth=1, number=3, document=8)
    assert loads(b"[123]", limits=narrow) == [123]
    assert refusal(b"[[1]]", limits=narrow).code == "read.too-deep"
    assert refusal(b"[1234]", limits=narrow).code == "read.number-too-long"
    assert refusal(b"[1,2,3,4]", limits=narrow).code == "read.document-too-large"


def test_a_deep_call_stack_changes_no_answer():
    """Near the recursion limit of the caller the answer is the same and no RecursionError leaves."""

    def descend(levels):
        return loads(b"[" * 60 + b"]" * 60) if levels == 0 else descend(levels - 1)

    depth = len(_frames())
    deepest = descend(sys.getrecursionlimit() - depth - 40)
    assert same(deepest, loads(b"[" * 60 + b"]" * 60))


def _frames():
    frames, frame = [], sys._getframe()  # noqa: SLF001
    while frame:
        frames.append(frame)
        frame = frame.f_back
    return frames


def test_a_lowered_digit_limit_of_the_interpreter_is_told():
    """Where Python is set to convert fewer digits than the limit allows, the refusal says what to set."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        error = refusal(b"1" * 700)
    finally:
        sys.set_int_max_str_digits(before)
    assert error.code == "read.interpreter-limit"
    assert "set_int_max_str_digits(1100)" in str(error)


def test_a_lack_of_memory_is_a_refusal(monkeypatch):
    """MemoryError is turned into a refusal with a code."""

    def exhausted(*_):
        raise MemoryError

    monkeypatch.setattr(fast, "read", exhausted)
    assert refusal(b"1").code == "read.out-of-memory"


def test_lines_split_at_line_feeds_only():
    """U+2028 and U+0085 inside a string, and a carriage return before the line feed, are not ends of lines."""
    data = '{"a":"x\u2028y\u0085z"}\r\n[1.0]\n2'.encode()
    assert repr(list(strictjson.lines(data))) == repr([(1, {"a": "x\u2028y\u0085z"}), (2, [1.0]), (3, 2)])
    assert list(strictjson.lines(b"")) == []
    assert list(strictjson.lines(b"1\n")) == [(1, 1)]


def test_a_bad_line_is_named():
    """The refusal of a line carries its number and the octet in the file."""
    with pytest.raises(ReadError) as caught:
        list(strictjson.lines(b'{"a":1}\n{"a":1,"a":2}\n'))
    assert (caught.value.where.line, caught.value.where.offset) == (2, 15)
    with pytest.raises(ReadError) as caught:
        list(strictjson.lines(b"1\n\n2\n"))
    assert (caught.value.code, caught.value.where.line) == ("read.empty", 2)
    with pytest.raises(ReadError) as caught:
        list(strictjson.lines(b"1\n[222]\n", limits=Limits(document=3)))
    assert (caught.value.code, caught.value.where.line, caught.value.where.offset) == (
        "read.document-too-large",
        2,
        None,
    )


def test_without_the_scanner_in_c_the_reference_reader_decides(monkeypatch):
    """The scanner in Python takes digits of other scripts, so the fast reader never speaks where it would serve."""
    monkeypatch.setattr(fast, "_IS_CPYTHON_SCANNER", False)
    with pytest.raises(fast.Doubt):
        fast.read(b"1", "1", LIMITS)
    assert refusal("[1\u0663]".encode()).code == "read.syntax"
    assert loads(b'{"a":[1.5]}') == {"a": [1.5]}


@pytest.mark.parametrize("number", ["1" * 1101, "0." + "1" * 1099, "-" + "1" * 1100])
def test_a_long_number_beside_a_long_string_of_digits_is_measured(number):
    """Where digits in a string make the quick scan suspicious every number is measured, and good ones are read fast."""
    string = "9" * 2000
    assert refusal(f'["{string}",{number}]'.encode()).code == "read.number-too-long"
    good = f'["{string}",{number[:-1]},1.5]'
    assert same(fast.read(good.encode(), good, LIMITS), json.loads(good))


def test_the_line_of_broken_utf8_is_counted():
    """The refusal at decoding names the line as one at parsing does."""
    assert refusal(b'{"a":1,\n"b":"\xff"}').where.line == 2
