"""The guard of one agent process: a program of its own that ends the agent, and whatever it started, in every case.

It runs apart from the harness and imports nothing of it. On Linux it is the subreaper of all that descends from it, so
that a process which left its group, or whose parent ended, is still among its children. It ends the agent when the
agent has ended, when its time or its memory is over, and when the conductor says so or is gone: then the control pipe
is closed, whatever the conductor died of.

Usage: ``python guard.py JSON`` with ``command``, ``seconds``, ``memory`` (octets or null), and the descriptors
``control`` (read until its end) and ``status``, to which it writes the agent's process id and then how it ended, a line
each.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
import time

_IS_LINUX = sys.platform == "linux"
_SUBREAPER = 36
_LOOK_EVERY = 0.05
"""Seconds between two looks at the memory."""
PATIENCE = 10.0
"""Seconds for which processes are ended that go on starting others."""


def main() -> None:
    """Start the agent, watch it, end everything."""
    wanted = json.loads(sys.argv[1])
    control, status = int(wanted["control"]), int(wanted["status"])
    _become_subreaper()
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the control pipe alone says when
    try:
        agent = _start(wanted["command"], wanted["memory"], (control, status, woken, wake))
    except OSError as error:
        _tell(status, {"ended": "not-started", "why": os.strerror(error.errno or 0).lower()})
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)  # the conductor sees the end of the agent's streams, not of ours
    _tell(status, {"pid": agent})
    told = _watch(agent, control, woken, time.monotonic() + wanted["seconds"], wanted["memory"])
    _end_all(agent)
    _tell(status, told)


def _become_subreaper() -> None:
    """Have orphans among the descendants become children of this process; elsewhere than on Linux nothing does that."""
    if _IS_LINUX:  # pragma: no branch
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _start(command: list[str], memory: int | None, ours: tuple[int, ...]) -> int:
    """Start the agent in a group of its own; its process id.

    Raises:
        OSError: it cannot be started.
    """
    failed, fails = os.pipe()
    agent = os.fork()
    if agent == 0:  # pragma: no cover - this process becomes another
        try:
            os.setsid()
            for handle in (failed, *ours):
                os.close(handle)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if memory is not None:
                resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
            os.execvp(command[0], command)  # noqa: S606 - a list of words, no shell
        except OSError as error:
            os.write(fails, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(fails)
    refusal = os.read(failed, 16)
    os.close(failed)
    if refusal:
        os.waitpid(agent, 0)
        raise OSError(int(refusal), "")
    return agent


def _watch(agent: int, control: int, woken: int, deadline: float, memory: int | None) -> dict[str, object]:
    """Wait until there is a reason to end the agent; which it is."""
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return {"ended": "timed-out"}
        ready, _, _ = select.select([control, woken], [], [], left if memory is None else min(left, _LOOK_EVERY))
        if control in ready:
            return {"ended": "told"}
        with contextlib.suppress(BlockingIOError):
            os.read(woken, 512)
        status = _reaped(agent)
        if status is not None:
            return {"ended": "exit", "status": status}
        if _IS_LINUX and memory is not None and _resident(_descendants()) > memory:
            return {"ended": "memory"}


def _reaped(agent: int) -> int | None:
    """Reap whoever ended; the agent's exit status, negative for a signal, or None where it runs."""
    status = None
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, raw = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == agent:
                status = os.waitstatus_to_exitcode(raw)
    return status


def _end_all(agent: int) -> None:
    """End every descendant, until there is none; where it cannot be seen who they are, the agent's group."""
    patience = time.monotonic() + PATIENCE
    while time.monotonic() < patience:  # pragma: no branch - only what cannot be killed outlives it
        tree = _descendants() if _IS_LINUX else [-agent]
        for number in (signal.SIGSTOP, signal.SIGKILL):  # stopped first, so that none starts another meanwhile
            for pid in tree:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def _descendants() -> list[int]:
    """The process ids of all that descend from this process, parents first."""
    children: dict[int, list[int]] = {}
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):  # noqa: PTH208 - it imports as little as it can
        with contextlib.suppress(OSError):
            parent = int(_proc(pid, "stat").rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(pid)
    found, pending = [], [os.getpid()]
    while pending:
        mine = children.get(pending.pop(), [])
        found += mine
        pending += mine
    return found


def _resident(pids: list[int]) -> int:
    """The octets of memory that processes hold together."""
    pages = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            pages += int(_proc(pid, "statm").split()[1])
    return pages * resource.getpagesize()


def _proc(pid: int, name: str) -> bytes:
    with open(f"/proc/{pid}/{name}", "rb") as file:  # noqa: PTH123 - likewise
        return file.read()


def _tell(status: int, what: dict[str, object]) -> None:
    with contextlib.suppress(OSError):  # the conductor may be gone
        os.write(status, json.dumps(what).encode() + b"\n")


if __name__ == "__main__":
    main()
