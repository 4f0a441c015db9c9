"""The pyjson form: sorted by code point, no white space, minimal escapes, integers and floats kept apart.

CPython's ``json.dumps(sort_keys=True, separators=(",", ":"), ensure_ascii=False)`` writes exactly this form for the
values strict reading yields; the chapter *Canonical JSON* defines it without Python, and a test holds the two equal.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from groundrules.errors import CanonicalError

if TYPE_CHECKING:
    from groundrules.strictjson import JSON

_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
)


def encode(value: JSON) -> bytes:
    """The pyjson octets of a value that :func:`groundrules.canonical.domain.survey` has admitted.

    Raises:
        CanonicalError: ``canon.not-json``: this interpreter is set to write fewer digits than an integer has.
    """
    try:
        return _ENCODER.encode(value).encode("utf-8")
    except ValueError:
        raise CanonicalError(
            "canon.not-json",
            "an integer has more digits than this Python is set to write",
            stage="canonicalise",
            remedy="raise sys.set_int_max_str_digits",
        ) from None


def scalar_text(value: str | float | None) -> str:
    """A scalar label as hashed in a sorted list: a string as it is, else its Python text (canon.label-text)."""
    return str(value)
