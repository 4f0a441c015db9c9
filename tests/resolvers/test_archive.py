"""Archives that are refused, each at its place, and what a reader makes of the others."""

import pytest

from groundrules import SchemaError
from groundrules.canonical import content_hash
from groundrules.resolvers import answer, read_archive
from groundrules.resolvers.rules import check

TURN = {"question": "q", "answer": "a"}
POLICY = {"id": "p", "source_ref": "p.md", "sha256": "0" * 64, "text": "Pay.", "rules": []}
ENTRY = {"subject": "s", "name": "n", "value": 1, "turn_index": 0}
REFUSED = {
    "no JSON": ({"transcript": ({},)}, "/transcript"),
    "half a surrogate pair": ({"transcript": [{"answer": "\ud800"}]}, "/transcript/0/answer"),
    "a noncharacter": ({"transcript": [{"answer": "\uffff"}]}, "/transcript/0/answer"),
    "another format": ({"format": "archive/2"}, "/format"),
    "a member that nobody knows": ({"transcript": [{"answers": []}]}, "/transcript/0"),
    "a binary fraction": ({"ledger": [ENTRY | {"value": 1.5}]}, "/ledger/0/value"),
    "a whole number as a binary fraction": (
        {"manifest": {"turns": 1.0, "calls": [], "sha256": "0" * 64}},
        "/manifest/turns",
    ),
    "a number beyond the safe ones": ({"ledger": [ENTRY | {"value": 2**53}]}, "/ledger/0/value"),
    "a large number in an outcome": (
        {"scenarios": [{"id": "s", "attributes": {}, "outcomes": {"n": -(2**53)}}]},
        "/scenarios/0/outcomes/n",
    ),
    "a large number in an argument": (
        {"transcript": [{"tools_called": [{"name": "t", "arguments": [2**53]}]}]},
        "/transcript/0/tools_called/0/arguments/0",
    ),
    "an entry of no turn": ({"ledger": [ENTRY, ENTRY | {"turn_index": 1}]}, "/ledger/1/turn_index"),
    "an episode of no turn": ({"episodes": [{"id": "e", "turns": [0, 1]}]}, "/episodes/0/turns"),
    "two episodes of one id": ({"episodes": [{"id": "e", "turns": [0]}] * 2}, "/episodes/1/id"),
    "two policies of one id": ({"policies": [POLICY, POLICY]}, "/policies/1/id"),
    "a rule without words": (
        {
            "policies": [
                POLICY | {"rules": [{"kind": "purpose", "term": "t", "scope": "s", "char_start": 2, "char_end": 2}]}
            ]
        },
        "/policies/0/rules/0/char_end",
    ),
    "a time without a zone": ({"ledger": [ENTRY | {"at": "2026-01-01T00:00:00"}]}, "/ledger/0/at"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_an_archive_is_refused_at_its_place(why):
    """One error, the first; nothing is mended on the way."""
    change, at = REFUSED[why]
    with pytest.raises(SchemaError) as caught:
        read_archive({"format": "archive/1", "transcript": [TURN]} | change)
    assert (caught.value.code, caught.value.where.pointer) == ("schema.archive", at)


def test_an_archive_tells_what_was_not_recorded_from_what_was_not_there():
    """A member that is absent is None, an empty list is empty."""
    archive = read_archive({"format": "archive/1", "transcript": [TURN, {"tools_called": [], "retrievals": []}]})
    assert [(turn.answer, turn.calls, turn.retrievals) for turn in archive.turns] == [("a", None, None), (None, (), ())]
    assert (archive.manifest, archive.listed("labels"), archive.tool("t")) == (None, None, None)
    assert archive.episodes == (("transcript", (0, 1)),)
    assert archive.sha256 == content_hash(archive.document["transcript"], "jcs-document-v1")


def test_numbers_of_a_tool_are_its_own():
    """Binary fractions in arguments, results and schemas are admitted; they are hashed as they are."""
    call = {"name": "t", "arguments": {"x": 0.5}, "result": [1.5], "side_effects": [0.25]}
    tools = {"t": {"properties": {"x": {"maximum": 1.5}}}}
    archive = read_archive({"format": "archive/1", "transcript": [{"tools_called": [call]}], "tools": tools})
    assert archive.turns[0].calls[0].arguments == {"x": 0.5}


def test_what_is_no_json_is_refused_wherever_it_stands():
    """Also in a question and in a rule that a caller hands over as Python values."""
    with pytest.raises(SchemaError) as caught:
        answer({"format": "archive/1", "transcript": []}, {"resolver": ("x",)})
    assert (caught.value.code, caught.value.where.pointer) == ("schema.question", "/resolver")
    with pytest.raises(SchemaError) as caught:
        check({"all": (True,)}, ("rule",))
    assert (caught.value.code, caught.value.where.pointer) == ("schema.expression", "/rule")


def test_a_pointer_that_no_ref_can_hold_is_named_by_its_hash():
    """A member's name may be longer than a name of a record; the ref still names the text."""
    call = {"name": "t", "arguments": {"m" * 3000: "found"}}
    asked = {
        "resolver": "eio.resolver.exact-span",
        "name": "n",
        "parameters": {"in": "AGENT_TOOL_CALL", "search": {"mode": "exact", "value": "found"}},
    }
    told = answer({"format": "archive/1", "transcript": [{"tools_called": [call]}]}, asked).as_dict()
    assert told["refs"][0]["source_ref"].startswith("/transcript/0/tools_called/0/arguments#sha256:")
