"""A conformance report, for people and for machines: one module a format.

Each takes a report of ``schemas/conformance-report.json`` that was validated, and yields text that ends with one line
feed. A report holds text of whoever was tested; no format lets it be markup.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from groundrules.conformance.render import badge, html, junit, markdown, matrix, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from groundrules.strictjson import JSON

FORMATS: Final[Mapping[str, Callable[[dict[str, JSON]], str]]] = MappingProxyType(
    {
        "text": text.text,
        "markdown": markdown.markdown,
        "junit": junit.junit,
        "badge": badge.badge,
        "html": html.html,
        "matrix": matrix.matrix,
    }
)
"""The formats by name."""
