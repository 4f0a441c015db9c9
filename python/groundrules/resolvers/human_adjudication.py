"""human-adjudication: what independent reviewers and an adjudicator decided (resolve.human-adjudication)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.resolvers.archive import whole
from groundrules.resolvers.base import Decision, missing, numbered
from groundrules.strictjson import JSON
from groundrules.times import parse_rfc3339

if TYPE_CHECKING:
    from groundrules.resolvers.base import Answer, Question, Sources

_Label = tuple[int, dict[str, JSON]]
_REVIEWERS = 2


def resolve(question: Question, sources: Sources) -> Answer:
    """The decision of the one adjudicator of a question, who had at least two independent labels.

    A label is independent where its reviewer had seen no other's (``seen`` is empty; where it is absent nobody knows)
    and gave no second one. The adjudicator gave none, states a rationale, and decided after all of them.

    Abstains for want of ``full_evidence`` where one of them saw another transcript than this, ``independent_labels``,
    ``adjudicator`` and ``rationale``.
    """
    listed = [*enumerate(sources.archive.listed("labels") or [])]
    mine = [
        (index, label) for index, label in listed if label["question"] == question.name and _is_meant(label, sources)
    ]
    labels = [entry for entry in mine if entry[1]["role"] == "label"]
    adjudications = [entry for entry in mine if entry[1]["role"] == "adjudicator"]
    if any(label["evidence_sha256"] != sources.archive.sha256 for _, label in mine):
        return missing(question, "full_evidence")
    reviewers = {label["reviewer"] for _, label in labels}
    if len(reviewers) < _REVIEWERS or len(reviewers) < len(labels) or not all(map(_is_independent, labels)):
        return missing(question, "independent_labels")
    if len(adjudications) != 1 or not _is_last(adjudications[0], labels, reviewers):
        return missing(question, "adjudicator")
    index, decided = adjudications[0]
    if "rationale" not in decided:
        return missing(question, "rationale")
    ref = _ref(index, decided, labels)
    return Decision(question.name, decided["decision"], (), numbered(question.name, [ref]))


def _is_meant(label: dict[str, JSON], sources: Sources) -> bool:
    """Whether a label is about the claim that is decided; asked by itself, a question has every label of its name."""
    if sources.predicate is None:
        return True
    match label.get("claim"):
        case {"predicate": predicate, "version": version, "turns": turns}:
            return (predicate, version) == sources.predicate and {*whole(turns)} == {*sources.scope}
    return False


def _is_independent(label: _Label) -> bool:
    return label[1].get("seen") == []


def _is_last(adjudication: _Label, labels: list[_Label], reviewers: set[JSON]) -> bool:
    """Whether the adjudicator is none of the reviewers and decided after all of them; at the same time is not after."""
    decided = adjudication[1]
    times = [parse_rfc3339(str(label["at"])) or 0 for _, label in labels]
    return decided["reviewer"] not in reviewers and (parse_rfc3339(str(decided["at"])) or 0) > max(times)


def _ref(index: int, decided: dict[str, JSON], labels: list[_Label]) -> dict[str, JSON]:
    told: list[JSON] = [
        {"source_ref": f"/labels/{place}", "reviewer": label["reviewer"], "decision": label["decision"]}
        for place, label in labels
    ]
    return {
        "kind": "HUMAN_SIGNOFF",
        "source_type": "HUMAN_REVIEW",
        "anchor": "receipt",
        "source_ref": f"/labels/{index}",
        "inputs": {
            "question": decided["question"],
            "evidence_sha256": decided["evidence_sha256"],
            "labels": told,
            "at": decided["at"],
        },
        "output": {name: decided[name] for name in ("reviewer", "decision", "rationale")},
    }
