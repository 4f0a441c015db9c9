"""The conductor: takes requests, and runs the agents that they name (chapter *Harness*)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules import strictjson
from groundrules.canonical import content_hash
from groundrules.documents import departures
from groundrules.errors import CanonicalError, ConfigurationError, ReadError, RequestError, Where, show
from groundrules.harness.delegation import Child, Grants
from groundrules.harness.invocations import request_for
from groundrules.harness.run import Accepted, Deployment, Finished, run
from groundrules.harness.tracing import provider
from groundrules.runs.writing import page
from groundrules.sources import NO_COPIES
from groundrules.strictjson import pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.trace import SpanContext

    from groundrules.harness.broker import Retriever
    from groundrules.harness.task import Agent
    from groundrules.runs.store import RunStore
    from groundrules.sources import Copies
    from groundrules.strictjson import JSON


class Conductor:
    """Runs agents. Several threads may invoke one conductor at once."""

    def __init__(
        self,
        agents: Iterable[Agent],
        store: RunStore,
        *,
        copies: Copies = NO_COPIES,
        retrievers: Mapping[str, Retriever] | None = None,
        span_processors: Sequence[SpanProcessor] = (),
    ) -> None:
        """Be ready to run.

        Args:
            agents: those that can be run, each with an ``agent_id`` of its own.
            store: where the runs are stored; it is made, and cleared up after a crash.
            copies: the pinned copies, proven before the first run.
            retrievers: what agents in mode ``brokered`` may query, by name.
            span_processors: OpenTelemetry span processors that see every span of an agent in this process and every
                span of the conductor.

        Raises:
            ConfigurationError: ``config.agent``: two agents have one id; ``config.tracing-disabled``.
            UsageError: ``usage.unwritable``: the store cannot be made.
        """
        self._agents: dict[str, Agent] = {}
        for agent in agents:
            if self._agents.setdefault(agent.spec.agent_id, agent) is not agent:
                detail = f"two agents have the id {show(agent.spec.agent_id)}"
                raise ConfigurationError("config.agent", detail, remedy="give each its own id")
        self._deployment = Deployment(
            store=store,
            copies=copies,
            retrievers=retrievers or {},
            tracer=provider(span_processors).get_tracer("groundrules"),
            grants=Grants(),
            child=self._child,
        )
        store.prepare()

    def invoke(self, request: JSON) -> Finished:
        """Run an agent on a request, and store the run.

        Args:
            request: a request of ``schemas/request.json``, without ``parent_invocation_id``.

        Returns:
            The stored run: whatever went wrong after the request was accepted is its outcome.

        Raises:
            RequestError: no run is made of this request, and nothing is stored: ``request.malformed``,
                ``request.parent-set``, ``request.unknown-agent``, ``request.other-version``, ``request.reused``,
                ``request.running``.
            UsageError: ``usage.unwritable``: the run could not be stored.
        """
        if isinstance(request, dict) and "parent_invocation_id" in request:
            raise RequestError(
                "request.parent-set",
                "a caller does not say which run is the parent",
                where=Where(pointer="/parent_invocation_id"),
                remedy="leave it out; the conductor sets it for child runs",
            )
        return run(self._deployment, self._accepted(request))

    def _accepted(self, request: JSON) -> Accepted:
        """A request that a run will be made of.

        Raises:
            RequestError: there will be none.
        """
        try:
            text = page(request)
        except (CanonicalError, ReadError) as error:
            raise _malformed(error.detail, error.where.pointer) from None
        for path, detail in departures(request, "request"):
            raise _malformed(detail, pointer(path))
        own = strictjson.loads(text)
        assert isinstance(own, dict)  # noqa: S101 - by its schema
        agent = self._agents.get(str(own["agent_id"]))
        if agent is None:
            detail = f"there is no agent {show(str(own['agent_id']))}"
            remedy = f"name one of {', '.join(map(show, self._agents)) or 'the agents that are there: none is'}"
            raise RequestError("request.unknown-agent", detail, where=Where(pointer="/agent_id"), remedy=remedy)
        if own.get("agent_version", agent.spec.version) != agent.spec.version:
            raise RequestError(
                "request.other-version",
                f"the agent's version is {show(agent.spec.version)}",
                where=Where(pointer="/agent_version"),
                remedy="ask for that version, or for none",
            )
        try:
            digest = content_hash(own["input"], agent.spec.input_canonicalisation)
        except CanonicalError as error:
            raise _malformed(error.detail, f"/input{error.where.pointer or ''}") from None
        return Accepted(own, text, agent, digest)

    def _child(self, parent: Accepted, agent_id: str, child_input: JSON, link: SpanContext) -> Child:
        """Run an agent as a child: an ordinary run, stored before its parent, that has no grant of its own.

        Raises:
            RequestError: no run is made of this.
        """
        carried = {name: parent.request[name] for name in _INHERITED if name in parent.request}
        request = request_for(agent_id, child_input) | carried | {"parent_invocation_id": parent.invocation_id}
        accepted = self._accepted(request)
        finished = run(self._deployment, accepted, parent=link)
        spec = accepted.agent.spec
        return Child(accepted.invocation_id, spec.agent_id, spec.version, finished.envelope)


_INHERITED = ("conversation_id", "acting_for", "policy_bundle_ref")
"""What a child run takes over from its parent's request."""


def _malformed(detail: str, at: str | None) -> RequestError:
    return RequestError(
        "request.malformed", detail, where=Where(pointer=at), remedy="see schemas/request.json and groundrules request"
    )
