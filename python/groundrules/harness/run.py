"""One run from its request to its folder, step by step in their order (harness.order)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from opentelemetry.trace import Link

from groundrules.contract import check_contract
from groundrules.errors import ConfigurationError, KitError
from groundrules.gate import withhold
from groundrules.harness.broker import Broker
from groundrules.harness.delegation import Children
from groundrules.harness.envelopes import Record, envelope_of
from groundrules.harness.invocations import now
from groundrules.harness.outcomes import INPUT_NOT_ACCEPTED, SOURCE_CHANGED, Fault
from groundrules.harness.results import Answer, readable_spans
from groundrules.harness.task import Task
from groundrules.harness.tracing import NOWHERE, RunTracer, line_of, traceparent, within
from groundrules.linter import lint
from groundrules.runs.writing import run_files
from groundrules.sources import check_sources
from groundrules.trace import read_trace
from groundrules.trace.readers import MOST_SPANS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from opentelemetry.trace import Span, SpanContext, Tracer

    from groundrules.harness.broker import Retriever
    from groundrules.harness.delegation import Child, Grants
    from groundrules.harness.task import Agent
    from groundrules.runs.store import RunStore
    from groundrules.sources import Copies
    from groundrules.strictjson import JSON
    from groundrules.verdict import GroundingVerdict, SourceVerdict


@dataclass(frozen=True, slots=True)
class Accepted:
    """A request that a run is made of.

    Attributes:
        request: as data.
        text: the same as a JSON text.
        agent: whom it names.
        input_hash: of its input, under the agent's input canonicalisation.
    """

    request: dict[str, JSON]
    text: bytes
    agent: Agent
    input_hash: str

    @property
    def invocation_id(self) -> str:
        """The id of the run."""
        return str(self.request["invocation_id"])


@dataclass(frozen=True, slots=True)
class Deployment:
    """What all runs of a conductor share; ``child`` runs an agent as a child of a run."""

    store: RunStore
    copies: Copies
    retrievers: Mapping[str, Retriever]
    tracer: Tracer
    grants: Grants
    child: Callable[[Accepted, str, JSON, SpanContext], Child]


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that is stored.

    Attributes:
        envelope: as it was stored.
        grounding: the verdict on the envelope that was judged.
        sources: likewise.
        folder: where the run is stored.
        head: the digest of the line that the store's index has of this run.
        isolation: what stood between the agent and the conductor.
        fault: why the run failed, for an operator; None where it did not, and where only the gate acted.
    """

    envelope: dict[str, JSON]
    grounding: GroundingVerdict
    sources: SourceVerdict
    folder: Path
    head: str
    isolation: str
    fault: Fault | None = None


def run(deployment: Deployment, accepted: Accepted, parent: SpanContext | None = None) -> Finished:
    """Run an agent, and store the run. A run with a parent has no grant.

    Raises:
        RequestError: ``request.reused``, ``request.running``.
        UsageError: ``usage.unwritable``.
    """
    with deployment.store.reserved(accepted.invocation_id):
        return _Run(deployment, accepted, parent).finish()


