"""What an agent gets of a run, and what it may ask the conductor for (agent.task)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from groundrules.harness.outcomes import Refused
from groundrules.strictjson import loads

if TYPE_CHECKING:
    from groundrules.harness.broker import Broker
    from groundrules.harness.delegation import Children
    from groundrules.harness.results import Answer
    from groundrules.harness.specification import AgentSpec
    from groundrules.harness.tracing import RunTracer
    from groundrules.strictjson import JSON

DOCUMENT_NAME = "dd-json-document-v1"
"""The canonicalisation of a retrieved record where the agent names none: every record has octets under it."""


class Agent(Protocol):
    """Whatever the conductor can run."""

    @property
    def spec(self) -> AgentSpec:
        """What the deployment says of it."""

    @property
    def isolation(self) -> str:
        """What stands between it and the conductor: ``none``, or the name of what does."""

    def perform(self, task: Task) -> Answer:
        """Run it once. Whatever it does is in the answer; it raises nothing of the agent's."""


class Task:
    """One run, as its agent sees it.

    Attributes:
        input_ref: the source id under which the input is cited, ``input:<invocation_id>``.
        input_hash: its content hash, as the conductor computed it.
        input_canonicalisation: under which name.
        traceparent: the root span, as W3C Trace Context writes it.
        tracer: makes the spans of the run; those of an agent in this process.
        grant: what a child run is asked for with, in mode ``delegation``; else None.
    """

    def __init__(  # noqa: PLR0913 - what there is, by name
        self,
        *,
        request: bytes,
        input_hash: str,
        input_canonicalisation: str,
        traceparent: str,
        tracer: RunTracer,
        broker: Broker | None = None,
        children: Children | None = None,
    ) -> None:
        """Put together what an agent gets.

        Args:
            request: the request as a JSON text; the agent's own copy is made of it.
            input_hash: see the attributes, as for the next three.
            input_canonicalisation: likewise.
            traceparent: likewise.
            tracer: likewise.
            broker: answers what it wants to retrieve, or None where its mode has no broker.
            children: answers what it wants to delegate, or None where its mode has no grant.
        """
        self.request_text = request
        document = loads(request)
        assert isinstance(document, dict)  # noqa: S101 - it was accepted
        self.request: dict[str, JSON] = document
        self.input_ref = f"input:{document['invocation_id']}"
        self.input_hash = input_hash
        self.input_canonicalisation = input_canonicalisation
        self.traceparent = traceparent
        self.tracer = tracer
        self.grant = None if children is None else children.grant
        self._broker = broker
        self._children = children

    @property
    def input(self) -> JSON:
        """The input."""
        return self.request["input"]

    def input_item(self) -> dict[str, JSON]:
        """The evidence item that cites the input."""
        return {
            "source_id": self.input_ref,
            "hash_algorithm": "sha256",
            "canonicalisation": self.input_canonicalisation,
            "content_hash": self.input_hash,
            "content": self.input,
        }

    def retrieve(self, snapshot_ref: str, source_id: str, canonicalisation: str = DOCUMENT_NAME) -> dict[str, JSON]:
        """Have the conductor read one record of a pinned copy (mode ``brokered``).

        Args:
            snapshot_ref: which copy.
            source_id: which record.
            canonicalisation: the name that its hash is taken under.

        Returns:
            The evidence item that cites the record and shows it.

        Raises:
            Refused: ``retrieve.*``; a miss and an error are recorded all the same.
        """
        return self._brokered().record(snapshot_ref, source_id, canonicalisation)

    def query(self, retriever: str, query: JSON, canonicalisation: str = DOCUMENT_NAME) -> list[dict[str, JSON]]:
        """Have the conductor ask a retriever, and read what it names (mode ``brokered``).

        Returns:
            An evidence item for each record that was found and could be read.

        Raises:
            Refused: ``retrieve.*``, also where nothing was found.
        """
        return self._brokered().query(retriever, query, canonicalisation)

    def delegate(self, agent_id: str, input: JSON, grant: str | None = None) -> dict[str, JSON]:  # noqa: A002 - the field's word
        """Have the conductor run another agent (mode ``delegation``).

        Args:
            agent_id: which agent.
            input: its input, an object with ``schema_class``.
            grant: the grant to use; this run's own by default.

        Returns:
            The evidence item that cites the child run; its content is the child's envelope as it was stored.

        Raises:
            Refused: ``delegate.*``.
        """
        if self._children is None:
            raise Refused("delegate.not-allowed", "only a run in mode delegation has a grant")
        return self._children.run(self.grant if grant is None else grant, agent_id, input)

    def _brokered(self) -> Broker:
        if self._broker is None:
            raise Refused("retrieve.not-allowed", "only a run in mode brokered retrieves through the conductor")
        return self._broker
