"""Stored runs: layout, reading and writing, and the four verdicts of one (chapter *Runs*)."""

from groundrules.runs.reading import StoredRun, Unreadable, parse_run, read_run
from groundrules.runs.verdict import FilesStatus, FilesVerdict, RunVerdict
from groundrules.runs.verify import judge_run, verify_run
from groundrules.runs.writing import write_run

__all__ = [
    "FilesStatus",
    "FilesVerdict",
    "RunVerdict",
    "StoredRun",
    "Unreadable",
    "judge_run",
    "parse_run",
    "read_run",
    "verify_run",
    "write_run",
]
