"""A stored run as evidence: the refs that claims about it may cite (witness.run-refs)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING

from groundrules.canonical import content_hash
from groundrules.gate import REASON_CODE
from groundrules.runs.layout import ENVELOPE, FILES, SPANS
from groundrules.trace import PROFILES, Status, profile_named
from groundrules.witness.record import objects

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundrules.runs import StoredRun
    from groundrules.strictjson import JSON
    from groundrules.trace import SpanRecord

_TURN = 0
"""A run is one turn."""
_DELEGATION = "delegation"
_CALLS = frozenset({"execute_tool", _DELEGATION})
"""What a span is called that is a call and no retrieval."""
_OUTPUT = ("status", "content_hash", "delegated_status")
_LONGEST = 2000
"""How many characters an id or a name has at most."""


def refs_of_run(run: StoredRun, files: Mapping[str, bytes]) -> dict[str, JSON]:
    """The evaluation record of a stored run: refs and the texts that they point into, and no claim yet.

    Args:
        run: the run as it was read.
        files: the octets of its files, by name; for their digests.

    Returns:
        A record of ``schemas/evaluation-record.json``.
    """
    envelope = run.documents.get(ENVELOPE)
    stated = envelope if isinstance(envelope, dict) else {}
    texts = [*_texts(_outcome(stated), "/outcome"), *_texts(stated.get("payload"), "/payload")]
    refs: list[JSON] = [*map(_answer, texts)]
    refs += _calls(stated, run.spans or [])
    refs += _shown(stated)
    refs += [_file(name, files[name]) for name in FILES if name in files]
    sources: list[JSON] = [{"id": _place(at), "sha256": _sha256(text), "text": text} for at, text in texts]
    return {"format": "evaluation-record/1", "refs": refs, "claims": [], "sources": sources}


def _outcome(envelope: Mapping[str, JSON]) -> JSON:
    """The outcome, where its words are the agent's and not the conductor's or the gate's."""
    outcome = envelope.get("outcome")
    is_gated = isinstance(outcome, dict) and outcome.get("reason_code") == REASON_CODE
    return None if is_gated or "problem" in envelope else outcome


def _texts(value: JSON, at: str) -> Iterator[tuple[str, str]]:
    """Every text of what the agent answered, with the JSON Pointer to it; citations are no words of it."""
    pending: list[tuple[str, JSON]] = [(at, value)]
    while pending:
        place, inner = pending.pop()
        match inner:
            case str():
                yield place, inner
            case [*entries]:
                pending += reversed([(f"{place}/{index}", entry) for index, entry in enumerate(entries)])
            case dict():
                kept = [(_step(name), entry) for name, entry in inner.items() if name not in _NO_WORDS]
                pending += reversed([(f"{place}/{step}", entry) for step, entry in kept])


_NO_WORDS = ("status", "reason_code", "schema_class", "grounded_on")


def _place(at: str) -> str:
    """A place in the envelope as a name; one that is too long for a name as its digest."""
    return _name(f"{ENVELOPE}#{at}")


def _name(text: str) -> str:
    return text if 0 < len(text) <= _LONGEST else f"sha256:{_sha256(text)}"


def _step(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _answer(told: tuple[str, str]) -> JSON:
    at, text = told
    return {
        "id": _place(at),
        "kind": "AGENT_SPAN",
        "source_type": "AGENT_ANSWER",
        "anchor": "exact",
        "source_ref": _place(at),
        "source_sha256": _sha256(text),
        "turn_index": _TURN,
        "char_start": 0,
        "char_end": len(text),
        "text": text,
        "text_sha256": _sha256(text),
    }


def _calls(envelope: Mapping[str, JSON], spans: list[SpanRecord]) -> Iterator[JSON]:
    """The spans that are calls; one witnesses only where the conductor recorded the call itself."""
    recorded = _recorded(envelope)
    counted = Counter(map(_named, spans))
    for number, span in enumerate(span for span in spans if _named(span) in recorded or _is_call(span)):
        record = recorded.get(_named(span)) if counted[_named(span)] == 1 else None  # of two nobody knows which
        made: dict[str, JSON] = {"status": "error" if span.status is Status.ERROR else "unset"}
        if record is not None:
            made = {name: record[name] for name in _OUTPUT if name in record}
        yield {
            "id": f"{SPANS}#/{span.index}",
            "kind": "TOOL_RECEIPT",
            "source_type": "AGENT_TOOL_CALL",
            "anchor": "none" if record is None else "receipt",
            "source_ref": SPANS,
            "turn_index": _TURN,
            "call_index": number,
            "inputs": {
                "arguments_sha256": content_hash(span.attributes, "dd-json-document-v1"),
                "arguments_pointer": f"/{span.index}/attributes",
            },
            "output": made,
        }


def _recorded(envelope: Mapping[str, JSON]) -> dict[tuple[str, JSON], dict[str, JSON]]:
    """The calls that the conductor recorded in the envelope, by what names their spans."""
    recorded: dict[tuple[str, JSON], dict[str, JSON]] = {}
    for entry in objects(envelope.get("retrievals")):
        recorded["span", str(entry.get("span_id"))] = entry
    for entry in objects(envelope.get("delegations")):
        recorded["child", str(entry.get("delegated_invocation_id"))] = entry
    return recorded


def _named(span: SpanRecord) -> tuple[str, JSON]:
    child = span.attributes.get("dd.delegated_invocation_id")
    return ("child", child) if span.name == _DELEGATION and isinstance(child, str) else ("span", span.span_id)


def _is_call(span: SpanRecord) -> bool:
    """Whether a span says of itself that it is a retrieval, a delegation or the call of a tool."""
    named = {name for profile in PROFILES for name in profile_named(profile).retrieval} | _CALLS
    operations = (span.attributes.get("gen_ai.operation.name"), span.name, span.name.partition(" ")[0])
    return any(isinstance(name, str) and name in named for name in operations)


def _shown(envelope: Mapping[str, JSON]) -> Iterator[JSON]:
    """What the agent was shown: its input, and the records that it read; context only, however well it verifies."""
    for index, item in enumerate(objects(envelope.get("evidence"))):
        source_id, content = str(item.get("source_id")), item.get("content")
        made: dict[str, JSON] = {
            "id": f"{ENVELOPE}#/evidence/{index}",
            "anchor": "document",
            "source_ref": _name(source_id),
        }
        if "content" not in item:  # it is named, and not shown
            yield made | {"kind": "PROVENANCE", "source_type": "HARNESS_SIGNAL"}
            continue
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        kind = "USER_INPUT" if source_id.startswith("input:") else "RETRIEVAL"
        told: dict[str, JSON] = {"kind": kind, "source_type": kind, "turn_index": _TURN}
        yield made | told | {"text": text, "text_sha256": _sha256(text)}


def _file(name: str, octets: bytes) -> JSON:
    """A file of the run: where the request, the trace, the envelope and the verdicts come from."""
    return {
        "id": name,
        "kind": "PROVENANCE",
        "source_type": "HARNESS_SIGNAL",
        "anchor": "document",
        "source_ref": name,
        "source_sha256": hashlib.sha256(octets).hexdigest(),
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
