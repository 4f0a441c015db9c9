"""Runs to lint: a good one for every mode, and ways to change one thing."""

import json

from groundrules import content_hash
from groundrules.trace import read_trace

INVOCATION = "019b7a10-0000-7000-8000-00000000a001"
CHILD = "019b7a10-0000-7000-8000-00000000c001"
TRACE = "6d1fb0c24e9a47538a02c7e15b90d3f4"
INPUT = {"schema_class": "Question", "text": "Which wall?"}
INPUT_HASH = content_hash(INPUT, "dd-input-json-v1")
RECORD = {"source_id": "lichen:7", "name": "Caloplaca"}
RECORD_HASH = content_hash(RECORD, "dd-json-document-v1")
CHILD_HASH = "c" * 64
START = 1_790_000_000_000_000_000


def span(name, number, start_us, end_us, *, parent=1, **attributes):
    """A to_json-like record of one span; ``number`` is its id, times are microseconds after the run's start."""
    return {
        "name": name,
        "span_id": f"{number:016x}",
        "parent_id": None if parent is None else f"{parent:016x}",
        "trace_id": TRACE,
        "start_ns": START + start_us * 1000,
        "end_ns": START + end_us * 1000,
        "attributes": {key.replace("__", "."): value for key, value in attributes.items()},
    }


def root(mode, **attributes):
    return span(
        "invoke_agent", 1, 0, 1000, parent=None, dd__grounding_mode=mode, dd__input_hash=INPUT_HASH, **attributes
    )


def records(spans):
    """The span records of neutral span objects, through the OTLP/JSON reader."""
    return read_trace(json.dumps(to_otlp(spans)).encode())


def to_otlp(spans):
    return {"resourceSpans": [{"scopeSpans": [{"spans": [_otlp(neutral) for neutral in spans]}]}]}


def _otlp(neutral):
    parent = {} if neutral["parent_id"] is None else {"parentSpanId": neutral["parent_id"]}
    return parent | {
        "name": neutral["name"],
        "spanId": neutral["span_id"],
        "traceId": neutral["trace_id"],
        "startTimeUnixNano": str(neutral["start_ns"]),
        "endTimeUnixNano": str(neutral["end_ns"]),
        "status": {"code": 2} if neutral.get("status") == "error" else {},
        "attributes": [{"key": key, "value": _typed(value)} for key, value in neutral["attributes"].items()],
    }


def _typed(value):
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case list():
            return {"arrayValue": {"values": [_typed(inner) for inner in value]}}
    return {"kvlistValue": {"values": [{"key": key, "value": _typed(inner)} for key, inner in value.items()]}}


def item(source_id, digest, name, content=None, **more):
    found = {
        "source_id": source_id,
        "hash_algorithm": "sha256",
        "canonicalisation": name,
        "content_hash": digest,
    } | more
    return found if content is None else found | {"content": content}


def reference(source_id, digest):
    return {"source_id": source_id, "content_hash": digest}


INPUT_ITEM = item(f"input:{INVOCATION}", INPUT_HASH, "dd-input-json-v1", INPUT)
INPUT_REFERENCE = reference(f"input:{INVOCATION}", INPUT_HASH)
RECORD_ITEM = item("lichen:7", RECORD_HASH, "dd-json-document-v1", RECORD, snapshot_ref="snap")
RECORD_REFERENCE = reference("lichen:7", RECORD_HASH)


def envelope(mode, references, evidence, **more):
    return {
        "invocation_id": INVOCATION,
        "agent_id": "surveyor",
        "agent_version": "1",
        "completed_at": "2026-09-14T09:26:00Z",
        "grounding_mode": mode,
        "outcome": {"status": "succeeded", "statement": "Done."},
        "payload": {"schema_class": "Answer", "grounded_on": references},
        "evidence": evidence,
        "requires_human_review": True,
    } | more


RETRIEVAL_SPAN = span("retrieval", 2, 10, 20, dd__source_id="lichen:7", dd__content_hash=RECORD_HASH)
CHAT_SPAN = span("chat", 3, 30, 40)
DELEGATION = {
    "delegated_invocation_id": CHILD,
    "delegated_agent_id": "child",
    "delegated_agent_version": "1",
    "delegated_status": "succeeded",
    "content_hash": CHILD_HASH,
}
CHILD_ITEM = item(f"invocation:{CHILD}", CHILD_HASH, "dd-envelope-json-v1")
CHILD_REFERENCE = reference(f"invocation:{CHILD}", CHILD_HASH)
RETRIEVAL_RECORD = {
    "span_id": f"{2:016x}",
    "status": "ok",
    "source_id": "lichen:7",
    "snapshot_ref": "snap",
    "canonicalisation": "dd-json-document-v1",
    "content_hash": RECORD_HASH,
    "started_at": "2026-09-21T14:13:20.000010Z",
    "ended_at": "2026-09-21T14:13:20.000020Z",
}

GOOD = {
    "retrieval": (
        [root("retrieval"), RETRIEVAL_SPAN, CHAT_SPAN],
        envelope("retrieval", [RECORD_REFERENCE], [RECORD_ITEM]),
    ),
    "input_only": ([root("input_only"), CHAT_SPAN], envelope("input_only", [INPUT_REFERENCE], [INPUT_ITEM])),
    "none": ([root("none")], envelope("none", [INPUT_REFERENCE], [INPUT_ITEM])),
    "delegation": (
        [root("delegation"), CHAT_SPAN],
        envelope("delegation", [INPUT_REFERENCE, CHILD_REFERENCE], [INPUT_ITEM, CHILD_ITEM], delegations=[DELEGATION]),
    ),
    "brokered": (
        [root("brokered"), RETRIEVAL_SPAN, CHAT_SPAN],
        envelope("brokered", [RECORD_REFERENCE], [RECORD_ITEM], retrievals=[RETRIEVAL_RECORD]),
    ),
}
"""A run without findings for every mode, as spans and envelope."""
