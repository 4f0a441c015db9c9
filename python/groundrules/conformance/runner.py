"""Asking an implementation every vector: the built-in one here, any other through adapter processes."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

import groundrules
from groundrules.conformance.adapter import Adapter, Failed, Limits
from groundrules.conformance.builtin import KINDS, answer
from groundrules.conformance.score import Outcome, Result, score
from groundrules.errors import bare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundrules.conformance.protocol import Hello
    from groundrules.conformance.vectors import Vector

_TRIES = 3
"""How often in a row an adapter may fail to say hello before it is not started again."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What one implementation answered.

    Attributes:
        implementation: name, version, and where known language and url.
        kinds: the kinds it answers.
        features: the optional features it has.
        results: sorted by id.
    """

    implementation: Mapping[str, str]
    kinds: tuple[str, ...]
    features: tuple[str, ...]
    results: tuple[Result, ...]


def ask_builtin(vectors: Sequence[Vector]) -> Answered:
    """The reference verifier's answers, computed in this process."""
    results = tuple(score(vector, answer(vector.kind, vector.inputs)) for vector in vectors)
    implementation = {"name": "groundrules", "version": groundrules.__version__, "language": "Python"}
    return Answered(implementation, tuple(KINDS), (), results)


def ask_adapter(
    command: Sequence[str], vectors: Sequence[Vector], *, limits: Limits, jobs: int = 1, show_ids: bool = False
) -> Answered:
    """The answers of an adapter, one process a job (conformance.ending).

    Args:
        command: a program and its arguments.
        vectors: sorted by id; the place in this order is the ``seq``.
        limits: what one answer may cost.
        jobs: how many processes are asked at once.
        show_ids: tell the adapter the ids.

    Raises:
        UsageError: ``usage.adapter``: the command cannot be started.
    """
    waiting: SimpleQueue[tuple[int, Vector]] = SimpleQueue()
    for seq, vector in enumerate(vectors, 1):
        waiting.put((seq, vector))
    hellos: dict[str, Hello] = {}
    number = max(1, min(jobs, len(vectors)))
    workers = [_Worker(command, waiting, limits, hellos, show_ids=show_ids) for _ in range(number)]
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    except BaseException:  # an interrupt: nothing that was started is left behind
        for worker in workers:
            worker.abandon()
        raise
    for worker in workers:
        if worker.broken is not None:
            raise worker.broken
    hello = hellos.get("first")
    results = sorted((result for worker in workers for result in worker.results), key=lambda result: result.id)
    if hello is None:
        name = bare(" ".join(command))[:100]
        return Answered({"name": name, "version": "unknown"}, (), (), tuple(results))
    return Answered(hello.implementation, hello.kinds, hello.features, tuple(results))


def sorted_out(vector: Vector, kinds: Sequence[str], features: Sequence[str]) -> Result | None:
    """The result of a vector that an implementation is not asked, or None where it is."""
    if vector.kind not in kinds:
        return Result(vector.id, Outcome.NOT_APPLICABLE, f"it does not declare the kind {vector.kind}")
    lacking = sorted(set(vector.features) - set(features))
    if lacking:
        return Result(vector.id, Outcome.NOT_APPLICABLE, f"it does not declare the feature {', '.join(lacking)}")
    return None


class _Worker(threading.Thread):
    """Asks one adapter process after another, as long as there are vectors."""

    def __init__(
        self,
        command: Sequence[str],
        waiting: SimpleQueue[tuple[int, Vector]],
        limits: Limits,
        hellos: dict[str, Hello],
        *,
        show_ids: bool,
    ) -> None:
        super().__init__(daemon=True)
        self._command = command
        self._waiting = waiting
        self._limits = limits
        self._show_ids = show_ids
        self._adapter: Adapter | None = None
        self._tries = 0
        self._hellos = hellos
        self.results: list[Result] = []
        self.broken: BaseException | None = None

    def run(self) -> None:
        """Ask until nothing waits; what cannot be helped is kept for the caller."""
        try:
            while True:
                try:
                    seq, vector = self._waiting.get_nowait()
                except Empty:
                    break
                self.results.append(self._result(seq, vector))
        except BaseException as error:  # noqa: BLE001 - it is raised again where the workers are joined
            self.broken = error
        finally:
            self._tell_surplus(self._end())

    def abandon(self) -> None:
        """End the process that is asked, from another thread, and start none after it."""
        self._tries = _TRIES
        adapter = self._adapter
        if adapter is not None:
            adapter.kill()

    def _tell_surplus(self, surplus: str) -> None:
        """What an adapter wrote after its last answer spoils that answer."""
        if surplus and self.results and self.results[-1].outcome is Outcome.PASS:
            detail = f"it wrote what it was not asked for: {surplus}"
            self.results[-1] = Result(self.results[-1].id, Outcome.ERROR, detail)

    def _result(self, seq: int, vector: Vector) -> Result:
        try:
            adapter = self._running()
            apart = sorted_out(vector, adapter.hello.kinds, adapter.hello.features)
            return apart or score(vector, adapter.ask(vector, seq, show_id=self._show_ids))
        except Failed as failure:
            self._end()
            return Result(vector.id, Outcome(failure.result), failure.detail)

    def _running(self) -> Adapter:
        """The process that is asked; a new one where the last was ended."""
        if self._adapter is None:
            if self._tries == _TRIES:
                raise Failed("error", f"it did not say hello {_TRIES} times in a row and is not started again")
            self._tries += 1
            self._adapter = Adapter(self._command, self._limits)
            if self._hellos.setdefault("first", self._adapter.hello) != self._adapter.hello:
                raise Failed("error", "it says another hello than it said at first")
            self._tries = 0
        return self._adapter

    def _end(self) -> str:
        """End the process that is asked; the beginning of what it wrote without being asked, or ""."""
        adapter, self._adapter = self._adapter, None
        return "" if adapter is None else adapter.close()
