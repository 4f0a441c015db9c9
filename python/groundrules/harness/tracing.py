"""The trace of a run: real OpenTelemetry spans, collected run by run as the lines that are stored (harness.trace)."""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from typing import TYPE_CHECKING, Any

from opentelemetry import trace as api
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

from groundrules.errors import ConfigurationError
from groundrules.harness.outcomes import Fault, Faulty

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from opentelemetry.sdk.trace import SpanProcessor

_UNLIMITED = SpanLimits(
    max_span_attributes=SpanLimits.UNSET,
    max_events=SpanLimits.UNSET,
    max_links=SpanLimits.UNSET,
    max_span_attribute_length=SpanLimits.UNSET,
    max_event_attributes=SpanLimits.UNSET,
    max_link_attributes=SpanLimits.UNSET,
    max_attributes=SpanLimits.UNSET,
    max_attribute_length=SpanLimits.UNSET,
)


class _Ids(IdGenerator):
    """Ids that no agent can foresee or repeat, whatever it does to the generator of random numbers."""

    def generate_span_id(self) -> int:
        return secrets.randbits(64) or 1

    def generate_trace_id(self) -> int:
        return secrets.randbits(128) or 1


def provider(processors: Sequence[SpanProcessor]) -> TracerProvider:
    """A provider whose spans no variable of the environment thins out or cuts.

    Args:
        processors: what the deployment exports spans with.

    Raises:
        ConfigurationError: ``config.tracing-disabled``.
    """
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        raise ConfigurationError(
            "config.tracing-disabled",
            "OTEL_SDK_DISABLED is set, and a run without a trace cannot be judged",
            remedy="unset it",
        )
    made = TracerProvider(
        sampler=ALWAYS_ON,
        resource=Resource({"service.name": "groundrules"}),
        shutdown_on_exit=False,
        id_generator=_Ids(),
        span_limits=_UNLIMITED,
    )
    for processor in processors:
        made.add_span_processor(processor)
    return made


class RunTracer(api.Tracer):
    """The tracer of one run: every span that is started with it belongs to the run, in whichever thread.

    A span without a parent of its own becomes a child of ``parent``.
    """

    def __init__(self, tracer: api.Tracer, parent: api.SpanContext | None = None) -> None:
        """Collect the spans that are started with this tracer.

        Args:
            tracer: makes the spans.
            parent: the parent of a span that is started where no span is current.
        """
        self._tracer = tracer
        self._parent = parent
        self._spans: list[api.Span] = []
        self._lock = threading.Lock()

    def start_span(self, name: str, context: Context | None = None, *rest: Any, **named: Any) -> api.Span:  # noqa: ANN401 - passed on as they are
        """As any tracer."""
        if context is None and self._parent is not None and not api.get_current_span().get_span_context().is_valid:
            context = within(self._parent)
        span = self._tracer.start_span(name, context, *rest, **named)
        with self._lock:
            self._spans.append(span)
        return span

    @contextlib.contextmanager
    def start_as_current_span(  # type: ignore[override]  # it is a decorator too, as the SDK's
        self,
        name: str,
        *rest: Any,  # noqa: ANN401 - passed on as they are
        end_on_exit: bool = True,
        record_exception: bool = True,
        set_status_on_exception: bool = True,
        **named: Any,  # noqa: ANN401
    ) -> Iterator[api.Span]:
        """As any tracer."""
        span = self.start_span(name, *rest, **named)
        with api.use_span(span, end_on_exit, record_exception, set_status_on_exception) as current:
            yield current

    @property
    def count(self) -> int:
        """How many spans were started."""
        return len(self._spans)

    def texts(self, *, ended: bool = False) -> tuple[list[bytes], Fault | None]:
        """Every span so far as its line, in the order of their starts; one that has not ended says so.

        Args:
            ended: leave out those that have not ended.

        Returns:
            The lines, and a fault where a span cannot be written; the others are there.
        """
        with self._lock:
            spans = list(self._spans)
        lines, fault = [], None
        for span in spans:
            try:
                if not (ended and span.is_recording()):
                    lines.append(line_of(span))
            except Faulty as faulty:
                fault = fault or faulty.fault
        return lines, fault


def line_of(span: api.Span) -> bytes:
    """A span as its line.

    Raises:
        Faulty: ``agent.malformed-span``.
    """
    if not isinstance(span, ReadableSpan):
        raise Faulty("agent.malformed-span", "it is no span of the tracer")
    try:
        text: str = span.to_json(indent=None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - its name, times and values are the agent's
        raise Faulty("agent.malformed-span", f"{type(error).__name__} while it was written") from None
    return text.encode()


NOWHERE = Context()
"""A context without a current span: what is started in it begins a trace."""


def parent_of(traceparent: str) -> api.SpanContext:
    """The span that a ``traceparent`` of this harness names."""
    _, trace_id, span_id, flags = traceparent.split("-")
    return api.SpanContext(
        int(trace_id, 16), int(span_id, 16), is_remote=False, trace_flags=api.TraceFlags(int(flags, 16))
    )


def within(parent: api.SpanContext) -> Context:
    """A context in which a span is the parent that nobody there can write to."""
    return api.set_span_in_context(api.NonRecordingSpan(parent), NOWHERE)


def traceparent(span: api.SpanContext) -> str:
    """A span as W3C Trace Context names it in ``traceparent``."""
    return f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags:02x}"
