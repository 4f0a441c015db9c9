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
