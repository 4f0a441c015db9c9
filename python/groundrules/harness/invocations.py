"""Invocation ids, times, and requests made of them."""

from __future__ import annotations

import datetime as dt
import secrets
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundrules.strictjson import JSON


def new_invocation_id() -> str:
    """A UUID of version 7 in lower case (RFC 9562): milliseconds since 1970, then 74 random bits."""
    value = time.time_ns() // 1_000_000 << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62)
    digits = f"{value:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def now() -> str:
    """The time in UTC, as RFC 3339 with microseconds."""
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def request_for(agent_id: str, input: JSON) -> dict[str, JSON]:  # noqa: A002 - the field's word
    """A fresh request for a run of an agent.

    Args:
        agent_id: the agent.
        input: an object with ``schema_class``.
    """
    return {
        "format": "request/1",
        "invocation_id": new_invocation_id(),
        "agent_id": agent_id,
        "input": input,
        "requested_at": now(),
    }
