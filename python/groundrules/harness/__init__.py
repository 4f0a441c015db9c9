"""The harness: a conductor that records what an agent must not record about itself, withholds and stores.

It needs the extra ``harness``: ``pip install 'groundrules[harness]'``.
"""

from groundrules.errors import ConfigurationError, UsageError

try:
    import opentelemetry.sdk.trace  # noqa: F401 - only whether it is there
except ImportError:
    raise UsageError(
        "usage.missing-extra",
        "the harness needs OpenTelemetry, which is not installed",
        remedy="pip install 'groundrules[harness]'",
    ) from None
except ValueError as error:
    raise ConfigurationError(
        "config.tracing",
        f"OpenTelemetry refuses the environment: {' '.join(str(error).split())}",
        remedy="mend the variable that begins with OTEL_",
    ) from None

from groundrules.harness.agentfile import load_agent
from groundrules.harness.broker import Retriever
from groundrules.harness.conductor import Conductor
from groundrules.harness.inprocess import InProcessAgent
from groundrules.harness.invocations import new_invocation_id, request_for
from groundrules.harness.outcomes import Fault, Refused
from groundrules.harness.results import Answer
from groundrules.harness.run import Finished
from groundrules.harness.sandbox import Sandbox
from groundrules.harness.specification import AgentSpec
from groundrules.harness.stdio import Limits, StdioAgent
from groundrules.harness.task import Agent, Task
from groundrules.runs.store import RunStore

__all__ = [
    "Agent",
    "AgentSpec",
    "Answer",
    "Conductor",
    "Fault",
    "Finished",
    "InProcessAgent",
    "Limits",
    "Refused",
    "Retriever",
    "RunStore",
    "Sandbox",
    "StdioAgent",
    "Task",
    "load_agent",
    "new_invocation_id",
    "request_for",
]
