"""Traces: reading the two wire forms into span records (chapter *Trace*)."""

from groundrules.trace.profiles import OWNED_ATTRIBUTES, PROFILES, Profile, profile_named
from groundrules.trace.readers import read_trace
from groundrules.trace.spans import SpanRecord, Status

__all__ = [
    "OWNED_ATTRIBUTES",
    "PROFILES",
    "Profile",
    "SpanRecord",
    "Status",
    "profile_named",
    "read_trace",
]
