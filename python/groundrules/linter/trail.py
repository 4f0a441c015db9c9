"""The trace as the rules read it: roots, retrievals, calls, and a G0 fault for whatever is malformed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from groundrules import strictjson
from groundrules.citations import INPUT_NAMES, MODES, Pair, is_digest, is_text
from groundrules.errors import ReadError
from groundrules.linter.tree import SpanFault, tree_faults
from groundrules.trace.profiles import OWNED_ATTRIBUTES, PROFILES, Profile, profile_named
from groundrules.trace.spans import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules.strictjson import JSON
    from groundrules.trace.spans import SpanRecord

DEFAULT_INPUT_NAME = "dd-input-json-v1"
_DOCUMENTS = "gen_ai.retrieval.documents"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One retrieval span.

    Attributes:
        span: index of the span.
        pairs: the (id, hash) pairs it declares; none where it is empty or ill-typed.
        is_error: its status is error.
        unhashed: how many documents it names without a hash.
        fault: what is ill-typed about it, or "".
    """

    span: int
    pairs: tuple[Pair, ...]
    is_error: bool
    unhashed: int = 0
    fault: str = ""

    @property
    def is_empty(self) -> bool:
        """It declares nothing and is not ill-typed; a note."""
        return not self.pairs and not self.fault


@dataclass(frozen=True, slots=True)
class Trail:
    """What a trace says, span by span.

    Attributes:
        spans: every span in file order.
        profile: the profile by which they were classified.
        roots: indexes of the roots.
        retrievals: every retrieval, the empty and ill-typed ones included.
        calls: indexes of model calls, without embeddings.
        embeddings: indexes of embeddings.
        unclassified: indexes of spans that look like model calls and are none under the profile.
        faults: what is malformed, by span in file order.
    """

    spans: Sequence[SpanRecord]
    profile: Profile
    roots: tuple[int, ...]
    retrievals: tuple[Retrieval, ...]
    calls: tuple[int, ...]
    embeddings: tuple[int, ...]
    unclassified: tuple[int, ...]
    faults: tuple[SpanFault, ...]

    @property
    def root(self) -> SpanRecord | None:
        """The one root, or None where there is not exactly one."""
        return self.spans[self.roots[0]] if len(self.roots) == 1 else None


def read_trail(spans: Sequence[SpanRecord], profile: Profile) -> Trail:
    """Classify the spans of a trace and find what is malformed about them."""
    genai = profile_named("genai")
    roots = tuple(span.index for span in spans if profile.is_root(span))
    operations = [profile.operation(span) for span in spans]
    retrievals = tuple(
        _retrieval(span)
        for span in spans
        if operations[span.index] in profile.retrieval or {"dd.source_id", "dd.content_hash"} <= span.attributes.keys()
    )
    by_another_name = genai.model_call | genai.embedding if profile is not genai else frozenset()
    trail = Trail(
        spans,
        profile,
        roots,
        retrievals,
        tuple(index for index, operation in enumerate(operations) if operation in profile.model_call),
        tuple(index for index, operation in enumerate(operations) if operation in profile.embedding),
        tuple(
            span.index
            for span in spans
            if genai.operation(span) in by_another_name and operations[span.index] not in profile.model_call
        ),
        (),
    )
    return _with_faults(trail)


def _with_faults(trail: Trail) -> Trail:
    faults: list[SpanFault] = [(span.index, fault.code, fault.detail) for span in trail.spans for fault in span.faults]
    faults += tree_faults(trail.spans, trail.roots[0] if len(trail.roots) == 1 else None)
    faults += [(index, "g0.many-roots", "an earlier span is a root already") for index in trail.roots[1:]]
    faults += [(found.span, "g0.retrieval-span", found.fault) for found in trail.retrievals if found.fault]
    roots = frozenset(trail.roots)
    for span in trail.spans:
        if span.index not in roots and not OWNED_ATTRIBUTES.isdisjoint(span.attributes):
            owned = ", ".join(sorted(OWNED_ATTRIBUTES & span.attributes.keys()))
            faults.append((span.index, "g0.owned-attribute", f"only the conductor's root span carries {owned}"))
    if trail.root is not None:
        faults += [(trail.root.index, code, detail) for code, detail in _root_faults(trail.root.attributes)]
    return replace(trail, faults=tuple(faults))


def _root_faults(attributes: dict[str, JSON]) -> Iterator[tuple[str, str]]:
    mode = attributes.get("dd.grounding_mode")
    if "dd.grounding_mode" not in attributes:
        yield "g0.mode-missing", "the root states no grounding mode"
    elif not isinstance(mode, str) or mode not in MODES:
        yield "g0.mode-unknown", f"the root's grounding mode is none of {', '.join(MODES)}"
    if not is_digest(attributes.get("dd.input_hash")):
        yield "g0.input-hash", "the root has no input hash of 64 lower-case hex digits"
    name = attributes.get("dd.input_canonicalisation", DEFAULT_INPUT_NAME)
    if not isinstance(name, str) or name not in INPUT_NAMES:
        yield "g0.input-canonicalisation", "the root's input canonicalisation is none for inputs"
    skew = attributes.get("dd.clock_skew_us", 0)
    if type(skew) is not int or skew < 0:
        yield "g0.clock-skew", "the root's clock skew is no non-negative integer"
    profile = attributes.get("dd.span_profile", PROFILES[0])
    if not isinstance(profile, str) or profile not in PROFILES:
        yield "g0.span-profile", f"the root's span profile is none of {', '.join(PROFILES)}"


def _retrieval(span: SpanRecord) -> Retrieval:
    if span.status is Status.ERROR:
        return Retrieval(span.index, (), is_error=True)
    fault, pairs = "", []
    source_id, digest = (span.attributes.get(name) for name in ("dd.source_id", "dd.content_hash"))
    stated = [name in span.attributes for name in ("dd.source_id", "dd.content_hash")]
    if any(stated):
        if is_text(source_id) and is_digest(digest):
            pairs.append((str(source_id), str(digest)))
        else:
            fault = "the retrieval does not have both a source id and a content hash of their forms"
    documents, unhashed = _documents(span.attributes.get(_DOCUMENTS, []))
    if documents is None:
        fault = fault or "the retrieved documents do not have their form"
    else:
        pairs += documents
    return Retrieval(span.index, () if fault else tuple(pairs), is_error=False, unhashed=unhashed, fault=fault)


def _documents(value: JSON) -> tuple[list[Pair] | None, int]:
    """The hashed documents of a retrieval and the number of the others; None where they do not have their form."""
    if isinstance(value, str):
        try:
            value = strictjson.loads(value.encode("utf-8"))
        except ReadError:
            return None, 0
    if not isinstance(value, list):
        return None, 0
    pairs, unhashed = [], 0
    for document in value:
        if not isinstance(document, dict) or not is_text(document.get("id")):
            return None, 0
        digest = document.get("dd.content_hash")
        if "dd.content_hash" not in document:
            unhashed += 1
        elif is_digest(digest):
            pairs.append((str(document["id"]), str(digest)))
        else:
            return None, 0
    return pairs, unhashed
