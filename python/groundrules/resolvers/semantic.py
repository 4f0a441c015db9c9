"""semantic-relation and semantic-classification: one bounded question to evaluators (resolve.semantic)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.resolvers.base import Abstain, Fact, Relation, missing, numbered, refuse_parameter, undecided
from groundrules.resolvers.evaluator import ABSTENTION, BoundedQuestion, poll
from groundrules.resolvers.exact_span import texts_in_scope
from groundrules.resolvers.texts import SPAN_KINDS, digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.resolvers.base import Answer, Question, Ref, Sources
    from groundrules.resolvers.evaluator import Poll
    from groundrules.resolvers.texts import Text
    from groundrules.strictjson import JSON

HOLDS, DOES_NOT_HOLD = "holds", "does-not-hold"
_SIDES = ("evidence", "counterevidence")
LARGEST_SCOPE = 20_000
"""How many characters of evidence and counterevidence one question may show."""


def resolve_relation(question: Question, sources: Sources) -> Answer:
    """Whether one relation holds between a subject and an object, by the votes of the evaluators.

    Abstains for want of any of ``relation``, ``candidate_subject``, ``candidate_object``, ``evidence`` and
    ``counterevidence``; as ``scope`` where the spans are too long; as the evaluators leave it, see
    :func:`groundrules.resolvers.evaluator.poll`.
    """
    stated = question.parameters
    subject, end = (_candidate(stated.get(name), sources) for name in ("subject", "object"))
    wanted = {"relation": stated.get("relation"), "candidate_subject": subject, "candidate_object": end}
    for requirement, value in wanted.items():
        if value is None:
            return missing(question, requirement)
    definition = f" ({stated['definition']})" if "definition" in stated else ""
    task = f"Does the relation {stated['relation']}{definition} hold from {subject} to {end}?"
    classes = {HOLDS: "the spans show that it holds", DOES_NOT_HOLD: "the spans show that it does not hold"}
    asked = _ask(question, sources, task, classes)
    if isinstance(asked, Abstain):
        return asked
    counted, refs, counterrefs = asked
    holds = counted.answer == HOLDS
    return Relation(question.name, str(subject), str(end), holds, refs, counted.votes, counterrefs)


def resolve_classification(question: Question, sources: Sources) -> Answer:
    """Which class of a closed list a thing belongs to, by the votes of the evaluators.

    Abstains for want of ``closed_classes``, ``object``, ``evidence`` and ``counterevidence``, and as a relation does.

    Raises:
        SchemaError: ``schema.question``: a class stands twice, or is named as an abstention is.
    """
    stated = question.parameters
    thing, classes = _candidate(stated.get("object"), sources), _classes(stated)
    if not classes:
        return missing(question, "closed_classes")
    if thing is None:
        return missing(question, "object")
    asked = _ask(question, sources, f"Which of these classes does {thing} belong to?", classes)
    if isinstance(asked, Abstain):
        return asked
    counted, refs, counterrefs = asked
    return Fact(question.name, counted.answer, refs, counted.votes, counterrefs)


def _classes(stated: Mapping[str, JSON]) -> dict[str, str]:
    listed = stated.get("classes", [])
    assert isinstance(listed, list)  # noqa: S101 - by the schema
    classes: dict[str, str] = {}
    for index, entry in enumerate(listed):
        assert isinstance(entry, dict)  # noqa: S101 - by the schema
        if entry["id"] in classes:
            refuse_parameter("the class stands twice", f"classes/{index}")
        if entry["id"] == ABSTENTION:
            refuse_parameter("no class may be named as an abstention is", f"classes/{index}")
        classes[str(entry["id"])] = str(entry.get("description", ""))
    return classes


def _candidate(stated: JSON, sources: Sources) -> str | None:
    """What a relation is asked of: a text, or a fact's."""
    match stated:
        case str():
            return stated
        case {"fact": str(name)} if name in sources.facts:
            return str(sources.facts[name].value)
    return None


def _ask(
    question: Question, sources: Sources, task: str, classes: Mapping[str, str]
) -> Abstain | tuple[Poll, tuple[Ref, ...], tuple[Ref, ...]]:
    """The evaluators' answer, and the spans that they were shown, for and against."""
    stated = question.parameters
    evidence, counterevidence = (_spans(stated[side], sources) if side in stated else None for side in _SIDES)
    if not evidence:
        return missing(question, "evidence")
    if counterevidence is None:
        return missing(question, "counterevidence")
    texts = [[str(ref["text"]) for ref in side] for side in (evidence, counterevidence)]
    if sum(len(text) for side in texts for text in side) > LARGEST_SCOPE:
        return undecided(question, "scope")
    prompt = BoundedQuestion(question.name, task, classes, tuple(texts[0]), tuple(texts[1]))
    counted = poll(prompt, sources.evaluators, majority=question.parameters.get("agree") == "majority")
    if counted.answer is None:
        return Abstain(question.name, counted.lack, counted.because, votes=counted.votes)
    refs = numbered(question.name, evidence)
    return counted, refs, numbered(question.name, counterevidence, len(refs))


def _spans(stated: JSON, sources: Sources) -> list[Ref] | None:
    """The spans that a parameter names; None where one of them is not there."""
    assert isinstance(stated, list)  # noqa: S101 - by the schema
    refs: list[Ref] = []
    for entry in stated:
        assert isinstance(entry, dict)  # noqa: S101 - by the schema
        found = _found(sources, str(entry["fact"])) if "fact" in entry else _said(sources, str(entry["source_type"]))
        if found is None:
            return None
        refs.extend(found)
    return refs


def _found(sources: Sources, name: str) -> list[Ref] | None:
    """The spans of a fact, without their ids; None where it has none."""
    fact = sources.facts.get(name)
    shown = [] if fact is None else [ref for ref in fact.refs if "text" in ref]
    return [{key: value for key, value in ref.items() if key != "id"} for ref in shown] or None


def _said(sources: Sources, source_type: str) -> list[Ref] | None:
    """The whole texts of a type of source in scope; None where one was not recorded."""
    texts = texts_in_scope(sources, source_type)
    return None if texts is None else [_whole(text) for text in texts]


def _whole(text: Text) -> Ref:
    """A text as a whole: where it is, but not where in it the answer lies, so that it does not witness."""
    return {
        "kind": SPAN_KINDS[text.source_type],
        "source_type": text.source_type,
        "anchor": "turn",
        "source_ref": text.source_ref,
        "source_sha256": digest(text.text),
        "turn_index": text.turn,
        "char_start": 0,
        "char_end": len(text.text),
        "text": text.text,
        "text_sha256": digest(text.text),
    }
