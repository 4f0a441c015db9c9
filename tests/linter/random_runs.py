"""Random runs: a good one with spans added and members of the envelope replaced."""

import mode_runs as runs
from hypothesis import strategies as st

from groundrules.trace import OWNED_ATTRIBUTES
from samples import objects, texts, values

_envelope_parts = st.sampled_from([*runs.envelope("none", [], []), "delegations", "retrievals", "problem"])
_attributes = st.dictionaries(
    st.sampled_from([*sorted(OWNED_ATTRIBUTES), "dd.source_id", "dd.content_hash", "gen_ai.operation.name"])
    | st.just("gen_ai.retrieval.documents"),
    st.one_of(texts, st.integers(), st.booleans(), st.sampled_from(["retrieval", "genai", runs.RECORD_HASH, "[{}]"])),
    max_size=3,
)
_spans = st.builds(
    lambda name, number, parent, times, attributes: (
        runs.span(name, number, *times, parent=parent) | {"attributes": attributes}
    ),
    st.sampled_from(["invoke_agent", "retrieval", "chat", "embeddings x", "other"]),
    st.integers(1, 5),
    st.none() | st.integers(0, 6),
    st.tuples(st.integers(0, 50), st.integers(0, 50)),
    _attributes,
)


_small_changes = st.just({}) | st.fixed_dictionaries(
    {},
    optional={
        "start_ns": st.integers(runs.START - 5, runs.START + 60_000),
        "end_ns": st.integers(runs.START - 5, runs.START + 60_000),
        "parent_id": st.sampled_from([None, *(f"{number:016x}" for number in (1, 2, 3, 9))]),
        "status": st.just("error"),
    },
)
_items = st.builds(
    lambda item, changes, removed: {name: value for name, value in (item | changes).items() if name != removed},
    st.sampled_from([runs.INPUT_ITEM, runs.RECORD_ITEM, runs.CHILD_ITEM]),
    st.dictionaries(st.sampled_from(["source_id", "canonicalisation", "snapshot_ref", "content"]), values, max_size=1),
    st.sampled_from([None, None, "content", "snapshot_ref", "hash_algorithm"]),
)
_references = st.lists(
    st.sampled_from([runs.INPUT_REFERENCE, runs.RECORD_REFERENCE, runs.CHILD_REFERENCE]) | values, max_size=3
)
_near = st.fixed_dictionaries(
    {},
    optional={
        "evidence": st.lists(_items, max_size=3),
        "payload": st.builds(
            lambda root, nested: {"schema_class": "A", "grounded_on": root, "part": [{"grounded_on": nested}]},
            _references,
            _references,
        ),
        "delegations": st.lists(st.sampled_from([runs.DELEGATION, runs.DELEGATION | {"delegated_status": "failed"}])),
        "retrievals": st.lists(
            st.sampled_from(
                [
                    runs.RETRIEVAL_RECORD,
                    runs.RETRIEVAL_RECORD | {"span_id": f"{3:016x}"},
                    runs.RETRIEVAL_RECORD | {"ended_at": "2026-09-21T14:13:20.000025Z"},
                    {name: value for name, value in runs.RETRIEVAL_RECORD.items() if name != "content_hash"}
                    | {"status": "error"},
                ]
            ),
            max_size=3,
        ),
        "grounding_mode": st.sampled_from([*runs.GOOD, "trust"]),
        "outcome": st.sampled_from(["succeeded", "failed", "abstained", "Done"]).map(
            lambda status: {"status": status, "statement": "x"}
        ),
        "problem": st.just({"type": "urn:x:grounding-violation"}),
    },
)


@st.composite
def random_runs(draw):
    """Spans and envelope of a run that may be good, broken in one thing, or in many."""
    good_spans, good = runs.GOOD[draw(st.sampled_from(list(runs.GOOD)))]
    wild = st.dictionaries(_envelope_parts, values | objects, max_size=2) | values
    changes = draw(_near | _near | _near | wild)
    envelope = good | changes if isinstance(changes, dict) else changes
    spans = [span | draw(_small_changes) for span in good_spans]
    if draw(st.booleans()):
        root = spans[0]
        spans[0] = root | {"attributes": root["attributes"] | draw(_attributes)}
    return [*spans, *draw(st.lists(_spans, max_size=3))], envelope
