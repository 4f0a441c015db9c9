"""Wrong implementations: the verifier with one mistake each, to show that the vectors catch it.

``vectors/wrong.json`` names each, says what it does, and which vectors catch it; here stand its carriers. A carrier
changes what goes into the verifier, or what comes out, so that none of them can leak into it.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Final

from groundrules import canonical, strictjson
from groundrules.conformance import mistakes
from groundrules.conformance.builtin import Answer, answer
from groundrules.documents import kit, read_kit_json, validate
from groundrules.errors import KitError, Where

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from groundrules.strictjson import JSON

    Carrier = Callable[[str, Mapping[str, bytes]], Answer]


FILE: Final = "wrong.json"
"""The neutral table of wrong implementations, in the folder of families."""
_LINES = ("spans", "copy", "other")


def _accept_all(kind: str, inputs: Mapping[str, bytes]) -> Answer:
    found = answer(kind, inputs)
    return {"verdict": "pass"} if found["verdict"] != "pass" else found


def _reject_all(_kind: str, _inputs: Mapping[str, bytes]) -> Answer:
    return {"verdict": "fail", "stage": "parse", "codes": ["read.syntax"]}


def _takes(change: Callable[[Mapping[str, bytes]], Mapping[str, bytes]], *kinds: str) -> Carrier:
    """A carrier that changes what goes in, for these kinds or for all."""
    return lambda kind, inputs: answer(kind, change(inputs) if not kinds or kind in kinds else inputs)


def _gives(change: Callable[[Answer], Answer], *kinds: str) -> Carrier:
    """A carrier that changes what comes out, for these kinds or for all."""
    return lambda kind, inputs: change(answer(kind, inputs)) if not kinds or kind in kinds else answer(kind, inputs)


def _writes(rewrite: Callable[[bytes], bytes], form: str = "") -> Carrier:
    """A carrier that writes canonical octets wrongly, under names of one form or under all."""

    def carrier(kind: str, inputs: Mapping[str, bytes]) -> Answer:
        found = answer(kind, inputs)
        name = inputs.get("name", b"").decode("utf-8", "replace")
        is_meant = kind == "canonicalise" and found["verdict"] == "pass"
        if is_meant and (not form or canonical.named(name).form.value == form):
            return mistakes.rewritten(found, rewrite)
        return found

    return carrier


def _annotating(kind: str, inputs: Mapping[str, bytes]) -> Answer:
    """A gate that lets everything through."""
    found = answer(kind, inputs)
    if kind != "gate" or found["verdict"] != "withheld":
        return found
    octets = canonical.pyjson.encode(strictjson.loads(inputs["envelope"]))
    return {
        "verdict": "pass",
        "canonical_b64": base64.b64encode(octets).decode(),
        "digest": hashlib.sha256(octets).hexdigest(),
    }


WRONG: Final[Mapping[str, Carrier]] = {
    "accept-all": _accept_all,
    "reject-all": _reject_all,
    "code-point-order": _writes(mistakes.by(lambda name: name), "jcs-safe"),
    "utf16-order": _writes(mistakes.by(lambda name: name.encode("utf-16-be", "surrogatepass")), "pyjson"),
    "ascii-escaping": _writes(lambda octets: mistakes.raw(mistakes.parsed(octets), lambda pairs: pairs, ascii_=True)),
    "html-escaping": _writes(mistakes.for_pages),
    "sort-all-lists": _writes(mistakes.sorted_lists),
    "float-lossy-integers": _takes(lambda inputs: mistakes.changed(inputs, mistakes.lossy)),
    "last-duplicate-wins": _takes(lambda inputs: mistakes.changed(inputs, mistakes.loose)),
    "nfc-normalising": _takes(lambda inputs: mistakes.changed(inputs, mistakes.composed)),
    "mark-skipping": _takes(lambda inputs: mistakes.changed(inputs, mistakes.without_mark)),
    "prefix-compare": _takes(lambda inputs: mistakes.edited(inputs, mistakes.near_hash, ("envelope",)), "evidence"),
    "case-insensitive-hex": _takes(lambda inputs: mistakes.everywhere(inputs, mistakes.lower, ("envelope",))),
    "hash-only": _takes(lambda inputs: mistakes.everywhere(inputs, mistakes.one_id, ("envelope", "spans")), "lint"),
    "coercing": _takes(lambda inputs: mistakes.everywhere(inputs, mistakes.coerced, ("envelope", "spans")), "lint"),
    "root-references-only": _takes(lambda inputs: mistakes.edited(inputs, mistakes.shallow, ("envelope",)), "lint"),
    "retrieval-any-time": _gives(lambda found: mistakes.lacking(found, "g1."), "lint"),
    "content-trusting": _gives(lambda found: mistakes.lacking(found, "e1."), "lint", "evidence"),
    "line-splitting": _takes(lambda inputs: mistakes.changed(inputs, mistakes.broken_lines, _LINES), "lint", "sources"),
    "unresolved-is-verified": _gives(mistakes.all_verified, "sources"),
    "copy-trusting": _gives(lambda found: mistakes.lacking(found, "s2."), "sources"),
    "pin-trusting": _gives(
        lambda found: {"verdict": "pass"} if found.get("codes") == ["config.pin-mismatch"] else found, "sources", "run"
    ),
    "annotating-gate": _annotating,
    "stored-verdict-trusting": _gives(lambda found: mistakes.lacking(found, "i4."), "run"),
    "flag-trusting": _gives(lambda found: mistakes.lacking(found, "w4."), "witness"),
    "scope-blind": _takes(lambda inputs: mistakes.everywhere(inputs, mistakes.unscoped, ("record",)), "contract-check"),
    "opinion-believing": _takes(
        lambda inputs: mistakes.everywhere(inputs, mistakes.believed, ("record",)), "authority"
    ),
}
"""Each wrong implementation by name: what it answers to a kind and its inputs."""


def described() -> list[JSON]:
    """The table of ``vectors/wrong.json``: name, description, and the vectors that catch it.

    Raises:
        KitError: ``kit.unreadable``: it is missing or not of its schema.
    """
    path = kit().vectors / FILE
    document = read_kit_json(path)
    for finding in validate(document, "wrong-implementations"):
        raise KitError("kit.unreadable", finding.detail, where=Where(file=str(path), pointer=finding.pointer))
    entries = document["wrong"]
    assert isinstance(entries, list)  # noqa: S101 - by its schema
    return entries
