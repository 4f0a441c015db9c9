"""Evidence and the hashes that name it: what an embedder calls.

``project``, ``canonicalise`` and ``content_hash`` are those of :mod:`groundrules.canonical`; here stand the questions
asked of documents that carry hashes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.canonical import canonicalise, content_hash, project

if TYPE_CHECKING:
    from groundrules.strictjson import JSON

__all__ = [
    "canonicalise",
    "content_hash",
    "envelope_hash",
    "input_hash",
    "project",
    "resolve",
    "verify",
]


def verify(content: JSON, name: str, expected: str) -> bool:
    """Whether content hashes to the expected digest under a name (canon.digest-compare).

    The whole strings are compared exactly: a prefix, an upper-case digest or surrounding white space is False.

    Raises:
        UnknownNameError: the name is not registered.
        CanonicalError: the content has no hash under the name, so the question has no answer.
    """
    return content_hash(content, name) == expected


def resolve(envelope: JSON, reference: JSON) -> JSON:
    """The content a grounding reference stands for: what a reader may be shown (evidence.resolve).

    Args:
        envelope: an envelope.
        reference: an object with ``source_id`` and ``content_hash``.

    Returns:
        The ``content`` of the first evidence item with the same id and the same hash; None where no item has both,
        where that item carries no content, or where either argument has another shape. It is not re-hashed here.
    """
    match envelope, reference:
        case {"evidence": [*items]}, {"source_id": str(source_id), "content_hash": str(digest)}:
            for item in items:
                if isinstance(item, dict) and (item.get("source_id"), item.get("content_hash")) == (source_id, digest):
                    return item.get("content")
    return None


def input_hash(document: JSON, name: str = "dd-input-json-v1") -> str:
    """The hash of a run's input (canon.digest). Raises as content_hash does."""
    return content_hash(document, name)


def envelope_hash(envelope: JSON, name: str = "dd-envelope-json-v1") -> str:
    """The hash of a whole envelope as stored (canon.digest). Raises as content_hash does."""
    return content_hash(envelope, name)
