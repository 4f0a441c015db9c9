"""Both wire forms: the same spans out of either, faults instead of exceptions, refusals with a cause."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules import ReadError
from groundrules.trace import Status, read_trace
from places import HANDED, not_here
from samples import values

TRACE = "6d1fb0c24e9a47538a02c7e15b90d3f4"


def to_json(**changes):
    span = {
        "name": "chat",
        "context": {"trace_id": f"0x{TRACE}", "span_id": "0x1000000000000001", "trace_state": "[]"},
        "parent_id": None,
        "start_time": "2026-09-14T09:26:00.000001Z",
        "end_time": "2026-09-14T09:26:01.000000Z",
        "status": {"status_code": "OK"},
        "attributes": {"s": "x", "i": 9007199254740993, "f": 1.0, "b": True, "l": ["a", 1]},
    }
    return {name: value for name, value in (span | changes).items() if value is not ...}


def otlp(**changes):
    span = {
        "name": "chat",
        "traceId": TRACE.upper(),
        "spanId": "1000000000000001",
        "startTimeUnixNano": "1789377960000001000",
        "endTimeUnixNano": 1789377961000000000,
        "status": {"code": 1},
        "attributes": [
            {"key": "s", "value": {"stringValue": "x"}},
            {"key": "i", "value": {"intValue": "9007199254740993"}},
            {"key": "f", "value": {"doubleValue": 1}},
            {"key": "b", "value": {"boolValue": True}},
            {"key": "l", "value": {"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": 1}]}}},
        ],
    }
    span = {name: value for name, value in (span | changes).items() if value is not ...}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def read(*texts):
    return read_trace("\n".join(json.dumps(text) for text in texts).encode())


def codes(span):
    return [fault.code for fault in span.faults]


def refusal(data):
    with pytest.raises(ReadError) as caught:
        read_trace(data)
    return caught.value


def test_both_forms_give_the_same_span():
    """One span written in either form is one record, to the nanosecond, the integer and the type."""
    (first,), (second,) = read(to_json()), read(otlp())
    assert repr(first) == repr(second)
    assert (first.span_id, first.parent_id, first.trace_id) == ("1000000000000001", None, TRACE)
    assert first.status is Status.OK
    assert first.end_us - first.start_us == 999_999


def test_lines_and_one_text_over_many_lines_are_read():
    """A trace may be JSON Lines, or a single text that spans lines; forms may even be mixed line by line."""
    assert len(read(to_json(), otlp(), to_json())) == 3
    pretty = json.dumps(otlp(), indent=2).encode()
    assert len(read_trace(pretty)) == 1
    assert [span.index for span in read(otlp(), otlp())] == [0, 1]
    assert len(read_trace(json.dumps(to_json()).encode() + b"\n\n \r\n")) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (to_json(name=...), ["g0.span-name"]),
        (to_json(name=7), ["g0.span-name"]),
        (to_json(context=None), ["g0.span-id", "g0.trace-id"]),
        (to_json(context={"span_id": "0x0", "trace_id": "xyz"}), ["g0.span-id", "g0.trace-id"]),
        (to_json(parent_id=""), ["g0.span-id"]),
        (to_json(start_time="yesterday"), ["g0.time"]),
        (to_json(end_time=5), ["g0.time"]),
        (to_json(end_time=None), ["g0.unended-span"]),
        (to_json(end_time=...), ["g0.unended-span"]),
        (to_json(start_time=None, end_time=None), ["g0.time", "g0.unended-span"]),
        (to_json(end_time="2026-09-14T09:25:00Z"), ["g0.end-before-start"]),
        (to_json(status={"status_code": "FINE"}), ["g0.span-status"]),
        (to_json(status={"status_code": True}), ["g0.span-status"]),
        (to_json(status=[]), ["g0.span-status"]),
        (to_json(attributes=None), ["g0.attributes"]),
        (to_json(attributes=...), ["g0.attributes"]),
        (to_json(attributes=[]), ["g0.attributes"]),
        (to_json(status=...), []),
        (otlp(name=...), ["g0.span-name"]),
        (otlp(traceId=...), ["g0.trace-id"]),
        (otlp(spanId="1" * 17), ["g0.span-id"]),
        (otlp(parentSpanId=7), ["g0.span-id"]),
        (otlp(startTimeUnixNano="1.5"), ["g0.time"]),
        (otlp(startTimeUnixNano=1.5e18), ["g0.time"]),
        (otlp(startTimeUnixNano=-1), ["g0.time"]),
        (otlp(startTimeUnixNano="9" * 21), ["g0.time"]),
        (otlp(endTimeUnixNano=True), ["g0.time"]),
        (otlp(endTimeUnixNano="0"), ["g0.unended-span"]),
        (otlp(endTimeUnixNano=...), ["g0.unended-span"]),
        (otlp(status={"code": 3}), ["g0.span-status"]),
        (otlp(status={"code": True}), ["g0.span-status"]),
        (otlp(status={"code": "ERROR"}), ["g0.span-status"]),
        (otlp(attributes={}), ["g0.attributes"]),
        (otlp(attributes=[1]), ["g0.attributes"]),
        (otlp(attributes=[{"key": "a"}]), ["g0.attributes"]),
        (otlp(attributes=[{"key": "a", "value": {}}]), ["g0.attributes"]),
        (otlp(attributes=[{"key": "a", "value": {"intValue": 1.5}}]), ["g0.attributes"]),
        (otlp(attributes=[{"key": "a", "value": {"intValue": True}}]), ["g0.attributes"]),
        (otlp(attributes=[{"key": "a", "value": {"doubleValue": True}}]), ["g0.attributes"]),
        (otlp(attributes=[{"key": "a", "value": {"doubleValue": "one"}}]), ["g0.attributes"]),
        (otlp(attributes=[{"key": "a", "value": {"stringValue": "x", "boolValue": True}}]), ["g0.attributes"]),
        (otlp(attributes=[{"key": "a", "value": {"arrayValue": {"values": 1}}}]), ["g0.attributes"]),
        (otlp(attributes=[{"key": "a", "value": {"arrayValue": {"values": [1]}}}]), ["g0.attributes"]),
        (otlp(attributes=[{"key": "a", "value": {"stringValue": "x"}}] * 2), ["g0.attributes"]),
        (otlp(attributes=...), []),
        (otlp(status=...), []),
    ],
)
def test_what_is_malformed_in_a_span_is_a_fault(text, expected):
    """A malformed part becomes a G0 fault of its own, and the span is still there for the rules to read."""
    (span,) = read(text)
    assert codes(span) == expected


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ({"intValue": "-5"}, -5),
        ({"doubleValue": "NaN"}, "NaN"),
        ({"bytesValue": "AAA="}, {"bytesValue": "AAA="}),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [{"key": "k", "value": {"boolValue": False}}]}}, {"k": False}),
        ({"kvlistValue": {}}, {}),
    ],
)
def test_every_typed_value_is_read(typed, value):
    """The less usual attribute values keep their meaning; octets are never taken for text."""
    (span,) = read(otlp(attributes=[{"key": "a", "value": typed}]))
    assert repr(span.attributes) == repr({"a": value})


@pytest.mark.parametrize("parent", [None, "", "0000000000000000", "0x0", ...])
def test_no_parent_in_otlp(parent):
    """Absent, empty and all-zero parents are no parent."""
    (span,) = read(otlp(parentSpanId=parent))
    assert (span.parent_id, span.faults) == (None, ())


@pytest.mark.parametrize("status", ["STATUS_CODE_ERROR", 2])
def test_both_spellings_of_a_status(status):
    """Numbers and names of the status codes are read alike."""
    (span,) = read(otlp(status={"code": status}))
    assert span.status is Status.ERROR


def test_ids_are_normalised():
    """Prefix, case and leading zeros do not make two ids of one."""
    (first,) = read(to_json(context={"span_id": "0x1", "trace_id": "AB"}))
    (second,) = read(otlp(spanId="0000000000000001", traceId="ab".rjust(32, "0")))
    assert (first.span_id, first.trace_id) == (second.span_id, second.trace_id)


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "read.empty", 1),
        (b"[]", "read.not-a-trace", 1),
        (b'{"data": []}', "read.not-a-trace", 1),
        (b'{"resourceSpans": {}}', "read.not-a-trace", 1),
        (b'{"resourceSpans": [1]}', "read.not-a-trace", 1),
        (b'{"resourceSpans": [{"scopeSpans": [{"spans": [null]}]}]}', "read.not-a-trace", 1),
        (b'{"resourceSpans": []}', "read.not-a-trace", None),
        (json.dumps(to_json()).encode() + b"\n\n{}", "read.empty", 2),
        (json.dumps(to_json()).encode() + b'\n{"a":1,"a":2}', "read.duplicate-name", 2),
        (json.dumps(to_json()).encode() + b"\n7", "read.not-a-trace", 2),
        (json.dumps(otlp(spanId="83xS+PmHhnA=")).encode(), "read.base64-id", 1),
        (json.dumps(otlp(traceId="O9cUr7lK2z43WeqAInc1Ww==")).encode(), "read.base64-id", 1),
        (b'{"context": {"a": 1,\n"a": 2}}', "read.duplicate-name", 2),
    ],
)
def test_what_is_no_trace_is_refused_with_its_line(data, code, line):
    """Other trace formats, base64 ids, empty and broken lines are each refused for what they are."""
    error = refusal(data)
    assert (error.code, error.where.line, error.stage) == (code, line, "parse")


def test_a_trace_has_at_most_100_000_spans():
    """The limit has two sides."""
    line = json.dumps(to_json(attributes={})).encode() + b"\n"
    assert len(read_trace(line * 100_000)) == 100_000
    assert refusal(line * 100_001).code == "read.too-many-spans"


_parts = st.sampled_from(
    ["name", "context", "parent_id", "start_time", "end_time", "status", "attributes", "resourceSpans"]
)


@settings(max_examples=500)
@given(st.dictionaries(_parts, values), st.dictionaries(_parts, values))
def test_any_text_is_spans_or_a_refusal(first, second):
    """Whatever values stand in a span's members, the reader yields records or a ReadError and nothing else."""
    for text in (to_json(**first), otlp(**second), second):
        try:
            spans = read(text)
        except ReadError as error:
            refused = error
            assert refused.code.startswith("read.")
        else:
            assert all(fault.code.startswith("g0.") for span in spans for fault in span.faults)


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("jaeger_ui_selfref_issue821.json", "read.not-a-trace"),
        ("mlflow_trace.json", "read.not-a-trace"),
        ("openinference_retriever_span.json", "read.not-a-trace"),
        ("otlp_protobuf_json_BASE64.json", "read.base64-id"),
        ("opentelemetry-proto_examples_trace.json", 1),
        ("otlp_json_file_exporter.jsonl", 3),
        ("readablespan_to_json.jsonl", 3),
    ],
)
def test_published_traces(name, outcome):
    """Traces as real exporters write them are read, or refused with the right message."""
    path = HANDED / "data" / "traces" / name
    if not path.is_file():
        not_here(f"the published traces are not at {path.parent}")
    if isinstance(outcome, int):
        spans = read_trace(path.read_bytes())
        assert (len(spans), [fault for span in spans for fault in span.faults]) == (outcome, [])
    else:
        assert refusal(path.read_bytes()).code == outcome
