"""JSON values and texts to try: good ones, and good ones that were damaged."""

import json

from hypothesis import strategies as st

texts = st.text(max_size=12) | st.sampled_from(
    ["", "__proto__", "10", "9", "\ue000", "\U0001f600", "é", "e\u0301", "\u2028", "<&>", "\x7f", '"\\/', "\x00\x1f"]
)
integers = st.integers() | st.integers(-(10**40), 10**40) | st.sampled_from([0, 2**53 - 1, 2**53, -(2**53), 2**64])
floats = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 1.0, 1e16, 1e15, 1e-4, 1e-5, 1e21, 1e-6, 1e-7, 5e-324, 1.7976931348623157e308, 9007199254740992.0]
)
scalars = st.none() | st.booleans() | integers | floats | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5), max_leaves=25
)
objects = st.dictionaries(texts, values, max_size=6)


@st.composite
def json_texts(draw):
    """A JSON text of a random value, spelled in one of the ways a writer may choose."""
    text = json.dumps(draw(values), ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
    return text.encode("utf-8", "surrogatepass")


_FRAGMENTS = [
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b",",
    b":",
    b"\\",
    b"\\u",
    b"\\ud800",
    b"\\udc00",
    b"\xff",
    b"\x00",
    b"1",
    b"0",
]
_FRAGMENTS += [
    b"-",
    b".",
    b"e",
    b"E9",
    b"e999",
    b"NaN",
    b"Infinity",
    b"null",
    b"tru",
    b" ",
    b"\n",
    b"\xef\xbb\xbf",
    b"\x0c",
]
_FRAGMENTS += [
    b"[" * 70,
    b"]" * 70,
    b"9" * 1101,
    b'"a":1,',
    b'{"a":1,"a":2}',
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xc2\x85",
    b"//",
]


@st.composite
def damaged_texts(draw):
    """A JSON text with a few octets cut out, doubled or put in."""
    data = bytearray(draw(json_texts()))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        match draw(st.integers(0, 2)):
            case 0:
                data[at:at] = draw(st.sampled_from(_FRAGMENTS))
            case 1:
                del data[at : at + draw(st.integers(1, 3))]
            case _:
                data[at:at] = data[at : at + draw(st.integers(1, 8))]
    return bytes(data)
