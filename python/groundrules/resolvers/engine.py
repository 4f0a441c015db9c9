"""The engine: a transcript archive and predicates in, an evaluation record out (resolve.engine)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.resolvers.archive import read_archive
from groundrules.resolvers.base import Decision, Lack
from groundrules.resolvers.instance import Instance
from groundrules.resolvers.predicates import read_predicates
from groundrules.resolvers.recording import completed
from groundrules.witness.deciding import DETERMINISTIC, SEMANTIC
from groundrules.witness.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from groundrules.resolvers.archive import Archive
    from groundrules.resolvers.base import Ref
    from groundrules.resolvers.evaluator import Evaluator
    from groundrules.resolvers.predicates import Predicate
    from groundrules.strictjson import JSON


def resolve_archive(
    archive: JSON, predicates: JSON, evaluators: Mapping[str, Evaluator] | None = None, *, declared: Sequence[JSON] = ()
) -> JSON:
    """Decide every predicate over every part of a run that its scope names.

    Args:
        archive: of ``schemas/archive.json``.
        predicates: of ``schemas/predicates.json``.
        evaluators: whom semantic resolvers ask, by name; nobody by default.
        declared: what the record declares of them, of ``schemas/evaluation-record.json#/$defs/evaluator``.

    Returns:
        A record of ``schemas/evaluation-record.json`` in which the resolvers are in order (rules O1 to O3).

    Raises:
        SchemaError: ``schema.archive``, ``schema.predicates``, ``schema.expression``, or ``schema.question`` for
            parameters that their schema admits and that ask for nothing.
    """
    run, stated = read_archive(archive), read_predicates(predicates)
    instances = [instance for predicate in stated for instance in _instances(predicate, run)]
    for instance in instances:
        instance.run(run, evaluators or {})
    entries = [entry for instance in instances for entry in instance.log]
    made: dict[str, JSON] = {
        "format": "evaluation-record/1",
        "producer_kind": "native",
        "refs": [ref for instance in instances for ref in _refs(instance)],
        "claims": [_claim(instance) for instance in instances],
        "predicates": [{**predicate.stated} for predicate in stated],
        "episodes": [_episode(str(episode), turns) for episode, turns in run.episodes],
        "log": [{"seq": seq, **entry} for seq, entry in enumerate(entries)],
    }
    return completed(made | ({"evaluators": [*declared]} if declared else {}))


def _episode(name: str, turns: Iterable[int]) -> JSON:
    return {"id": name, "turns": [*sorted(turns)]}


def _instances(predicate: Predicate, run: Archive) -> Iterator[Instance]:
    """The predicate over each turn, each episode, or the whole run."""
    named = f"{_part(predicate.id)}@{_part(predicate.version)}"
    match predicate.scope:
        case "turn":
            for turn in run.turns:
                yield Instance(predicate, f"{named}/turn-{turn.index}", (turn.index,))
        case "episode":
            for episode, turns in run.episodes:
                yield Instance(predicate, f"{named}/episode-{_part(str(episode))}", tuple(sorted(turns)))
        case _:
            yield Instance(predicate, f"{named}/run", tuple(turn.index for turn in run.turns))


def _part(text: str) -> str:
    """A part of a claim's id, such that no two claims have one id."""
    return text.replace("~", "~0").replace("/", "~1").replace("@", "~2")


def _refs(instance: Instance) -> Iterator[Ref]:
    """All that was established, with ids that belong to the claim."""
    for fact in instance.facts.values():
        for ref in (*fact.refs, *_against(instance, fact.name)):
            yield {**ref, "id": f"{instance.claim}/{ref['id']}"}


def _against(instance: Instance, name: str) -> tuple[Ref, ...]:
    fact = instance.facts[name]
    return () if isinstance(fact, Decision) else fact.counterrefs


def _claim(instance: Instance) -> JSON:
    state = instance.state if instance.is_decided else None
    over = _rested_on(instance, instance.rests_on if state else instance.facts)
    cited = [ref["id"] for name in over for ref in instance.facts[name].refs]
    against = [ref["id"] for name in over for ref in _against(instance, name)]
    claim: dict[str, JSON] = {
        "id": instance.claim,
        "predicate": instance.predicate.id,
        "predicate_version": instance.predicate.version,
        "state": state or _open_state(instance),
        "turn_indices": [*instance.scope],
        "evidence": [f"{instance.claim}/{ref_id}" for ref_id in cited],
        "decided_by": _kind_of_asking(instance),
        "resolvers": [*instance.asked],
        "parameters": _parameters(instance, state),
    }
    return claim | ({"counterevidence": [f"{instance.claim}/{ref_id}" for ref_id in against]} if against else {})


def _rested_on(instance: Instance, names: Iterable[str]) -> list[str]:
    """Facts with those that they were computed from, in the order in which they were established."""
    wanted: set[str] = set()
    pending = [*names]
    while pending:
        name = pending.pop()
        if name not in wanted:
            wanted.add(name)
            pending.extend(instance.basis[name])
    return [name for name in instance.facts if name in wanted]


def _kind_of_asking(instance: Instance) -> str:
    """Who decided where nothing was established: an evaluator where one was asked; else the log is read."""
    kinds = {vocabulary().resolvers[name].kind for name in instance.asked}
    return SEMANTIC if SEMANTIC in kinds else DETERMINISTIC


def _unknown(instance: Instance) -> list[str]:
    """The facts that leave the decision open, sorted; none where they are known and decide nothing."""
    applies = instance.verdicts.get("applies_when")
    if applies is not None and applies.truth is None:
        return sorted(applies.over)
    open_rules = [verdict for verdict in instance.verdicts.values() if verdict.truth is None]
    return sorted({name for verdict in open_rules for name in verdict.over})


def _open_state(instance: Instance) -> str:
    """The state of a claim that is not decided, by what its open facts lack; never a pass (resolve.undecided)."""
    lacks = {lacking.lack for name in _unknown(instance) for _, lacking in instance.lacks.get(name, ())}
    if Lack.FAULT in lacks:
        return "EVALUATOR_ERROR"
    return "EVIDENCE_INCOMPLETE" if Lack.MISSING in lacks else "UNRESOLVED"


def _basis(instance: Instance) -> str:
    """What a claim that is set aside rests on: the precondition that was declared, under a name that is allowed."""
    match instance.predicate.stated.get("evidence_contract"):
        case {"not_applicable_basis": [str(first), *others]} if "declared_applicability" not in (first, *others):
            return first
    return "declared_applicability"


def _parameters(instance: Instance, state: str | None) -> JSON:
    told: dict[str, JSON] = {}
    if state == "NOT_APPLICABLE":
        told["applicability_basis"] = {"source": _basis(instance)}
    if state is None:
        told["open"] = [*_unknown(instance)]
    lacking: list[JSON] = [
        {"fact": name, "resolver": resolver, "lack": lack.lack.value, "because": lack.because}
        for name, lacks in instance.lacks.items()
        for resolver, lack in lacks
    ]
    votes = [*instance.votes]
    return told | ({"abstained": lacking} if lacking else {}) | ({"votes": votes} if votes else {})
