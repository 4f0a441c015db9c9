"""policy-lookup: which rules of the supplied policies apply to a term, at a time (resolve.policy-lookup)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.resolvers.archive import objects
from groundrules.resolvers.base import Relation, missing, numbered
from groundrules.resolvers.texts import digest, is_own_text
from groundrules.times import parse_rfc3339

if TYPE_CHECKING:
    from groundrules.resolvers.base import Answer, Question, Ref, Sources
    from groundrules.strictjson import JSON


def resolve(question: Question, sources: Sources) -> Answer:
    """Whether a rule of one kind applies to a term in a scope at a time.

    The relation is between the scope and the term. Where rules apply its refs are their texts; where none does they
    name the policies that were looked through.

    Abstains for want of ``policy_source`` where there is no policy, or one is not the text that its hash names, and
    of ``effective_time`` where no time is stated, or the fact that it is to come from is none.
    """
    kind, term, scope = (str(question.parameters[name]) for name in ("kind", "term", "scope"))
    policies = sources.archive.listed("policies")
    if not policies or not all(map(is_own_text, policies)):
        return missing(question, "policy_source")
    at = _effective_time(question, sources)
    if at is None:
        return missing(question, "effective_time")
    refs = [
        _span(policy, rule)
        for policy in policies
        for rule in objects(policy["rules"])
        if (rule["kind"], rule["term"]) == (kind, term) and covers(str(rule["scope"]), scope) and is_in_force(rule, at)
    ]
    searched = [_provenance(policy) for policy in policies]
    return Relation(question.name, scope, term, bool(refs), numbered(question.name, refs or searched))


def covers(scope: str, asked: str) -> bool:
    """Whether a rule's scope is the one that is asked for, or a path above it."""
    return asked == scope or asked.startswith(f"{scope}/")


def is_in_force(rule: dict[str, JSON], at: int) -> bool:
    """Whether a time, in nanoseconds since 1970, lies from ``valid_from`` on and before ``valid_until``."""
    start, end = (parse_rfc3339(str(rule[name])) if name in rule else None for name in ("valid_from", "valid_until"))
    return (start is None or start <= at) and (end is None or at < end)


def _effective_time(question: Question, sources: Sources) -> int | None:
    match question.parameters.get("at"):
        case {"fact": str(name)}:
            fact = sources.facts.get(name)
            return None if fact is None or not isinstance(fact.value, str) else parse_rfc3339(fact.value)
        case str(stated):
            return parse_rfc3339(stated)
    return None


def _span(policy: dict[str, JSON], rule: dict[str, JSON]) -> Ref:
    start, end = rule["char_start"], rule["char_end"]
    assert isinstance(start, int) and isinstance(end, int)  # noqa: S101, PT018 - by the schema
    text = str(policy["text"])[start:end]
    return {
        "kind": "POLICY_SPAN",
        "source_type": "POLICY_SOURCE",
        "anchor": "exact",
        "source_ref": f"sha256:{policy['sha256']}",
        "source_sha256": policy["sha256"],
        "char_start": start,
        "char_end": end,
        "text": text,
        "text_sha256": digest(text),
        "inputs": {"policy": policy["id"], "kind": rule["kind"], "term": rule["term"], "scope": rule["scope"]},
        **{name: rule[name] for name in ("valid_from", "valid_until") if name in rule},
    }


def _provenance(policy: dict[str, JSON]) -> Ref:
    return {
        "kind": "PROVENANCE",
        "source_type": "HARNESS_SIGNAL",
        "anchor": "document",
        "source_ref": f"sha256:{policy['sha256']}",
        "source_sha256": policy["sha256"],
        "inputs": {"policy": policy["id"]},
    }
