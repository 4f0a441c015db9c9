"""The jcs-safe form against two other implementations and the published hash of a million numbers."""

import json
import math

import jcs_admit
import pytest
import rfc8785
from es6_numbers import PUBLISHED, digest_of_lines
from hypothesis import example, given, settings
from hypothesis import strategies as st

from groundrules import CanonicalError, canonicalise, loads
from groundrules.canonical.jcs import number_text
from places import HANDED, not_here
from samples import objects, values

NAME = "jcs-document-v1"


def octets_or_code(value):
    try:
        return canonicalise(value, NAME)
    except CanonicalError as error:
        return error.code


@settings(max_examples=2000)
@given(values | objects)
@example({"\U0001f600": 1, "\ue000": 2})
@example({"a": -0.0, "b": 1.0})
def test_the_octets_are_those_of_two_other_implementations(value):
    """On the common domain rfc8785 and jcs-admit write the same octets; outside it the refusal is ours."""
    found = octets_or_code(value)
    if isinstance(found, bytes):
        assert found == rfc8785.dumps(value)
        assert found == jcs_admit.admit(json.dumps(value).encode())
    else:
        assert found in ("canon.number-out-of-range", "canon.noncharacter")


@settings(max_examples=500)
@given(objects)
def test_a_float_beside_changes_no_other_octet(value):
    """The exact writer and the fast one write the same: adding a float sends a document to the exact one."""
    plain = octets_or_code([value, 1])
    exact = octets_or_code([value, 1.0])
    assert plain == exact


@pytest.mark.parametrize(("count", "published"), PUBLISHED.items())
def test_number_texts_have_the_published_hash(count, published):
    """The texts of RFC 8785's sequence of doubles hash to the published value, to the millionth."""
    assert digest_of_lines(count, number_text) == published


@settings(max_examples=2000)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_text_reads_back(value):
    """The text of a double is read as the same double, zero aside from its sign."""
    assert float(number_text(value)) == value


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers())
def test_the_range_is_that_of_exact_integers(value):
    """A number is admitted exactly where its magnitude is at most 2^53 - 1, whatever its spelling."""
    admitted = abs(value) <= 2**53 - 1
    assert (octets_or_code(value) != "canon.number-out-of-range") == admitted


@given(st.floats(min_value=-(2**53) + 1, max_value=2**53 - 1))
def test_distinct_doubles_have_distinct_octets(value):
    """The form is injective on doubles, the two zeros aside."""
    neighbour = math.nextafter(value, math.inf)
    assert octets_or_code(value) != octets_or_code(neighbour) or value == neighbour == 0


@pytest.mark.parametrize("stem", ["arrays", "french", "structures", "unicode", "values", "weird"])
def test_the_published_sample_pairs(stem):
    """The published pairs of RFC 8785 are reproduced; the one that holds a number past 2^53 - 1 is refused."""
    folder = HANDED / "data" / "jcs"
    if not folder.is_dir():
        not_here(f"the published RFC 8785 sample pairs are not at {folder}")
    document = loads((folder / "input" / f"{stem}.json").read_bytes())
    expected = (folder / "output" / f"{stem}.json").read_bytes()
    assert expected == bytes.fromhex((folder / "outhex" / f"{stem}.txt").read_text())
    if stem == "values":
        assert octets_or_code(document) == "canon.number-out-of-range"
        assert rfc8785.dumps(document) == expected
    else:
        assert canonicalise(document, NAME) == expected
