"""Random evaluation records: few ids, few calls, so that much is paired and much is nearly paired."""

from hypothesis import strategies as st

from groundrules.witness import vocabulary

_ids = st.sampled_from(["a", "b", "c", "d"])
_indexes = st.fixed_dictionaries({}, optional={"turn_index": st.integers(0, 1), "call_index": st.integers(0, 1)})
_refs = st.builds(
    lambda ref, indexes, flag: ref | indexes | flag,
    st.fixed_dictionaries(
        {
            "id": _ids,
            "kind": st.sampled_from(["TOOL_RECEIPT", "CALCULATION", *vocabulary().kinds]),
            "source_type": st.sampled_from(["TOOL_RESULT", "AGENT_TOOL_CALL", *vocabulary().source_types]),
            "anchor": st.sampled_from(["exact", "receipt", "turn", "none"]),
        }
    ),
    _indexes,
    st.fixed_dictionaries({}, optional={"can_prove_agent_behaviour": st.booleans()}),
)
_claims = st.fixed_dictionaries(
    {
        "id": _ids,
        "predicate": st.just("example.predicate"),
        "predicate_version": st.just("1"),
        "state": st.just("APPLICABLE_FAIL"),
        "turn_indices": st.just([]),
        "evidence": st.lists(_ids, max_size=4),
        "decided_by": st.just("deterministic"),
    },
    optional={"counterevidence": st.lists(_ids, max_size=2)},
)


def random_records():
    """A record with up to seven refs and four claims."""
    return st.fixed_dictionaries(
        {"refs": st.lists(_refs, max_size=7), "claims": st.lists(_claims, max_size=4)},
        optional={"format": st.just("evaluation-record/1")},
    )


_resolvers = st.sampled_from(
    [*vocabulary().resolvers, "eio.resolver.exact-span", "eio.resolver.semantic-relation", "none"]
)
_facts = st.lists(st.sampled_from(["p", "q", "r"]), max_size=2)
_entries = st.fixed_dictionaries(
    {
        "seq": st.integers(0, 3),
        "claim": st.sampled_from(["c", "d"]),
        "resolver": _resolvers,
        "asked": _facts,
        "established": _facts,
        "open_before": st.lists(st.sampled_from(["p", "q", "r"]), max_size=3),
    }
)
_predicates = st.builds(
    lambda listed: {"id": "p", "version": "1", "polarity": "risk", "resolvers": listed},
    st.lists(_resolvers, max_size=5),
)


def random_logs():
    """A record with lists of resolvers and a log, in and out of order."""
    return st.fixed_dictionaries(
        {"refs": st.just([]), "claims": st.just([])},
        optional={"predicates": st.lists(_predicates, max_size=3), "log": st.lists(_entries, max_size=5)},
    )


