"""A conformance report as the JSON that an endpoint badge of shields.io is made of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from groundrules.conformance.render.document import Standing, read
from groundrules.conformance.score import Outcome

if TYPE_CHECKING:
    from groundrules.strictjson import JSON

_COLOURS: Final = {Standing.ALL: "brightgreen", Standing.APPLICABLE: "yellow", Standing.RED: "red"}


def badge(report: dict[str, JSON]) -> str:
    """The report as a badge: how many of the vectors asked were passed, and of which corpus.

    It is bright green where every vector is a pass or an expected failure, yellow where others are not applicable,
    and red else (conformance.red). Of several implementations the worst is told.

    Args:
        report: of ``schemas/conformance-report.json``.
    """
    told = read(report)
    ranked = [(one.standing(told.asked), -one.counts[Outcome.PASS]) for one in told.implementations]
    standing, missing = max(ranked)
    shown: dict[str, JSON] = {
        "schemaVersion": 1,
        "label": "groundrules",
        "message": f"{-missing}/{told.asked} (corpus {told.corpus[:8]})",
        "color": _COLOURS[standing],
    }
    return json.dumps(shown, indent=2) + "\n"
