"""The trace of an agent in this process: what it makes is stored, and what is not its own is told."""

import threading

import pytest
from agents import answer, ask, conductor, good, run
from opentelemetry import trace as api
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from groundrules import ConfigurationError, read_trace, verify_run
from groundrules.harness.outcomes import Faulty
from groundrules.harness.tracing import line_of

GOOD = {"valid", "agree", "passed", "nothing-to-check"}


def spans(finished):
    return read_trace((finished.folder / "spans.jsonl").read_bytes())


def test_spans_nest_under_the_root(tmp_path):
    """As with any tracer: the current span is the parent, and the outermost hang on the root."""

    def nests(task):
        with task.tracer.start_as_current_span("outer") as outer:
            outer.set_attribute("n", 1)
            inner = task.tracer.start_span("inner")
            inner.end()
        return good(task)

    finished = run(tmp_path, nests)
    root, outer, inner = spans(finished)
    assert (outer.parent_id, inner.parent_id) == (root.span_id, outer.span_id)
    assert outer.attributes == {"n": 1}
    assert set(verify_run(finished.folder).words.values()) == GOOD


def test_a_span_of_another_thread_hangs_on_the_root(tmp_path):
    """Where no span is current, the root is the parent."""

    def threads(task):
        thread = threading.Thread(target=lambda: task.tracer.start_span("elsewhere").end())
        thread.start()
        thread.join()
        return good(task)

    root, elsewhere = spans(run(tmp_path, threads))
    assert elsewhere.parent_id == root.span_id


def test_the_root_cannot_be_written_through_the_current_span(tmp_path):
    """What an agent sets on it is set on nothing."""

    def meddles(task):
        current = api.get_current_span()
        current.set_attribute("dd.outcome", "forged")
        current.update_name("forged")
        current.end()
        return good(task)

    finished = run(tmp_path, meddles)
    assert [span.name for span in spans(finished)] == ["invoke_agent"]
    assert set(verify_run(finished.folder).words.values()) == GOOD


def owned(task):
    task.tracer.start_span("x", attributes={"dd.grounding_mode": "none"}).end()


def foreign(task):
    task.tracer.start_span("x", Context()).end()


def outside(task):
    parent = api.SpanContext(api.get_current_span().get_span_context().trace_id, 7, is_remote=True)
    task.tracer.start_span("x", api.set_span_in_context(api.NonRecordingSpan(parent))).end()


def second_root(task):
    task.tracer.start_span("invoke_agent").end()


def unended(task):
    task.tracer.start_span("x")


@pytest.mark.parametrize(
    ("does", "code"),
    [
        (owned, "g0.owned-attribute"),
        (foreign, "g0.foreign-trace"),
        (outside, "g0.outside-tree"),
        (second_root, "g0.many-roots"),
        (unended, "g0.unended-span"),
    ],
)
def test_what_is_not_the_agents_reaches_the_linter(tmp_path, does, code):
    """It is stored as it was made, and the result is withheld."""

    def agent(task):
        does(task)
        return good(task)

    finished = run(tmp_path, agent)
    assert code in finished.grounding.codes
    assert len(spans(finished)) == 2
    assert verify_run(finished.folder).words == {
        "contract": "valid",
        "files": "unchecked" if does is second_root else "agree",  # of two roots neither is the root
        "grounding": "withheld",
        "sources": "nothing-to-check",
    }


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800"])
def test_a_span_that_no_reader_reads_is_an_outcome(tmp_path, value):
    """An attribute that strict JSON does not have: the span is not stored, the others are."""

    def odd(task):
        with task.tracer.start_as_current_span("odd", attributes={"x": value}):
            pass
        with task.tracer.start_as_current_span("even"):
            pass
        return good(task)

    finished = run(tmp_path, odd)
    assert finished.fault.code == "agent.malformed-span"
    assert [span.name for span in spans(finished)] == ["invoke_agent", "even"]
    assert set(verify_run(finished.folder).words.values()) == GOOD


def test_a_span_that_cannot_be_written_is_an_outcome(tmp_path):
    """A name that the SDK takes and cannot write."""

    def odd(task):
        task.tracer.start_span(b"odd").end()
        return good(task)

    finished = run(tmp_path, odd)
    assert finished.fault.code == "agent.malformed-span"
    assert set(verify_run(finished.folder).words.values()) == GOOD


def test_what_is_no_span_is_no_line():
    """A span that nobody recorded has no text."""
    with pytest.raises(Faulty, match="malformed-span"):
        line_of(api.INVALID_SPAN)


def test_a_fault_of_the_result_is_told_before_one_of_the_spans(tmp_path):
    """There is one fault, the first."""

    def both(task):
        task.tracer.start_span("odd", attributes={"x": float("nan")}).end()
        raise ValueError

    assert run(tmp_path, both).fault.code == "agent.raised"


