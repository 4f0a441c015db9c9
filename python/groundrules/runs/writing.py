"""Writing a run: whole or not at all, and never over another (runs.whole)."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from groundrules.canonical import content_hash
from groundrules.errors import UsageError, Where
from groundrules.evidence import envelope_hash
from groundrules.gate import concealed, concealed_sources, emptied, reasons_of
from groundrules.runs.layout import ENVELOPE, GROUNDING, GROUNDING_TEXT, REQUEST, SOURCES, SOURCES_TEXT, SPANS
from groundrules.strictjson import loads

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundrules.strictjson import JSON
    from groundrules.verdict import GroundingVerdict, SourceVerdict

Files = dict[str, bytes]
"""The octets of a run's files, by name."""


def _on(_step: str) -> None:
    """What is done at a step of writing: nothing."""


def write_run(  # noqa: PLR0913 - the files of a run, by name
    folder: str | Path,
    *,
    request: JSON,
    envelope: JSON,
    spans: bytes,
    grounding: GroundingVerdict,
    sources: SourceVerdict,
) -> Path:
    """Write a run as a new folder: all of its files, or nothing.

    Args:
        folder: the folder to be; its parent is there.
        request: the request, as data.
        envelope: the envelope as it left the gate.
        spans: the trace as it came, octet for octet.
        grounding: the verdict on the envelope that was judged.
        sources: likewise.

    Returns:
        The folder.

    Raises:
        UsageError: ``usage.run-exists``, ``usage.unwritable``; ``usage.not-gated`` where the verdicts ask the gate to
            act and the envelope is not what it makes; ``usage.other-envelope`` where they judged another one.
        CanonicalError: a document is no JSON value.
        ReadError: a document would not read back: it nests too deep, or is too large.
    """
    files = run_files(request=request, envelope=envelope, spans=spans, grounding=grounding, sources=sources)
    return write_files(Path(folder), files)


def run_files(
    *, request: JSON, envelope: JSON, spans: bytes, grounding: GroundingVerdict, sources: SourceVerdict
) -> Files:
    """What the files of a run hold. Arguments and errors are those of :func:`write_run`, but for the folder's."""
    acted = _acted(envelope, grounding, sources)
    if acted:
        grounding, sources = concealed(grounding), concealed_sources(sources)
    return {
        REQUEST: page(request),
        ENVELOPE: page(envelope),
        SPANS: spans,
        GROUNDING: page(grounding.as_dict()),
        GROUNDING_TEXT: _text(grounding.lines()),
        SOURCES: page(sources.as_dict()),
        SOURCES_TEXT: _text(sources.lines()),
    }


def _acted(envelope: JSON, grounding: GroundingVerdict, sources: SourceVerdict) -> bool:
    """Whether the gate acted; refuses an envelope that did not pass it."""
    reasons = reasons_of(grounding.status, grounding.codes, sources.status, sources.codes)
    if grounding.judged_hash != sources.judged_hash:
        raise _other("the two verdicts judged different envelopes")
    if reasons:
        if isinstance(envelope, dict) and emptied(envelope, reasons) == envelope:
            return True
        raise UsageError(
            "usage.not-gated",
            f"a result that fails is not stored as it is: {reasons}",
            remedy="store what withhold() returns",
        )
    if grounding.judged_hash != envelope_hash(envelope):
        raise _other("the verdicts judged another envelope than the one to be stored")
    return False


def _other(detail: str) -> UsageError:
    return UsageError("usage.other-envelope", detail, remedy="store the envelope that was judged, as the gate left it")


def page(document: JSON) -> bytes:
    """A document as its file holds it, certain to read back.

    Raises:
        CanonicalError: it is no JSON value.
        ReadError: it nests too deep, or is too large.
    """
    content_hash(document, "dd-input-json-v1")  # refuses what is no JSON value
    octets = (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
    loads(octets)
    return octets


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def write_files(
    folder: Path, files: Files, on: Callable[[str], None] = _on, moving: Callable[[], None] = lambda: None
) -> Path:
    """Write a folder beside its place and move it there when all of it is on the disk.

    Args:
        folder: the folder to be; its parent is there.
        files: what it holds.
        on: called with the name of every step when it is done.
        moving: called when all is written, before the folder is moved.

    Returns:
        The folder.

    Raises:
        UsageError: ``usage.run-exists``, ``usage.unwritable``.
    """
    if os.path.lexists(folder):
        raise UsageError(
            "usage.run-exists",
            "something is stored there already",
            where=Where(file=str(folder)),
            remedy="a stored run is never overwritten; store this one under its own invocation id",
        )
    try:
        whole = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name[:40]}.", suffix=".partial"))
        try:
            on("folder made")
            for name, octets in files.items():
                _file(whole / name, octets)
                on(f"{name} written")
            _on_disk(whole)
            whole.chmod(0o755)
            moving()
            whole.rename(folder)
            on("renamed")
        except BaseException:
            shutil.rmtree(whole, ignore_errors=True)
            raise
        _on_disk(folder.parent)
    except (OSError, ValueError) as error:
        known = error.strerror if isinstance(error, OSError) else None
        reason = (known or "the name is not usable").lower()
        raise UsageError("usage.unwritable", f"it cannot be written: {reason}", where=Where(file=str(folder))) from None
    return folder


def _file(path: Path, octets: bytes) -> None:
    with path.open("xb") as file:
        file.write(octets)
        file.flush()
        os.fsync(file.fileno())


def _on_disk(folder: Path) -> None:
    """Have the names in a folder on the disk, where the system lets a folder be opened for that."""
    if os.name == "nt":  # pragma: no cover - folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
