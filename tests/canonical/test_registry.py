"""The registered names: projections, the known digests, and what is no JSON document."""

import contextlib
import math
from collections import OrderedDict
from enum import IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules import CANONICALISATIONS, CanonicalError, UnknownNameError, canonicalise, content_hash, loads, project
from groundrules.canonical import Form, stages
from groundrules.canonical.projections import FACT_MEMBERS, RECORD_MEMBERS
from places import HANDED, not_here
from samples import objects, values

_labels = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6)
)
records = st.dictionaries(st.sampled_from([*RECORD_MEMBERS, "url", "year"]), st.lists(_labels, max_size=5) | _labels)
facts = st.fixed_dictionaries(dict.fromkeys(FACT_MEMBERS, st.text(max_size=6)), optional={"note": values})
names = st.sampled_from(list(CANONICALISATIONS))


def test_the_registered_names_are_these():
    """Eight names, in the order of the chapter's table; a name more or less is a change to the kit."""
    assert list(CANONICALISATIONS) == [
        "json-sorted-utf8-v1",
        "dd-input-json-v1",
        "dd-json-document-v1",
        "dd-envelope-json-v1",
        "jcs-input-v1",
        "jcs-document-v1",
        "jcs-envelope-v1",
        "groundrules-fact-v1",
    ]
    with pytest.raises(TypeError):
        CANONICALISATIONS["mine"] = CANONICALISATIONS["jcs-input-v1"]


@given(records | facts | objects | values, names)
def test_projecting_twice_is_projecting_once(document, name):
    """The octets of a document and of its projection are the same under every name."""
    try:
        projected = project(document, name)
        octets = canonicalise(document, name)
    except CanonicalError:
        return
    assert project(projected, name) == projected
    assert canonicalise(projected, name) == octets


@given(objects, names)
def test_a_document_is_never_altered(document, name):
    """Projecting and hashing leave the document as it was."""
    before = repr(document)
    with contextlib.suppress(CanonicalError):
        content_hash(document, name)
    assert repr(document) == before


@pytest.mark.parametrize(
    ("text", "digest"),
    [
        ('{"n":1}', "2bfd14f43d17fc7cea24e0917a8879b4b2f880b8baeec1b9d90fbaad655e71bd"),
        ('{"n":1.0}', "3b6b06ecd1c968c8e738e0f11c4bb361fca80a9a694de22fe66a05286afbd081"),
        ('{"n":1e16}', "3b2cb112e050812d03ee42b0c83897293d662709d335a4f1ce7e59d29de23ac1"),
        ('{"n":0.00001}', "a4aaff4cb2776bd827d3e6a14a54ccc534ca6b62e36579fc1c53b537c89752a4"),
        ('{"\ue000":1,"\U0001f600":2}', "871954531859c7572c6279f90eb83a594ddc3a289e8bdc28d2a84ffb8c1a1703"),
        ("{}", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"),
        ('{"source_id":"src:a","year":2020}', "2dea8b7d1f9ae1d9cf685f5de9302b9a7c0005b9521689b0dc759d584358ec1f"),
        ('{"source_id":"src:a","year":2020.0}', "358b5185ba07fff4d2f9c4881d3ad343ce60e5e7f70480bc66841b1c6de1053b"),
    ],
)
def test_known_digests(text, digest):
    """Digests computed elsewhere, in stored runs, are reproduced."""
    assert content_hash(loads(text.encode()), "dd-json-document-v1") == digest


def test_the_published_fact_check_records_hash_as_pinned():
    """The four records of the public fact-check source have the digests that our vectors state."""
    path = HANDED / "data" / "factcheck-sources.json"
    if not path.is_file():
        not_here(f"the published fact-check source is not at {path}")
    found = {record["source_id"]: content_hash(record, "dd-json-document-v1") for record in loads(path.read_bytes())}
    assert found == FACT_CHECK_DIGESTS


FACT_CHECK_DIGESTS = {
    "wb:iso-8601": "bb0e8ae9d05c17f9d2ff715cd2057784c9d4dc413c59bb028351e49f9cbed1ae",
    "wb:csv-rfc4180": "e882116e12e5d746f9a100048716d4eacb16c292076298163de211744fa833f6",
    "wb:doi-handbook": "e5e32e7d7e59f7bbf8b377d32f4201a3cbb263ee2f4efb8bbac2128acc6e68d7",
    "wb:cc-by-4": "d65e06f60e32a1b61d0ed243b5e2317da44e848d117869add3b36c98b785bcae",
}


class Loud(str):
    """A subclass of str, which json.dumps would write without a word."""

    __slots__ = ()


class Level(IntEnum):
    """An integer that json.dumps would write by its number."""

    LOW = 1


CYCLE: list = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ((1, 2), ""),
        ({"a": (1,)}, "/a"),
        ({1: 2}, ""),
        ({"a": [{True: 1}]}, "/a/0"),
        ({"a": math.nan}, "/a"),
        ([1, math.inf], "/1"),
        ("\ud800", ""),
        ({"x": {"\udfff": 1}}, "/x"),
        ([Loud("a")], "/0"),
        ({Loud("a"): 1}, ""),
        ({"n": Level.LOW}, "/n"),
        (OrderedDict(a=1), ""),
        (b"bytes", ""),
        (10**1100, ""),
        (-(10**1099), ""),
        ({1.5, 2}, ""),
        (object(), ""),
    ],
)
@pytest.mark.parametrize("name", CANONICALISATIONS)
def test_what_strict_reading_never_yields_has_no_hash(value, pointer, name):
    """Nothing is coerced into a document: another type anywhere is refused under every name, with its place."""
    with pytest.raises(CanonicalError) as caught:
        canonicalise(value, name)
    assert (caught.value.code, caught.value.where.pointer) == ("canon.not-json", pointer)
    with pytest.raises(CanonicalError):
        project(value, name)