def test_output_is_limited(tmp_path):
    """The result and the spans each have so much room."""

    def talks(task):
        return answer(task.input_item(), statement="x" * 9000)

    def traces(task):
        task.tracer.start_span("x" * 9000).end()
        return good(task)

    for agent in (talks, traces):
        assert run(tmp_path, agent, octets=8000).fault.code == "agent.output-limit"


def test_an_agent_that_is_out_of_time_sent_what_had_ended(tmp_path):
    """Its unended span is no account of anything; the run fails as timed out."""
    stop = threading.Event()

    def slow(task):
        task.tracer.start_span("ended").end()
        with task.tracer.start_as_current_span("running"):
            stop.wait(10)

    finished = run(tmp_path, slow, seconds=0.2)
    stop.set()
    assert finished.fault.code == "agent.timed-out"
    assert [span.name for span in spans(finished)] == ["invoke_agent", "ended"]
    assert set(verify_run(finished.folder).words.values()) == GOOD


def test_an_interrupt_within_a_limited_run_is_the_agents(tmp_path):
    """It was raised in a thread of the agent's, where nobody interrupts."""

    def stopped(_task):
        raise KeyboardInterrupt

    assert run(tmp_path, stopped, seconds=10).fault.code == "agent.raised"


def test_an_agent_in_time_is_no_matter(tmp_path):
    """With a limit as without one."""
    assert run(tmp_path, seconds=10).fault is None


def test_spans_are_exported_as_usual(tmp_path):
    """A deployment's own processors see the conductor's spans and the agent's."""
    exporter = InMemorySpanExporter()

    def works(task):
        task.tracer.start_span("work").end()
        return good(task)

    run(tmp_path, works, span_processors=[SimpleSpanProcessor(exporter)])
    assert {span.name for span in exporter.get_finished_spans()} == {"invoke_agent", "work"}


def test_the_environment_does_not_thin_the_trace(tmp_path, monkeypatch):
    """Samplers and limits of the environment are not the conductor's; without tracing it does not start."""
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    monkeypatch.setenv("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "1")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "secret=1")
    finished = run(tmp_path)
    assert finished.grounding.status == "passed"
    assert b"secret" not in (finished.folder / "spans.jsonl").read_bytes()
    monkeypatch.setenv("OTEL_SDK_DISABLED", "TRUE")
    with pytest.raises(ConfigurationError, match=r"config\.tracing-disabled"):
        conductor(tmp_path)


def test_ids_do_not_come_from_the_random_module(tmp_path):
    """An agent that seeds it makes no id come twice."""
    import random  # noqa: PLC0415

    def seeds(task):
        random.seed(1)
        return good(task)

    made = conductor(tmp_path, seeds)
    traces = {made.invoke(ask()).envelope["telemetry"]["trace_id"] for _ in range(3)}
    assert len(traces) == 3


ODD = [
    {"start_time": 10**40},
    {"start_time": -(10**30)},
    {"start_time": float("inf")},
    {"start_time": float("nan")},
    {"start_time": "now"},
]


@pytest.mark.parametrize("stated", ODD)
def test_a_time_that_is_none_is_an_outcome(tmp_path, stated):
    """The SDK takes whatever it is given; the span is not stored, those beside it are."""

    def odd(task):
        task.tracer.start_span("odd", **stated).end()
        task.tracer.start_span("even").end()
        return good(task)

    finished = run(tmp_path, odd)
    assert finished.fault.code == "agent.malformed-span"
    assert [span.name for span in spans(finished)] == ["invoke_agent", "even"]
    assert set(verify_run(finished.folder).words.values()) == GOOD


def test_a_span_whose_text_stops_the_process_is_an_outcome(tmp_path):
    """What is written of it is code of the agent's."""

    class Name(str):
        __slots__ = ()

        def __iter__(self):
            raise SystemExit

    class Kind:
        def __str__(self):
            raise SystemExit

    def odd(task):
        task.tracer.start_span(Name("odd"), kind=Kind()).end()
        return good(task)

    finished = run(tmp_path, odd)
    assert finished.fault.code == "agent.malformed-span"
    assert set(verify_run(finished.folder).words.values()) == GOOD


def test_an_interrupt_while_a_span_is_written_is_the_operators():
    """It goes through."""

    class Interrupted(ReadableSpan):
        def to_json(self, **_):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        line_of(Interrupted("x"))


def test_a_task_without_its_tracer_is_still_traced(tmp_path):
    """An agent that takes the tracer off its task has made the spans that it made."""

    def hides(task):
        task.tracer.start_span("made").end()
        task.tracer = None
        return good(task)

    finished = run(tmp_path, hides)
    assert finished.fault is None
    assert [span.name for span in spans(finished)] == ["invoke_agent", "made"]
