"""The files of a run (runs.layout)."""

from typing import Final

REQUEST: Final = "request.json"
ENVELOPE: Final = "envelope.json"
SPANS: Final = "spans.jsonl"
GROUNDING: Final = "grounding.json"
GROUNDING_TEXT: Final = "grounding.txt"
SOURCES: Final = "sources.json"
SOURCES_TEXT: Final = "sources.txt"

DOCUMENTS: Final = (REQUEST, ENVELOPE, GROUNDING, SOURCES)
"""The files that are one JSON text."""
TEXTS: Final = (GROUNDING_TEXT, SOURCES_TEXT)
"""The files that are text forms."""
FILES: Final = (REQUEST, ENVELOPE, SPANS, GROUNDING, GROUNDING_TEXT, SOURCES, SOURCES_TEXT)
"""All files, in the order in which they are told."""