_kinds = st.lists(
    st.sampled_from(["AGENT_SPAN", "TOOL_RECEIPT", "POLICY_SPAN", "TYPED_ABSENCE", "USER_INPUT"]), max_size=2
)
_contract = st.fixed_dictionaries(
    {},
    optional={
        "require_all": _kinds,
        "require_any": _kinds,
        "require_groups": st.lists(_kinds, max_size=2),
        "forbid_as_agent_proof": _kinds,
        "minimum_refs": st.integers(0, 2),
        "scope": st.sampled_from(["turn", "episode", "run", "artifact", "paired-episode"]),
        "counterevidence_required": st.booleans(),
        "typed_absence": st.booleans(),
    },
)
_evidence_contract = st.builds(
    lambda contract, more: contract | more,
    _contract,
    st.fixed_dictionaries(
        {}, optional={"pass_contract": _contract, "not_applicable_basis": st.just(["premise_gate", "checker"])}
    ),
)
_turns = st.lists(st.integers(0, 3), max_size=2)
_text = st.sampled_from(["bell", "Bell", "🔔ell", ""])
_full_refs = st.builds(
    lambda ref, more: ref | more,
    _refs,
    st.fixed_dictionaries(
        {},
        optional={
            "kind": st.sampled_from(["AGENT_SPAN", "TOOL_RECEIPT", "POLICY_SPAN", "TYPED_ABSENCE", "HUMAN_SIGNOFF"]),
            "source_type": st.sampled_from(
                ["AGENT_ANSWER", "AGENT_TOOL_CALL", "POLICY_SOURCE", "HUMAN_REVIEW", "JUROR_INFERENCE"]
            ),
            "anchor": st.sampled_from(["exact", "casefold", "turn"]),
            "turn_index": st.sampled_from([0, 1, 2, 2.0]),
            "source_ref": st.sampled_from(["s", "t", "sha256:" + "a" * 64]),
            "source_sha256": st.sampled_from(["a" * 64, "b" * 64]),
            "subject": st.just("x"),
            "char_start": st.integers(0, 3),
            "char_end": st.integers(0, 6),
            "text": _text,
            "text_sha256": st.just("c" * 64),
            "inputs": st.sampled_from(
                [
                    {"turns": [0, 1, 2, 3]},
                    {"turns": [1, "x", True]},
                    3,
                    {"arguments_sha256": "a" * 64, "arguments_pointer": "/x"},
                ]
            ),
            "formula": st.just("f"),
            "output": st.sampled_from([None, {"reviewer": "p:1"}, {"reviewer": ""}, 0]),
        },
    ),
)
_tokens = st.lists(st.sampled_from(["group:1", "no_witnessing_ref", "scope", "minimum_refs"]), max_size=2)
_parameters = st.fixed_dictionaries(
    {},
    optional={
        "fidelity": st.sampled_from(["exact", "narrower"]),
        "recurrence": st.sampled_from(["CONFIRMED", "UNCONFIRMED"]),
        "votes": st.just({"observed": 1}),
        "contract_check": st.fixed_dictionaries(
            {"status": st.sampled_from(["met", "unmet", "not_declared"]), "unmet": _tokens}
        ),
        "applicability_basis": st.fixed_dictionaries(
            {"source": st.sampled_from(["declared_applicability", "checker"])}
        ),
    },
)
_full_claims = st.builds(
    lambda claim, more: claim | more,
    _claims,
    st.fixed_dictionaries(
        {
            "state": st.sampled_from(
                [
                    "APPLICABLE_FAIL",
                    "APPLICABLE_PASS",
                    "APPLICABLE_FAIL",
                    "NOT_APPLICABLE",
                    "UNRESOLVED",
                    "EVIDENCE_INVALID",
                ]
            ),
            "turn_indices": _turns,
            "decided_by": st.sampled_from(["deterministic", "semantic", "human"]),
            "parameters": _parameters,
        }
    ),
)
_declared = st.builds(
    lambda polarity, contract: (
        {
            "id": "example.predicate",
            "version": "1",
            "polarity": polarity,
            "resolvers": [],
        }
        | contract
    ),
    st.sampled_from(["risk", "safeguard", "observation"]),
    st.fixed_dictionaries({}, optional={"evidence_contract": _evidence_contract}),
)
_full_entries = st.builds(
    lambda entry, claim, evaluators: entry | {"claim": claim} | evaluators,
    _entries,
    _ids,
    st.fixed_dictionaries({}, optional={"evaluators": st.lists(st.sampled_from(["e", "f"]), max_size=2)}),
)
_decimals = st.sampled_from(["0", "-0", "0.30", "0.3", "-1.5", "10", "9.99999999999999999999"])


def full_records():
    """A record with everything that the rules of claims and of authority read."""
    return st.fixed_dictionaries(
        {"refs": st.lists(_full_refs, max_size=5), "claims": st.lists(_full_claims, max_size=4)},
        optional={
            "producer_kind": st.sampled_from(["native", "converter"]),
            "predicates": st.lists(_declared, min_size=1, max_size=1) | st.lists(_declared, max_size=2),
            "episodes": st.lists(st.fixed_dictionaries({"id": _ids, "turns": _turns}), max_size=3),
            "sources": st.lists(
                st.fixed_dictionaries(
                    {"id": st.sampled_from(["s", "t"])}, optional={"text": _text, "sha256": st.just("b" * 64)}
                ),
                max_size=2,
            ),
            "log": st.lists(_full_entries, max_size=5),
            "evaluators": st.lists(
                st.fixed_dictionaries(
                    {
                        "id": st.sampled_from(["e", "f"]),
                        "model": st.just("m"),
                        "role": st.just("juror"),
                        "qualification": st.sampled_from(["qualified", "unknown"]),
                    }
                ),
                max_size=2,
            ),
            "findings": st.lists(
                st.fixed_dictionaries(
                    {"id": _ids, "claim": _ids, "kind": st.just("x"), "proof_citations": st.lists(_ids, max_size=2)}
                ),
                max_size=3,
            ),
            "views": st.lists(
                st.fixed_dictionaries(
                    {"id": _ids, "kind": st.just("metric"), "refs": st.lists(_ids, max_size=2)},
                    optional={"value": _decimals, "floor": _decimals},
                ),
                max_size=2,
            ),
            "facts": st.fixed_dictionaries({}, optional={"prohibited_use_case": st.sampled_from([True, False, None])}),
            "intake": st.fixed_dictionaries(
                {},
                optional={
                    "classification": st.fixed_dictionaries(
                        {}, optional={"tier": st.sampled_from(["high", "unacceptable"])}
                    ),
                    "use_case": st.sampled_from(["a", "b"]),
                },
            ),
            "prohibited_use_cases": st.lists(_ids, max_size=1),
            "recommendation": st.fixed_dictionaries(
                {"effect": st.sampled_from(["BLOCK", "REVIEW", "NONE"])},
                optional={name: st.lists(_ids, max_size=2) for name in ("claim_ids", "finding_ids", "evidence_refs")},
            ),
        },
    )
