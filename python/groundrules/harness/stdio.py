"""Agents in any language: a command that speaks JSON lines over its standard streams (agent.stdio)."""

from __future__ import annotations

import contextlib
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from groundrules.errors import ConfigurationError
from groundrules.harness import messages
from groundrules.harness.guarded import GuardedProcess
from groundrules.harness.outcomes import Fault, Faulty
from groundrules.harness.results import Answer, parse_result
from groundrules.harness.sandbox import wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundrules.harness.sandbox import Sandbox
    from groundrules.harness.specification import AgentSpec
    from groundrules.harness.task import Task

ALWAYS_PASSED: Final = ("PATH", "LANG", "LC_ALL", "TZ")
"""The variables of the environment that every agent gets, where they are set."""
MOST_QUESTIONS: Final = 10_000
"""How many questions an agent may ask in one run."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run of a process may cost.

    Attributes:
        seconds: from its start to the end of its output.
        octets: of its output.
        memory: octets of memory of the agent and whatever it started, together; None for no limit.
    """

    seconds: float = 60.0
    octets: int = 16 * 1024 * 1024
    memory: int | None = None

    def __post_init__(self) -> None:
        """Refuse what limits nothing.

        Raises:
            ConfigurationError: ``config.agent``.
        """
        stated = (self.seconds, self.octets, self.octets if self.memory is None else self.memory)
        if not all(0 < limit < math.inf for limit in stated):
            remedy = "give positive numbers that end"
            raise ConfigurationError("config.agent", "a limit is none", remedy=remedy)


class StdioAgent:
    """A program that is started anew for every run."""

    def __init__(  # noqa: PLR0913 - what there is to say, by name
        self,
        spec: AgentSpec,
        command: Sequence[str],
        *,
        folder: str | Path = ".",
        environment: Sequence[str] = (),
        limits: Limits = Limits(),
        sandbox: Sandbox | None = None,
    ) -> None:
        """Make an agent of a command.

        Args:
            spec: what the deployment says of it.
            command: a program and its arguments; a program with a slash in it is looked for from the folder.
            folder: where it runs.
            environment: the names of further variables that it gets.
            limits: what a run may cost.
            sandbox: what stands between it and the conductor, or None for nothing.

        Raises:
            ConfigurationError: ``config.agent``: the command is empty; ``config.sandbox``: the sandbox cannot be made.
        """
        if not command or not all(command):
            raise ConfigurationError("config.agent", "the command is empty", remedy="name a program")
        self.spec = spec
        self.isolation = "none" if sandbox is None else sandbox.name
        self._folder = Path(folder).absolute()
        self._command = list(command) if sandbox is None else wrapped(command, self._folder, sandbox)
        names = {*ALWAYS_PASSED, *environment}
        self._environment = {name: os.environ[name] for name in sorted(names) if name in os.environ}
        self._limits = limits

    def perform(self, task: Task) -> Answer:
        """Start it, answer what it asks, take its result; whatever happens, nothing of it is left running."""
        answer = Answer()
        try:
            process = GuardedProcess(self._command, self._folder, self._environment, self._limits)
        except OSError as error:
            return Answer(fault=Fault("agent.not-started", (error.strerror or "the machine refuses").lower()))
        with contextlib.closing(process):
            try:
                last = self._talked(process, task)
                answer.spans = last.spans  # whatever comes of it, these it sent
                process.end_of_output()
                answer.result = parse_result(last.result)
            except Faulty as faulty:
                answer.fault = faulty.fault
        return answer

    def _talked(self, process: GuardedProcess, task: Task) -> messages.Result:
        """Everything that is said, up to the agent's result.

        Raises:
            Faulty: it does not keep to the protocol, or to its limits.
        """
        process.write(messages.invoke(task))
        for number in range(1, MOST_QUESTIONS + 1):
            said = messages.read(process.line())
            if isinstance(said, messages.Result):
                return said
            if said.seq != number:
                raise Faulty("agent.malformed-message", f"question {number} has the number {said.seq}")
            process.write(messages.answer(task, said))
        raise Faulty("agent.too-many-questions", f"it asked more than {MOST_QUESTIONS} times")
