"""groundrules: what an agent's result rests on, made checkable.

The names below are the public API; everything else may move between releases.
"""

from groundrules.canonical import CANONICALISATIONS, canonicalise, content_hash, project
from groundrules.e1 import ItemResult, ItemVerdict, Remark, check_envelope, check_item
from groundrules.errors import (
    CanonicalError,
    GroundrulesError,
    KitError,
    ReadError,
    SchemaError,
    UnknownNameError,
    UsageError,
    Where,
)
from groundrules.evidence import envelope_hash, input_hash, resolve, verify
from groundrules.strictjson import JSON, LIMITS, Limits, lines, loads

__version__ = "0.1.0"

__all__ = [
    "CANONICALISATIONS",
    "JSON",
    "LIMITS",
    "CanonicalError",
    "GroundrulesError",
    "ItemResult",
    "ItemVerdict",
    "KitError",
    "Limits",
    "ReadError",
    "Remark",
    "SchemaError",
    "UnknownNameError",
    "UsageError",
    "Where",
    "canonicalise",
    "check_envelope",
    "check_item",
    "content_hash",
    "envelope_hash",
    "input_hash",
    "lines",
    "loads",
    "project",
    "resolve",
    "verify",
]
