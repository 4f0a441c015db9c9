"""Delegation: a grant lets a run ask for child runs, and the conductor records what came of them (delegation.*)."""

from __future__ import annotations

import hmac
import secrets
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.citations import DELEGATION_NAME
from groundrules.errors import RequestError, UsageError
from groundrules.evidence import envelope_hash
from groundrules.harness.outcomes import Refused, is_plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundrules.strictjson import JSON

MOST_CHILDREN = 1000
"""How many child runs one run may have."""
_KEPT = 4096
"""How many grants are remembered after their runs."""


@dataclass(frozen=True, slots=True)
class _Grant:
    token: bytes
    invocation_id: str
    agent_id: str
    is_live: bool = True


class Grants:
    """Every grant of a conductor."""

    def __init__(self) -> None:
        """Hold none yet."""
        self._lock = threading.Lock()
        self._grants: dict[str, _Grant] = {}

    def give(self, invocation_id: str, agent_id: str) -> str:
        """A new grant for a run of an agent: 256 random bits as text."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._grants[invocation_id] = _Grant(token.encode(), invocation_id, agent_id)
        return token

    def expire(self, invocation_id: str) -> None:
        """End the grant of a run; it is remembered a while, so that its later use can be told for what it is."""
        with self._lock:
            grant = self._grants.pop(invocation_id)
            self._grants[invocation_id] = _Grant(grant.token, invocation_id, grant.agent_id, is_live=False)
            old = [key for key, kept in self._grants.items() if not kept.is_live]
            for key in old[: max(len(old) - _KEPT, 0)]:
                del self._grants[key]

    def redeem(self, token: str | None, invocation_id: str, agent_id: str) -> None:
        """Refuse a token that does not let this run ask for a run of that agent (delegation.grant).

        Every grant is compared, each in constant time.

        Raises:
            Refused: ``delegate.unknown-grant``, ``delegate.expired-grant``, ``delegate.other-run``, ``delegate.self``.
        """
        given = token.encode("utf-8", "surrogatepass") if isinstance(token, str) else b""
        with self._lock:
            matching = [grant for grant in self._grants.values() if hmac.compare_digest(grant.token, given)]
        if not matching:
            raise Refused("delegate.unknown-grant", "there is no such grant")
        grant = matching[0]
        if not grant.is_live:
            raise Refused("delegate.expired-grant", "the run that the grant was given to is over")
        if grant.invocation_id != invocation_id:
            raise Refused("delegate.other-run", "the grant was given to another run")
        if grant.agent_id == agent_id:
            raise Refused("delegate.self", "an agent does not delegate to itself")


@dataclass(frozen=True, slots=True)
class Child:
    """A child run, as it was stored."""

    invocation_id: str
    agent_id: str
    agent_version: str
    envelope: dict[str, JSON]


class Children:
    """The child runs of one run."""

    def __init__(self, grants: Grants, invocation_id: str, agent_id: str, begin: Callable[[str, JSON], Child]) -> None:
        """Let a run delegate.

        Args:
            grants: of the conductor.
            invocation_id: of the run.
            agent_id: of its agent.
            begin: runs an agent on an input, as a child of this run, and returns when it is stored.
        """
        self.grant = grants.give(invocation_id, agent_id)
        self._grants = grants
        self._invocation_id = invocation_id
        self._begin = begin
        self._changed = threading.Condition()
        self._admitted = 0
        self._running = 0
        self._delegations: list[JSON] = []

    def run(self, token: str | None, agent_id: str, child_input: JSON) -> dict[str, JSON]:
        """Run a child. See :meth:`Task.delegate`."""
        if not is_plain(agent_id):
            raise Refused("delegate.unknown-agent", "there is no such agent")
        with self._changed:
            self._grants.redeem(token, self._invocation_id, agent_id)
            if self._admitted >= MOST_CHILDREN:
                raise Refused("delegate.too-many", f"a run has at most {MOST_CHILDREN} child runs")
            self._admitted += 1
            self._running += 1
        try:
            child = self._begin(agent_id, child_input)
            digest = envelope_hash(child.envelope)
            with self._changed:
                self._delegations.append(_delegation(child, digest))
        except (RequestError, UsageError) as error:
            code = _CODES.get(error.code, "delegate.malformed-input")
            raise Refused(code, f"{error.detail} [{error.code}]") from None
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()
        return {
            "source_id": f"invocation:{child.invocation_id}",
            "hash_algorithm": "sha256",
            "canonicalisation": DELEGATION_NAME,
            "content_hash": digest,
            "content": child.envelope,
        }

    def close(self) -> list[JSON]:
        """End the grant, wait for the children that were admitted, and give what was recorded of them."""
        self._grants.expire(self._invocation_id)
        with self._changed:
            self._changed.wait_for(lambda: not self._running)
            return list(self._delegations)


_CODES = {"request.unknown-agent": "delegate.unknown-agent", "usage.unwritable": "delegate.not-stored"}


def _delegation(child: Child, digest: str) -> dict[str, JSON]:
    status = child.envelope["outcome"]
    assert isinstance(status, dict)  # noqa: S101 - the contract holds for what was stored
    return {
        "delegated_invocation_id": child.invocation_id,
        "delegated_agent_id": child.agent_id,
        "delegated_agent_version": child.agent_version,
        "delegated_status": status["status"],
        "content_hash": digest,
        "canonicalisation": DELEGATION_NAME,
    }
