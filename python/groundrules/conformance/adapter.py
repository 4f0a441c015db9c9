"""An adapter process: started, asked, timed, and ended with all that it started (conformance.ending)."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from groundrules.conformance import protocol
from groundrules.errors import UsageError, show
from groundrules.processes import Complaints, beginning, ending

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import IO

    from groundrules.conformance.vectors import Vector
    from groundrules.strictjson import JSON

_PART = 1024 * 1024
_WRITTEN_AT_ONCE = 64 * 1024
_GRACE = 2.0
"""Seconds that an adapter has to end by itself after ``bye``."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one answer may cost.

    Attributes:
        seconds: from the question to the end of the answer.
        octets: of one line of the adapter's output.
    """

    seconds: float = 10.0
    octets: int = 64 * 1024 * 1024


class Failed(Exception):  # noqa: N818 - it names what the adapter did
    """An adapter gave no usable answer.

    Attributes:
        result: ``timeout``, ``crash`` or ``error``.
        detail: one clause.
    """

    def __init__(self, result: str, detail: str) -> None:
        super().__init__(result, detail)
        self.result = result
        self.detail = detail


class Adapter:
    """One running process of an adapter. Close it, or use it in a ``with`` statement."""

    def __init__(self, command: Sequence[str], limits: Limits = Limits()) -> None:
        """Start the process and say hello.

        Raises:
            UsageError: ``usage.adapter``: the command cannot be started.
            Failed: it does not say hello.
        """
        self._limits = limits
        self._out = bytearray()
        self._process = _start(command)
        self._stdin, self._stdout, stderr = (stream.fileno() for stream in _pipes(self._process))
        os.set_blocking(self._stdin, False)
        self._complaints = Complaints(stderr)
        try:
            self.hello = protocol.read_hello(self._exchange(protocol.hello()))
        except protocol.Malformed as error:
            self.close()
            raise Failed("error", f"it does not say hello: {error}") from None
        except BaseException:
            self.close()
            raise

    def ask(self, vector: Vector, seq: int, *, show_id: bool = False) -> dict[str, JSON]:
        """The answer to one case.

        Raises:
            Failed: there is none; the process is not to be asked again.
        """
        line = self._exchange(protocol.case(vector, seq, show_id=show_id))
        try:
            return protocol.read_answer(line, seq)
        except protocol.Malformed as error:
            raise Failed("error", str(error)) from None

    def close(self) -> str:
        """Say bye, wait a moment, and end the process with every process of its group.

        Returns:
            The beginning of what it wrote without being asked, or "".
        """
        with contextlib.suppress(OSError):
            os.write(self._stdin, protocol.bye())
        stdin, stdout, stderr = _pipes(self._process)
        with contextlib.suppress(OSError):
            stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        self.kill()
        self._process.wait()
        self._complaints.last(_GRACE)
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdout, selectors.EVENT_READ)
            surplus = bytes(self._out) or (os.read(self._stdout, _PART) if selector.select(0) else b"")
        stdout.close()
        stderr.close()
        return beginning(surplus)

    def kill(self) -> None:
        """End every process of the group at once."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def __enter__(self) -> Self:
        """The adapter itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def _exchange(self, message: bytes) -> bytes:
        """Write a message and read the line that answers it, both against one deadline."""
        deadline = time.monotonic() + self._limits.seconds
        rest, searched = memoryview(message), 0
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdout, selectors.EVENT_READ)
            if self._out or selector.select(0):
                self._read_part()
                raise Failed("error", f"it wrote what it was not asked for: {beginning(self._out)}")
            selector.register(self._stdin, selectors.EVENT_WRITE)
            while True:
                events = selector.select(max(deadline - time.monotonic(), 0))
                if time.monotonic() >= deadline:
                    raise Failed("timeout", f"there was no answer within {self._limits.seconds:g} s")
                for key, _ in events:
                    if key.fd == self._stdin:
                        rest = self._write_part(rest)
                        if not rest:
                            selector.unregister(self._stdin)
                    else:
                        self._read_part()
                feed = self._out.find(b"\n", searched)
                searched = len(self._out)
                if feed >= 0:
                    return self._taken(feed, whole=not rest)
                if searched > self._limits.octets:
                    raise Failed("error", f"it wrote a line of more than {self._limits.octets} bytes")

    def _taken(self, feed: int, *, whole: bool) -> bytes:
        """The answer, taken out of what was written; nothing may stand after it."""
        line = bytes(self._out[:feed])
        del self._out[: feed + 1]
        if not whole:
            raise Failed("error", f"it answered before it had read the question: {beginning(line)}")
        if self._out:
            raise Failed("error", f"it wrote more than one line, first {beginning(line)}")
        return line

    def _write_part(self, rest: memoryview) -> memoryview:
        try:
            return rest[os.write(self._stdin, rest[:_WRITTEN_AT_ONCE]) :]
        except BlockingIOError:  # pragma: no cover - the pipe filled up after the selector looked
            return rest
        except OSError:
            raise Failed("crash", f"it closed its input{self._last_words()}") from None

    def _read_part(self) -> None:
        part = os.read(self._stdout, _PART)
        if not part:
            raise Failed("crash", f"it closed its output{self._last_words()}")
        self._out += part

    def _last_words(self) -> str:
        """How the process ended, and the end of what it wrote to standard error."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
        status = self._process.returncode
        ended = "" if status is None else f" and ended with {ending(status)}"
        said = self._complaints.last(0.1)
        return f"{ended}: {said}" if said else ended


def _start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "the name is not usable"
        raise UsageError(
            "usage.adapter",
            f"the adapter {show(' '.join(command))} cannot be started: {reason.lower()}",
            remedy="name a program and its arguments, as a shell would take them",
        ) from None


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert process.stdin is not None  # noqa: S101 - pipes were asked for
    assert process.stdout is not None  # noqa: S101
    assert process.stderr is not None  # noqa: S101
    return process.stdin, process.stdout, process.stderr
