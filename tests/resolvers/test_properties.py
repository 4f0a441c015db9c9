"""What holds of every text, rule and formula, on random ones."""

import unicodedata
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from groundrules import SchemaError
from groundrules.documents import validate
from groundrules.resolvers import Archive, Fact, Relation, answer, read_archive, read_predicates, resolve_archive
from groundrules.resolvers.exact import LARGEST_BITS, TooLargeError, read_number, write_number
from groundrules.resolvers.rules import Known, check, evaluate, mentioned
from groundrules.resolvers.search import matches
from groundrules.resolvers.transformations import entities_decoded, folded, normalised, percent_decoded
from samples import values

TEXTS = st.text(alphabet="aA \n%41&#;6\u0301\u00e9\u00df\U0001f732\u1112\u1161\u11ab\u00a0=", max_size=30)
VALUES = st.text(alphabet="aA 6\u00e9\u0301\U0001f732\u1161", min_size=1, max_size=4)
REWRITTEN = {
    "nfc-white-space": normalised,
    "percent": percent_decoded,
    "html": entities_decoded,
}


def outcome(call, *given):
    """What a call returns, or the code of the error that it raises."""
    try:
        return call(*given)
    except SchemaError as error:
        return error.code


def read(pieces):
    return "".join(piece.text for piece in pieces)


@given(TEXTS, VALUES)
def test_exact_matches_are_all_that_there_are(text, value):
    """Each place where the text goes on with the value, and no other."""
    found = [(match.start, match.end) for match in matches(text, {"mode": "exact", "value": value})]
    assert found == [(at, at + len(value)) for at in range(len(text)) if text.startswith(value, at)]


@given(TEXTS, VALUES)
def test_case_folded_matches_are_as_long_as_the_value(text, value):
    """And the text between the offsets folds to what the value folds to."""
    for match in matches(text, {"mode": "casefold", "value": value}):
        assert match.end - match.start == len(value)
        assert folded(text[match.start : match.end]) == folded(value)


@settings(max_examples=300)
@given(TEXTS, VALUES, st.sampled_from(["normalised", "percent", "html"]))
@example("%41%41", "A", "percent")
@example("a\u0301\u0301 \n b", "\u00e1\u0301 b", "normalised")
def test_computed_matches_reslice_to_the_value(text, value, how):
    """The text between the offsets, rewritten by itself, holds the value."""
    search = {"mode": "encoded", "value": value, "encodings": [how]}
    if how == "normalised":
        search = {"mode": how, "value": value}
        value = read(normalised(value))
    for match in matches(text, search):
        assert match.anchor == "computed"
        assert value in read(REWRITTEN[match.transformation](text[match.start : match.end]))


@given(st.text(max_size=40))
@example("\u0bc6\u0bbe\u0344")
@example("\u0b47\u0b3e\u0b3e")
def test_pieces_composed_apart_are_the_text_composed(text):
    """NFC of the whole is NFC of its pieces, and no octet is lost between them."""
    assume(not any(character.isspace() for character in text))
    pieces = normalised(text)
    assert read(pieces) == unicodedata.normalize("NFC", text)
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text


