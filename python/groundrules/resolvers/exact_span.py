"""exact-span: where a value stands, word for word or after a stated transformation (resolve.exact-span)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.resolvers.base import Fact, missing, numbered, undecided
from groundrules.resolvers.search import LISTED_MATCHES, matches
from groundrules.resolvers.texts import SPAN_KINDS, digest, policy_texts, receipt, texts_of

if TYPE_CHECKING:
    from groundrules.resolvers.base import Answer, Question, Ref, Sources
    from groundrules.resolvers.search import Match
    from groundrules.resolvers.texts import Text
    from groundrules.strictjson import JSON

MOST_CHARACTERS = 1_000_000
"""How many characters all matches of one question have together at most."""


def resolve(question: Question, sources: Sources) -> Answer:
    """How many times a value stands in the texts of one type of source, and where.

    The value of the fact is the number of matches, at least 1: that nothing was found is for typed-absence to say.
    Abstains for want of ``complete_source`` where a text in scope was not recorded, and of ``source_identity`` where
    a policy's text, or the transcript against its manifest, does not have its hash.
    """
    search, source_type = question.parameters["search"], str(question.parameters["in"])
    assert isinstance(search, dict)  # noqa: S101 - by the schema
    texts = texts_in_scope(sources, source_type)
    manifest = sources.archive.manifest
    if texts is None:
        return missing(question, "complete_source")
    if source_type == "POLICY_SOURCE":
        if policy_texts(sources.archive) is None:
            return missing(question, "source_identity")
    elif manifest is not None and manifest.sha256 != sources.archive.sha256:
        return missing(question, "source_identity")
    found = [(text, match) for text in texts for match in matches(text.text, search)]
    if not found:
        return undecided(question, "no_match")
    if len(found) > LISTED_MATCHES or sum(match.end - match.start for _, match in found) > MOST_CHARACTERS:
        return undecided(question, "too_many_matches")
    return Fact(question.name, len(found), numbered(question.name, _refs(found, search)))


def texts_in_scope(sources: Sources, source_type: str) -> tuple[Text, ...] | None:
    """The texts of a type of source in the turns in scope, or of the policies; None where one was not recorded."""
    if source_type == "POLICY_SOURCE":
        if sources.archive.listed("policies") is None:
            return None
        return policy_texts(sources.archive) or ()
    by_turn = [texts_of(turn, source_type) for turn in sources.turns]
    whole = [texts for texts in by_turn if texts is not None]
    return tuple(text for texts in whole for text in texts) if len(whole) == len(by_turn) else None


def _refs(found: list[tuple[Text, Match]], search: dict[str, JSON]) -> list[Ref]:
    """A ref for each match; before those in a result one for its call, without which it proves nothing."""
    refs: list[Ref] = []
    calls: set[str] = set()
    for text, match in found:
        if text.source_type == "TOOL_RESULT" and text.call is not None and text.call.pointer not in calls:
            calls.add(text.call.pointer)
            refs.append(receipt(text.call, "AGENT_TOOL_CALL", {}))
        refs.append(_ref(text, match, search))
    return refs


def _ref(text: Text, match: Match, search: dict[str, JSON]) -> Ref:
    span = text.text[match.start : match.end]
    marks: Ref = {
        "anchor": match.anchor,
        **({"transformation": match.transformation} if match.transformation else {}),
        "source_ref": text.source_ref,
        "source_sha256": digest(text.text),
        "char_start": match.start,
        "char_end": match.end,
        "text_sha256": digest(span),
    }
    if text.call is not None:
        return receipt(text.call, text.source_type, {**text.inputs, "search": search}) | marks
    turn: Ref = {} if text.turn is None else {"turn_index": text.turn}
    named: Ref = {"kind": SPAN_KINDS[text.source_type], "source_type": text.source_type}
    return named | marks | turn | {"text": span, "inputs": {**text.inputs, "search": search}}
