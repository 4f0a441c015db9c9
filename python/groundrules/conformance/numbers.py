"""A hundred thousand doubles out of a short seed (conformance.numbers)."""

from __future__ import annotations

import hashlib
import math
import struct
from itertools import count as natural_numbers
from itertools import islice
from typing import TYPE_CHECKING

from groundrules.canonical import Form
from groundrules.canonical.domain import LARGEST_SAFE

if TYPE_CHECKING:
    from collections.abc import Iterator


def doubles(seed: bytes, count: int, form: Form) -> Iterator[float]:
    """The doubles of a seed that have octets in a form.

    Args:
        seed: any octets; a vector's are ASCII.
        count: how many.
        form: the form of the name under which they are to be written.
    """
    blocks = (hashlib.sha256(b"%s:%d" % (seed, number)).digest() for number in natural_numbers())
    made = (double for block in blocks for double in struct.unpack(">4d", block))
    return islice((double for double in made if _has_octets(double, form)), count)


def _has_octets(double: float, form: Form) -> bool:
    return math.isfinite(double) and (form is Form.PYJSON or abs(double) <= LARGEST_SAFE)