@given(st.text(alphabet="0123456789 -x", max_size=40))
def test_every_card_number_satisfies_the_check(text):
    """By another way of computing it."""
    for match in matches(text, {"mode": "marker", "marker": "credit-card"}):
        digits = [int(character) for character in text[match.start : match.end] if character.isdigit()]
        doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
        assert 13 <= len(digits) <= 19
        assert (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


NAMES = st.sampled_from(["p", "q", "r"])
OPERANDS = st.one_of(
    st.sampled_from([0, 1, True, "1", "1.0", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", {"number": "1.0"}]),
    NAMES.map(lambda name: {"fact": name}),
    NAMES.map(lambda name: {"number": {"fact": name}}),
)
LEAVES = st.one_of(
    st.booleans(),
    NAMES.map(lambda name: {"exists": name}),
    st.builds(lambda name, end: {"relation": {"name": name, "subject": end}}, NAMES, st.sampled_from(["x", "y"])),
    st.builds(
        lambda left, word, right: {"compare": [left, word, right]},
        OPERANDS,
        st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"]),
        OPERANDS,
    ),
    st.builds(
        lambda word, left, right: {word: [left, right]}, st.sampled_from(["before", "after"]), OPERANDS, OPERANDS
    ),
)
RULES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        inner.map(lambda part: {"not": part}),
        st.builds(
            lambda word, parts: {word: parts},
            st.sampled_from(["all", "any"]),
            st.lists(inner, min_size=1, max_size=3),
        ),
    ),
    max_leaves=8,
)
STATED = st.sampled_from(
    [0, 1, 2, True, False, None, "", "1", "1.00", 0.5, [], [1], "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"]
)
FACTS = st.dictionaries(
    NAMES,
    st.one_of(
        STATED.map(lambda value: Fact("f", value)),
        st.builds(lambda end, value: Relation("f", end, "z", value), st.sampled_from(["x", "y"]), STATED),
    ),
)


@settings(max_examples=500)
@given(RULES, FACTS, NAMES, st.dictionaries(NAMES, st.sampled_from([0, 1, 2])))
def test_a_rule_is_total_and_what_is_known_stays_known(rule, facts, name, weights):
    """Every rule comes to one of three; taking a fact away never turns one known truth into the other."""
    check(rule, ())
    verdict = evaluate(rule, Known(facts, weights))
    assert verdict.truth in (True, False, None)
    assert verdict.over <= mentioned(rule)
    fewer = evaluate(rule, Known({key: fact for key, fact in facts.items() if key != name}))
    assert fewer.truth in (verdict.truth, None)


@settings(max_examples=500)
@given(RULES, FACTS, st.dictionaries(NAMES, st.sampled_from([0, 1, 2])))
def test_a_decision_needs_no_more_than_it_rests_on(rule, facts, weights):
    """Over the facts that it names alone a rule comes to the same; and it is as weak as the weakest of them."""
    verdict = evaluate(rule, Known(facts, weights))
    if verdict.truth is not None:
        alone = {name: facts[name] for name in verdict.over}
        assert evaluate(rule, Known(alone)).truth is verdict.truth
        assert verdict.weight == max((weights.get(name, 0) for name in verdict.over), default=0)


@settings(max_examples=300)
@given(values)
@example({"relation": {"name": "n", "subject": 1}})
@example({"compare": [1, "lt", {"number": "1", "fact": "n"}]})
def test_any_value_is_a_rule_or_is_refused(value):
    """Whatever stands where a rule should, there is an answer or a coded error."""
    refused = outcome(check, value, ())
    assert refused in (None, "schema.expression")
    if refused is None:
        assert evaluate(value, Known({})).truth in (True, False, None)


@settings(max_examples=300)
@given(values, st.sampled_from(["formula", "rule"]))
def test_any_value_is_answered_as_a_question(value, member):
    """Also as a formula and as a whole question."""
    resolver = {"formula": "eio.resolver.arithmetic", "rule": "eio.resolver.graph-rule"}[member]
    asked = {"resolver": resolver, "name": "n", "parameters": {member: value}}
    for question in (asked, value, {**asked, "parameters": value}):
        told = outcome(answer, {"format": "archive/1", "transcript": []}, question)
        assert told in ("schema.question", "schema.expression") or told.as_dict()["name"] == "n"


@settings(max_examples=200)
@given(values)
def test_any_value_is_an_archive_or_is_refused(value):
    """The readers raise what they say and nothing else."""
    turn = {"question": "q", "tools_called": [{"name": "t", "arguments": value, "result": value}]}
    for transcript in (value, [turn]):
        told = outcome(read_archive, {"format": "archive/1", "transcript": transcript})
        assert told == "schema.archive" or isinstance(told, Archive)
    assert outcome(read_archive, value) == "schema.archive"
    listed = outcome(read_predicates, {"format": "predicates/1", "predicates": value})
    assert listed in ("schema.predicates", "schema.expression", ())


@settings(max_examples=100)
@given(values)
def test_whatever_a_tool_was_given_the_record_is_valid(value):
    """A search through any arguments and results ends in a record of the schema."""
    call = {"name": "t", "arguments": value, "result": value}
    search = {"mode": "normalised", "value": "a"}
    predicate = {
        "id": "p",
        "version": "1",
        "polarity": "risk",
        "evidence_contract": {},
        "resolvers": ["eio.resolver.exact-span"],
        "questions": [
            {"resolver": "eio.resolver.exact-span", "name": f"n{place}", "parameters": {"in": place, "search": search}}
            for place in ("AGENT_TOOL_CALL", "TOOL_RESULT")
        ],
    }
    archive = {"format": "archive/1", "transcript": [{"tools_called": [call]}]}
    record = outcome(resolve_archive, archive, {"format": "predicates/1", "predicates": [predicate]})
    assert record == "schema.archive" or validate(record, "evaluation-record") == []


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6), st.integers(-(10**20), 10**20))
def test_numbers_are_read_and_written_exactly(decimal, whole):
    """A decimal is the fraction that it is, and comes back as it was, its trailing zeros aside."""
    number = read_number(f"{decimal:f}")
    assert number == Fraction(decimal)
    assert Decimal(str(write_number(number))) == decimal
    assert read_number(write_number(Fraction(whole))) == whole


@given(st.fractions())
def test_a_fraction_comes_back(fraction):
    """As whatever of the three notations it is written in."""
    assert read_number(write_number(fraction)) == fraction


@pytest.mark.parametrize("text", ["9" * 641, "1e401", "1e-401", "9" * 600 + "e400", "1/" + "9" * 700])
def test_numbers_beyond_the_bounds_are_not_computed(text):
    """Neither digits nor exponents nor both together."""
    with pytest.raises(TooLargeError):
        read_number(text)


def test_a_decimal_that_would_be_too_long_is_a_fraction():
    """A half to the power of two thousand ends as a decimal, in two thousand places."""
    small = Fraction(1, 2**2000)
    assert write_number(small) == f"1/{2**2000}"
    assert read_number(f"1/{2**1900}") == Fraction(1, 2**1900)
    assert small.denominator.bit_length() <= LARGEST_BITS
