"""Each bound holds at the last value within it and not at the first beyond."""

import pytest

from groundrules import SchemaError
from groundrules.resolvers import answer
from groundrules.resolvers.exact import TooLargeError, read_number, write_number
from groundrules.resolvers.expressions import admit


def asked(resolver, parameters, *, text="", **more):
    archive = {"format": "archive/1", "transcript": [{"answer": text}]}
    question = {"resolver": f"eio.resolver.{resolver}", "name": "n", "parameters": parameters, **more}
    return answer(archive, question).as_dict()


@pytest.mark.parametrize(("number", "told"), [(1000, 1000), (1001, "too_many_matches")])
def test_a_thousand_matches_are_listed(number, told):
    """And one more leaves the question open."""
    search = {"mode": "exact", "value": "a"}
    found = asked("exact-span", {"in": "AGENT_ANSWER", "search": search}, text="a" * number)
    assert found.get("value", found.get("because")) == told


@pytest.mark.parametrize(("number", "told"), [(20_000, True), (20_001, "scope")])
def test_the_spans_of_a_question_have_twenty_thousand_characters(number, told):
    """Code points, and all spans together."""
    sides = {"evidence": [{"source_type": "AGENT_ANSWER"}], "counterevidence": []}
    parameters = {"relation": "r", "subject": "s", "object": "o", **sides}
    votes = {"m": {"outcome": "vote", "answer": "holds"}}
    found = asked("semantic-relation", parameters, text="\U0001f732" * number, ballots=votes)
    assert found.get("value", found.get("because")) == told


def nested(levels):
    value = True
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("within", [nested(32), "a" * 1998])
def test_expressions_have_a_depth_and_a_length(within):
    """Thirty-two levels, and two thousand characters with the quotation marks."""
    assert admit(within, ()) is not None
    with pytest.raises(SchemaError) as caught:
        admit([within] if isinstance(within, list) else within + "a", ("rule",))
    assert (caught.value.code, caught.value.where.pointer) == ("schema.expression", "/rule")


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        ("1e400", "1e401"),
        ("1e-400", "1e-401"),
        (2**2048 - 1, 2**2048),
        (f"1/{2**2048 - 1}", f"1/{2**2048}"),
        ("1." + "0" * 639, "1." + "0" * 640),
        ("0." + "0" * 1298, "0." + "0" * 1299),
    ],
)
def test_numbers_have_bounds(within, beyond):
    """In exponent, in bits, in digits and in characters; and what is written can be read."""
    number = read_number(within)
    assert read_number(write_number(number)) == number
    with pytest.raises(TooLargeError):
        read_number(beyond)


def test_a_decimal_has_as_many_digits_as_a_number_has_bits():
    """Five to the power of 882 has 2 048 bits, and the next power more."""
    last, first = read_number(f"1/{2**882}"), read_number(f"1/{2**883}")
    assert write_number(last) == "0." + str(5**882).rjust(882, "0")
    assert write_number(first) == f"1/{2**883}"
    assert read_number(write_number(last)) == last


@pytest.mark.parametrize(("length", "is_pointer"), [(2000, True), (2001, False)])
def test_a_pointer_is_a_name_while_it_has_two_thousand_characters(length, is_pointer):
    """A longer one is named by its hash."""
    before = "/transcript/0/tools_called/0/arguments/"
    call = {"name": "t", "arguments": {"m" * (length - len(before)): "found"}}
    search = {"mode": "exact", "value": "found"}
    question = {
        "resolver": "eio.resolver.exact-span",
        "name": "n",
        "parameters": {"in": "AGENT_TOOL_CALL", "search": search},
    }
    told = answer({"format": "archive/1", "transcript": [{"tools_called": [call]}]}, question).as_dict()
    assert told["refs"][0]["source_ref"].startswith(before) is is_pointer