def test_a_cycle_and_deep_nesting_are_refused():
    """A value that contains itself, or nests 65 levels, is refused without recursion."""
    deep: list = []
    for _ in range(64):
        deep = [deep]
    for value in (CYCLE, deep):
        with pytest.raises(CanonicalError) as caught:
            canonicalise(value, "dd-json-document-v1")
        assert caught.value.code == "canon.not-json"
    assert canonicalise(deep[0], "dd-json-document-v1") == b"[" * 64 + b"]" * 64


@pytest.mark.parametrize("name", ["dd-json-document-v1", "jcs-document-v1"])
def test_too_little_stack_is_a_typed_error(monkeypatch, name):
    """Where the caller left too little of the call stack to write a document no RecursionError leaves."""

    def exhausted(*_):
        raise RecursionError

    monkeypatch.setattr("groundrules.canonical.pyjson.encode", exhausted)
    with pytest.raises(CanonicalError) as caught:
        canonicalise({"a": [1]}, name)
    assert caught.value.code == "canon.out-of-stack"


@pytest.mark.parametrize("value", [10**1100 - 1, -(10**1099) + 1])
def test_the_longest_integers_are_written(value):
    """An integer whose literal has 1100 characters is a document and is read back."""
    octets = canonicalise(value, "dd-json-document-v1")
    assert len(octets) == 1100
    assert loads(octets) == value


@pytest.mark.parametrize("name", ["", "dd-json-document-v2", "DD-JSON-DOCUMENT-V1", "x" * 500, None, ["jcs-input-v1"]])
def test_an_unknown_name_is_a_typed_error(name):
    """A name that is not registered, of whatever type, is refused with the list of those that are."""
    with pytest.raises(UnknownNameError) as caught:
        content_hash({}, name)
    assert caught.value.code == "canon.unknown-name"
    assert "groundrules-fact-v1" in str(caught.value)
    with pytest.raises(UnknownNameError):
        project({}, name)


def test_stages_show_every_step():
    """Parsed and projected octets are pyjson, the canonical ones the name's own form."""
    found = stages({"b": 1.0, "a": 2}, "jcs-document-v1")
    assert (found.parsed, found.projected, found.canonical) == (
        b'{"a":2,"b":1.0}',
        b'{"a":2,"b":1.0}',
        b'{"a":2,"b":1}',
    )
    assert CANONICALISATIONS["jcs-document-v1"].form is Form.JCS_SAFE
