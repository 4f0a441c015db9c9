"""Agents in this process: a callable with a specification. No isolation is claimed (agent.in-process)."""

from __future__ import annotations

import contextvars
import inspect
import os
import threading
from typing import TYPE_CHECKING, Final

from opentelemetry import context as otel_context

from groundrules.errors import ConfigurationError
from groundrules.harness.outcomes import Fault, Faulty, diagnosis_of
from groundrules.harness.results import Answer, copied_result
from groundrules.harness.tracing import parent_of, within

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundrules.harness.specification import AgentSpec
    from groundrules.harness.task import Task
    from groundrules.strictjson import JSON

    Function = Callable[[Task], JSON]

LARGEST_RESULT: Final = 16 * 1024 * 1024
"""How many octets a result may have as a JSON text, where the agent's limits do not say."""


class InProcessAgent:
    """A Python callable that is given the task and returns a result of ``schemas/agent-result.json``."""

    isolation = "none"

    def __init__(
        self, spec: AgentSpec, function: Function, *, seconds: float | None = None, octets: int = LARGEST_RESULT
    ) -> None:
        """Make an agent of a callable.

        Args:
            spec: what the deployment says of it.
            function: the agent.
            seconds: how long it may take; after that the run fails, though its thread cannot be ended.
            octets: how long its result and its spans may each be as JSON.

        Raises:
            ConfigurationError: ``config.agent``: it is a coroutine function, or cannot be called.
        """
        if not callable(function) or any(map(inspect.iscoroutinefunction, (function, type(function).__call__))):
            remedy = "give a function that returns the result; run an event loop inside it where it needs one"
            raise ConfigurationError("config.agent", "the agent is no plain function", remedy=remedy)
        self.spec = spec
        self._function = function
        self._seconds = seconds
        self._octets = octets

    def perform(self, task: Task) -> Answer:
        """Call it."""
        answer, tracer, process = Answer(), task.tracer, os.getpid()
        work = contextvars.copy_context()
        if self._seconds is None:
            work.run(self._call, task, answer)
            if os.getpid() != process:  # pragma: no cover - it forked, and the copy came back
                os._exit(1)
        else:
            thread = threading.Thread(target=work.run, args=(self._call, task, answer), daemon=True)
            thread.start()
            thread.join(self._seconds)
            if thread.is_alive():  # it goes on, and has nothing of the run any more: its answer is another object
                answer = Answer(fault=Fault("agent.timed-out", f"it did not return within {self._seconds:g} s"))
        is_late = answer.fault is not None and answer.fault.code == "agent.timed-out"
        answer.spans, fault = tracer.texts(ended=is_late)  # those that it had no time to end are not sent
        if sum(map(len, answer.spans)) > self._octets:
            answer.spans, fault = [], Fault("agent.output-limit", "its spans are longer than its output may be")
        answer.fault = answer.fault or fault
        return answer

    def _call(self, task: Task, answer: Answer) -> None:
        """Call it in a context in which the root is the current span, and cannot be written to."""
        token = otel_context.attach(within(parent_of(task.traceparent)))
        try:
            answer.result = copied_result(self._function(task), self._octets)
        except Faulty as faulty:
            answer.fault = faulty.fault
        except BaseException as error:  # whatever an agent raises is an outcome
            if isinstance(error, KeyboardInterrupt) and self._seconds is None:
                raise  # it is whoever runs the conductor that wants to stop
            answer.fault = Fault("agent.raised", diagnosis_of(error))
        finally:
            otel_context.detach(token)