class _Run:
    """A run under way."""

    def __init__(self, deployment: Deployment, accepted: Accepted, parent: SpanContext | None) -> None:
        self._deployment = deployment
        self._accepted = accepted
        self._spec = accepted.agent.spec
        self._root = self._begin(parent)
        context = self._root.get_span_context()
        self._own = RunTracer(deployment.tracer, context)
        self._agents = RunTracer(deployment.tracer, context)
        mode = self._spec.grounding_mode
        self._broker = Broker(self._own, deployment.copies, deployment.retrievers) if mode == "brokered" else None
        self._children: Children | None = None
        if mode == "delegation" and parent is None:
            self._children = Children(deployment.grants, accepted.invocation_id, self._spec.agent_id, self._child)

    def finish(self) -> Finished:
        """Run the agent, judge what it answers, withhold what fails, store the run."""
        answer = self._perform()
        lists = self._recorded()
        completed_at = now()
        texts, fault = readable_spans(answer.spans, MOST_SPANS - 1 - self._own.count)
        record = Record(
            self._accepted.request, self._spec, f"{self._root.get_span_context().trace_id:032x}", completed_at, lists
        )
        envelope, fault = envelope_of(record, answer.result, answer.fault or fault)
        try:
            sources = check_sources(envelope, self._deployment.copies)
        except ConfigurationError as error:
            fault = Fault("agent.source-changed", f"{error.detail} [{error.code}]", type=SOURCE_CHANGED)
            envelope, fault = envelope_of(record, None, fault)
            sources = check_sources(envelope, self._deployment.copies)
        trace = self._end(envelope, texts)
        grounding = lint(read_trace(trace), envelope)
        released = withhold(envelope, grounding, sources)
        if released is not envelope and (broken := check_contract(released).findings):
            raise KitError("kit.gate", f"the gate made an envelope that breaks the contract: {broken[0]}")
        files = run_files(
            request=self._accepted.request, envelope=released, spans=trace, grounding=grounding, sources=sources
        )
        folder, head = self._deployment.store.write(self._accepted.invocation_id, files)
        return Finished(released, grounding, sources, folder, head, self._accepted.agent.isolation, fault)

    def _begin(self, parent: SpanContext | None) -> Span:
        """The root, with what the conductor alone writes."""
        spec, accepted = self._spec, self._accepted
        attributes: dict[str, str | int] = {
            "dd.grounding_mode": spec.grounding_mode,
            "dd.input_hash": accepted.input_hash,
            "dd.input_canonicalisation": spec.input_canonicalisation,
            "dd.invocation_id": accepted.invocation_id,
            "dd.agent_id": spec.agent_id,
            "dd.agent_version": spec.version,
            "dd.span_profile": spec.span_profile,
            "dd.clock_skew_us": spec.clock_skew_us,
            "groundrules.isolation": accepted.agent.isolation,
        }
        if spec.span_profile == "genai":
            attributes["gen_ai.operation.name"] = "invoke_agent"
        links = None if parent is None else [Link(parent)]
        return self._deployment.tracer.start_span("invoke_agent", NOWHERE, attributes=attributes, links=links)

    def _perform(self) -> Answer:
        """What the agent answers; nothing of it where it does not take the input."""
        stated = self._accepted.request["input"]
        assert isinstance(stated, dict)  # noqa: S101 - by the schema of requests
        if stated["schema_class"] not in self._spec.accepts:
            return Answer(fault=Fault("agent.input-not-accepted", type=INPUT_NOT_ACCEPTED))
        task = Task(
            request=self._accepted.text,
            input_hash=self._accepted.input_hash,
            input_canonicalisation=self._spec.input_canonicalisation,
            traceparent=traceparent(self._root.get_span_context()),
            tracer=self._agents,
            broker=self._broker,
            children=self._children,
        )
        return self._accepted.agent.perform(task)

    def _recorded(self) -> dict[str, JSON]:
        """What the conductor recorded of retrievals and child runs, when there can be no more of them."""
        lists: dict[str, JSON] = {}
        if self._broker is not None:
            self._broker.close()
            lists["retrievals"] = self._broker.records
        if self._children is not None:
            lists["delegations"] = self._children.close()
        return lists

    def _child(self, agent_id: str, child_input: JSON) -> Child:
        context = within(self._root.get_span_context())
        with self._own.start_as_current_span("delegation", context, record_exception=False) as span:
            span.set_attribute("dd.delegated_agent_id", agent_id)
            child = self._deployment.child(self._accepted, agent_id, child_input, self._root.get_span_context())
            span.set_attribute("dd.delegated_invocation_id", child.invocation_id)
        return child

    def _end(self, envelope: JSON, texts: list[bytes]) -> bytes:
        """End the root with the outcome; the trace: the root, the conductor's other spans, the agent's as sent."""
        self._root.set_attribute("dd.outcome", _status(envelope))
        self._root.end()
        return b"\n".join((line_of(self._root), *self._own.texts()[0], *texts, b""))


def _status(envelope: JSON) -> str:
    match envelope:
        case {"outcome": {"status": str(status)}}:
            return status
    raise AssertionError(envelope)  # pragma: no cover - by the contract
