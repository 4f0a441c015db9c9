"""The to_json form: what OpenTelemetry's ``ReadableSpan.to_json`` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.times import parse_rfc3339
from groundrules.trace.builder import SpanBuilder

if TYPE_CHECKING:
    from groundrules.strictjson import JSON
    from groundrules.trace.spans import SpanRecord

_STATUSES: dict[JSON, str] = {"UNSET": "unset", "OK": "ok", "ERROR": "error"}


def span(text: dict[str, JSON], index: int) -> SpanRecord:
    """One span of a line; what is malformed becomes a fault.

    Raises:
        ReadError: ``read.base64-id``.
    """
    context = text["context"]
    ids = context if isinstance(context, dict) else {}
    builder = SpanBuilder(index)
    builder.name(text.get("name"))
    builder.ids(ids.get("span_id"), ids.get("trace_id"), text.get("parent_id"))
    builder.times(_time(text.get("start_time")), _time(text.get("end_time")), ended=text.get("end_time") is not None)
    status = text.get("status", {})
    builder.status(status.get("status_code", "UNSET") if isinstance(status, dict) else None, _STATUSES)
    attributes = text.get("attributes")
    builder.attributes(attributes if isinstance(attributes, dict) else None)
    return builder.build()


def _time(value: JSON) -> int | None:
    return parse_rfc3339(value) if isinstance(value, str) else None
