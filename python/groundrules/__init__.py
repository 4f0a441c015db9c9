"""groundrules: what an agent's result rests on, made checkable.

The names below are the public API; everything else may move between releases.
"""

from groundrules.canonical import CANONICALISATIONS, canonicalise, content_hash, project
from groundrules.contract import check_contract
from groundrules.e1 import ItemResult, ItemVerdict, Remark, check_envelope, check_item
from groundrules.errors import (
    CanonicalError,
    ConfigurationError,
    GroundrulesError,
    KitError,
    ReadError,
    RequestError,
    SchemaError,
    UnknownNameError,
    UsageError,
    Where,
)
from groundrules.evidence import envelope_hash, input_hash, resolve, verify
from groundrules.findings import Finding, Place
from groundrules.gate import withhold
from groundrules.linter import lint
from groundrules.runs import FilesStatus, FilesVerdict, RunVerdict, verify_run, write_run
from groundrules.sources import NO_COPIES, Copies, check_sources, load_copies
from groundrules.strictjson import JSON, LIMITS, Limits, lines, loads
from groundrules.trace import SpanRecord, read_trace
from groundrules.verdict import (
    ContractStatus,
    ContractVerdict,
    GroundingStatus,
    GroundingVerdict,
    SourceStatus,
    SourceVerdict,
    Strictness,
    Unresolved,
)

__version__ = "0.1.0"

__all__ = [
    "CANONICALISATIONS",
    "JSON",
    "LIMITS",
    "NO_COPIES",
    "CanonicalError",
    "ConfigurationError",
    "ContractStatus",
    "ContractVerdict",
    "Copies",
    "FilesStatus",
    "FilesVerdict",
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
    "RequestError",
    "RunVerdict",
    "SchemaError",
    "SourceStatus",
    "SourceVerdict",
    "SpanRecord",
    "Strictness",
    "UnknownNameError",
    "Unresolved",
    "UsageError",
    "Where",
    "canonicalise",
    "check_contract",
    "check_envelope",
    "check_item",
    "check_sources",
    "content_hash",
    "envelope_hash",
    "input_hash",
    "lines",
    "lint",
    "load_copies",
    "loads",
    "project",
    "read_trace",
    "resolve",
    "verify",
    "verify_run",
    "withhold",
    "write_run",
]
