"""A process under guard: its streams against one deadline, and an end in every case (agent.limits, agent.ended)."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from groundrules.harness import guard
from groundrules.harness.outcomes import Faulty
from groundrules.processes import Complaints, beginning, ending

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from groundrules.harness.stdio import Limits

_PART = 1024 * 1024
GRACE = 5.0
"""Seconds that the guard has to end the agent, before the conductor does without it."""


class GuardedProcess:
    """An agent's process. Close it."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str], limits: Limits) -> None:
        """Start the guard, which starts the command.

        Args:
            command: a program and its arguments.
            folder: where it runs.
            environment: all of its environment.
            limits: what it may cost.
        """
        self._limits = limits
        self._deadline = time.monotonic() + limits.seconds
        self._out = bytearray()
        self._taken = 0
        self._told_text = b""
        control, self._control = os.pipe()
        self._status, status = os.pipe()
        wanted = {"command": [*command], "seconds": limits.seconds, "memory": limits.memory}
        words = [
            sys.executable,
            "-I",
            "-S",
            guard.__file__,
            json.dumps(wanted | {"control": control, "status": status}),
        ]
        pipe = subprocess.PIPE
        try:
            self._guard = subprocess.Popen(
                words, stdin=pipe, stdout=pipe, stderr=pipe, pass_fds=(control, status), cwd=folder, env=environment,
                start_new_session=True,
            )  # fmt: skip
        except BaseException:
            os.close(self._control)
            os.close(self._status)
            raise
        finally:
            os.close(control)
            os.close(status)
        assert self._guard.stdin and self._guard.stdout and self._guard.stderr  # noqa: S101, PT018 - pipes were asked for
        self._stdin, self._stdout, self._stderr = self._guard.stdin, self._guard.stdout, self._guard.stderr
        os.set_blocking(self._stdin.fileno(), False)
        self._complaints = Complaints(self._stderr.fileno())

    def write(self, octets: bytes) -> None:
        """Write a line to the agent.

        Raises:
            Faulty: it does not read it.
        """
        rest = memoryview(octets)
        while rest:
            self._wait(self._stdin.fileno(), selectors.EVENT_WRITE)
            try:
                rest = rest[os.write(self._stdin.fileno(), rest) :]
            except BlockingIOError:  # pragma: no cover - the pipe filled up after the selector looked
                continue
            except OSError:
                raise self._gone("it closed its input") from None

    def line(self) -> bytes:
        """The next line that the agent writes.

        Raises:
            Faulty: there is none.
        """
        searched = 0
        while (feed := self._out.find(b"\n", searched)) < 0:
            searched = len(self._out)
            if not self._read():
                raise self._gone("it closed its output")
        line = bytes(self._out[:feed])
        del self._out[: feed + 1]
        return line

    def end_of_output(self) -> None:
        """Wait until the agent has closed its output and ended well.

        Raises:
            Faulty: it writes more, or ends otherwise.
        """
        self._stdin.close()
        while not self._out:
            if not self._read():
                break
        if self._out:
            raise Faulty("agent.malformed-message", f"it wrote more after its result: {beginning(self._out)}")
        told = self._told()
        if told.get("ended") != "exit" or told.get("status") != 0:
            raise self._fault(told, "it gave a result")

    def close(self) -> None:
        """End the agent and everything that it started."""
        os.close(self._control)
        try:
            is_done = self._guard.wait(GRACE + guard.PATIENCE) == 0
        except subprocess.TimeoutExpired:
            is_done = False
        if not is_done:
            self._without_guard()
        for stream in (self._stdin, self._stdout, self._stderr):
            with contextlib.suppress(OSError):
                stream.close()
        os.close(self._status)

    def _read(self) -> bool:
        """Read a part of the output; False at its end."""
        self._wait(self._stdout.fileno(), selectors.EVENT_READ)
        part = os.read(self._stdout.fileno(), _PART)
        self._taken += len(part)
        if self._taken > self._limits.octets:
            raise Faulty("agent.output-limit", f"it wrote more than {self._limits.octets} bytes")
        self._out += part
        return bool(part)

    def _wait(self, stream: int, event: int) -> None:
        """Wait for a stream, a moment longer than the guard does, so that it can say why it ended the agent."""
        with selectors.DefaultSelector() as selector:
            selector.register(stream, event)
            if not selector.select(max(self._deadline + GRACE - time.monotonic(), 0)):
                raise Faulty("agent.timed-out", "its guard did not end it")

    def _gone(self, what: str) -> Faulty:
        return self._fault(self._told(), what)

    def _fault(self, told: dict[str, object], what: str) -> Faulty:
        """Why there is nothing more to be had of the agent, by what its guard tells."""
        match told:
            case {"ended": "timed-out"}:
                return Faulty("agent.timed-out", f"it was not done within {self._limits.seconds:g} s")
            case {"ended": "memory"}:
                return Faulty("agent.memory-limit", f"it held more than {self._limits.memory} bytes")
            case {"ended": "not-started", "why": str(why)}:
                return Faulty("agent.not-started", why)
            case {"ended": "exit", "status": int(status)}:
                said = self._complaints.last(0.2)
                return Faulty("agent.crashed", f"{what}, and ended with {ending(status)}{': ' if said else ''}{said}")
        return Faulty("agent.crashed", f"{what}, and its guard is gone")

    def _told(self) -> dict[str, object]:
        """What the guard says last of the agent: read to its end, which it comes to when all is ended."""
        lines = self._status_lines()
        return lines[-1] if lines else {}

    def _status_lines(self) -> list[dict[str, object]]:
        with selectors.DefaultSelector() as selector:
            selector.register(self._status, selectors.EVENT_READ)
            while selector.select(max(self._deadline + GRACE - time.monotonic(), 0)) and (
                part := os.read(self._status, _PART)
            ):
                self._told_text += part
        return [*objects_of(self._told_text)]

    def _without_guard(self) -> None:
        """End the agent's group and the guard, where the guard does not do its work."""
        pids = [told["pid"] for told in self._status_lines() if isinstance(told.get("pid"), int)]
        for pid in (*pids, self._guard.pid):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(int(str(pid)), signal.SIGKILL)
        self._guard.wait()


def objects_of(text: bytes) -> Iterator[dict[str, object]]:
    """The lines that a guard may have written; an agent of the same user can write others."""
    for line in text.splitlines():
        with contextlib.suppress(ValueError, RecursionError):
            told = json.loads(line)
            if isinstance(told, dict):
                yield told
