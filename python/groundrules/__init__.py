"""groundrules: what an agent's result rests on, made checkable.

The names below are the public API; everything else may move between releases.
"""

from groundrules.canonical import CANONICALISATIONS, canonicalise, content_hash, project
from groundrules.contract import check_contract
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
from groundrules.linter import lint
from groundrules.strictjson import JSON, LIMITS, Limits, lines, loads
from groundrules.trace import SpanRecord, read_trace
from groundrules.verdict import (
    ContractStatus,
    ContractVerdict,
    Finding,
    GroundingStatus,
    GroundingVerdict,
    Place,
)

__version__ = "0.1.0"

__all__ = [
    "CANONICALISATIONS",
    "JSON",
    "LIMITS",
    "CanonicalError",
    "ContractStatus",
    "ContractVerdict",
    "Finding",
    "GroundingStatus",
    "GroundingVerdict",
    "GroundrulesError",
    "ItemResult",
    "ItemVerdict",
    "KitError",
    "Limits",
    "Place",
    "ReadError",
    "Remark",
    "SchemaError",
    "SpanRecord",
    "UnknownNameError",
    "UsageError",
    "Where",
    "canonicalise",
    "check_contract",
    "check_envelope",
    "check_item",
    "content_hash",
    "envelope_hash",
    "input_hash",
    "lines",
    "lint",
    "loads",
    "project",
    "read_trace",
    "resolve",
    "verify",
]
