"""The mistakes of wrong implementations: what each does to what goes in, or to what comes out."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import unicodedata
from typing import TYPE_CHECKING, TypeAlias

from groundrules import canonical, strictjson
from groundrules.errors import CanonicalError, ReadError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from groundrules.conformance.builtin import Answer
    from groundrules.strictjson import JSON

    Inputs: TypeAlias = Mapping[str, bytes]
    Pairs: TypeAlias = list[tuple[str, object]]

_DOCUMENTS = ("document", "envelope", "request", "config", "grounding", "sources")
_LINE_BREAKS = ("\u2028".encode(), "\u0085".encode())


class _Number(str):
    """A number literal that is written as it was read."""

    __slots__ = ()


# What goes in


def changed(
    inputs: Mapping[str, bytes], change: Callable[[bytes], bytes], names: tuple[str, ...] = _DOCUMENTS
) -> Inputs:
    """Inputs with the octets of these names changed."""
    return {name: change(octets) if name in names else octets for name, octets in inputs.items()}


def edited(inputs: Mapping[str, bytes], edit: Callable[[JSON], JSON], names: tuple[str, ...]) -> Inputs:
    """Inputs with the documents of these names edited as values; what is no JSON stays as it is."""

    def change(octets: bytes) -> bytes:
        try:
            value = strictjson.loads(octets)
        except ReadError:
            return octets
        return json.dumps(edit(value), ensure_ascii=False).encode()

    return changed(inputs, change, names)


def loose(octets: bytes) -> bytes:
    """A text as a reader takes it that keeps the last of two members with one name."""
    try:
        strictjson.loads(octets)
    except ReadError as error:
        if error.code == "read.duplicate-name":
            with contextlib.suppress(ValueError):  # something else is wrong with it too
                return raw(parsed(octets), lambda pairs: pairs)
    return octets


def composed(octets: bytes) -> bytes:
    """Text in Unicode's composed form."""
    return unicodedata.normalize("NFC", octets.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def lossy(octets: bytes) -> bytes:
    """A text as a reader takes it that keeps integers in doubles."""
    try:
        strictjson.loads(octets)
    except ReadError:
        return octets
    text = json.loads(octets, parse_float=_Number, parse_int=_double)
    return raw(text, lambda pairs: pairs)


def _double(digits: str) -> _Number:
    """An integer's literal as it is after a double held it."""
    return _Number(int(float(digits))) if abs(float(digits)) < float("inf") else _Number(digits)


def broken_lines(octets: bytes) -> bytes:
    """Text with every line separator of Unicode made a line feed."""
    for mark in _LINE_BREAKS:
        octets = octets.replace(mark, b"\n")
    return octets


def without_mark(octets: bytes) -> bytes:
    """Text without its byte-order mark."""
    return octets.removeprefix(b"\xef\xbb\xbf")


def items(envelope: JSON) -> list[dict[str, JSON]]:
    """The evidence items of an envelope that are objects."""
    listed = envelope.get("evidence") if isinstance(envelope, dict) else None
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def near_hash(envelope: JSON) -> JSON:
    """Every hash that begins like the right one taken for it."""
    for item in items(envelope):
        stated = item.get("content_hash")
        try:
            right = canonical.content_hash(item.get("content"), str(item.get("canonicalisation")))
        except CanonicalError:
            continue
        if isinstance(stated, str) and stated[:8] == right[:8]:
            item["content_hash"] = right
    return envelope


def walk(value: JSON, edit: Callable[[dict[str, JSON]], None]) -> JSON:
    """A value with every object in it edited."""
    if isinstance(value, dict):
        edit(value)
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        walk(inner, edit)
    return value


def everywhere(inputs: Inputs, edit: Callable[[dict[str, JSON]], None], names: tuple[str, ...]) -> Inputs:
    """Inputs with every object in the documents of these names edited."""
    return edited(inputs, lambda value: walk(value, edit), names)


def lower(members: dict[str, JSON]) -> None:
    """Take an upper-case hash for a lower-case one."""
    if isinstance(members.get("content_hash"), str):
        members["content_hash"] = str(members["content_hash"]).lower()


def one_id(members: dict[str, JSON]) -> None:
    """Take every id for one id, so that hashes alone are compared."""
    for name in ("source_id", "dd.source_id"):
        if isinstance(members.get(name), str) and members[name]:
            members[name] = _any_record(str(members[name]))
    match members:
        case {"key": "dd.source_id", "value": {"stringValue": str(id_)}} if id_:
            members["value"] = {"stringValue": _any_record(id_)}


def _any_record(id_: str) -> str:
    return id_ if id_.startswith(("input:", "invocation:")) else "record"


def coerced(members: dict[str, JSON]) -> None:
    """Take whatever stands for an id or a hash as its text."""
    for name in ("source_id", "content_hash", "dd.source_id", "dd.content_hash"):
        if name in members:
            members[name] = str(members[name])
    if members.get("key") in ("dd.source_id", "dd.content_hash"):
        value = members.get("value")
        members["value"] = {
            "stringValue": str(next(iter(value.values()), None)) if isinstance(value, dict) else str(value)
        }


def shallow(envelope: JSON) -> JSON:
    """An envelope in which only the payload's root ``grounded_on`` is left."""

    def strip(value: JSON, *, top: bool) -> JSON:
        if isinstance(value, dict):
            return {name: strip(inner, top=False) for name, inner in value.items() if top or name != "grounded_on"}
        return [strip(inner, top=False) for inner in value] if isinstance(value, list) else value

    if isinstance(envelope, dict) and isinstance(envelope.get("payload"), dict):
        root = envelope["payload"]
        assert isinstance(root, dict)  # noqa: S101 - just asked
        kept = {"grounded_on": root["grounded_on"]} if "grounded_on" in root else {}
        return envelope | {"payload": strip({k: v for k, v in root.items() if k != "grounded_on"}, top=True) | kept}  # type: ignore[operator]
    return envelope


# What comes out


def raw(
    value: object, order: Callable[[list[tuple[str, object]]], list[tuple[str, object]]], *, ascii_: bool = False
) -> bytes:
    """A value read with :class:`_Number` literals, written without white space and with members in some order."""

    def write(part: object) -> str:
        match part:
            case _Number():
                return str(part)
            case dict():
                members = order([(str(name), inner) for name, inner in part.items()])
                return (
                    "{"
                    + ",".join(f"{json.dumps(name, ensure_ascii=ascii_)}:{write(inner)}" for name, inner in members)
                    + "}"
                )
            case list():
                return "[" + ",".join(map(write, part)) + "]"
        return json.dumps(part, ensure_ascii=ascii_)

    return write(value).encode("utf-8", "surrogatepass")


def rewritten(found: Answer, rewrite: Callable[[bytes], bytes]) -> Answer:
    """An answer with its canonical octets rewritten and hashed anew."""
    octets = rewrite(base64.b64decode(str(found["canonical_b64"])))
    digest = hashlib.sha256(octets).hexdigest()
    return found | {"canonical_b64": base64.b64encode(octets).decode(), "digest": digest}


def parsed(octets: bytes) -> object:
    """Octets as a value whose numbers keep their spelling."""
    return json.loads(octets, parse_float=_Number, parse_int=_Number)


def by(key: Callable[[str], object]) -> Callable[[bytes], bytes]:
    """A writer that sorts members by a key."""
    return lambda octets: raw(parsed(octets), lambda pairs: sorted(pairs, key=lambda pair: key(pair[0])))  # type: ignore[arg-type, return-value]


def sorted_lists(octets: bytes) -> bytes:
    """Octets with every list sorted."""

    def order(value: object) -> object:
        if isinstance(value, dict):
            return {name: order(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return sorted(map(order, value), key=lambda part: raw(part, lambda pairs: pairs))
        return value

    return raw(order(parsed(octets)), lambda pairs: pairs)


def for_pages(octets: bytes) -> bytes:
    """Octets with what a page could take for markup escaped."""
    text = octets.decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode()


def believed(members: dict[str, JSON]) -> None:
    """An opinion taken for a computation."""
    if members.get("decided_by") == "semantic":
        members["decided_by"] = "deterministic"


def unscoped(members: dict[str, JSON]) -> None:
    """A contract without the scope that its evidence has to lie in."""
    if members.get("scope") in ("turn", "episode", "run", "artifact", "paired-episode"):
        del members["scope"]


def lacking(found: Answer, prefix: str) -> Answer:
    """An answer without the codes that begin so, and with the verdict that is left."""
    listed = found.get("codes")
    if not isinstance(listed, list) or "stage" in found:
        return found
    codes: list[JSON] = [code for code in listed if not str(code).startswith(prefix)]
    changed = found | {"codes": codes}
    return changed | {"verdict": "pass"} if listed and not codes else changed


def all_verified(found: Answer) -> Answer:
    """An answer that counts what is unresolved as verified."""
    match found:
        case {"status": "unresolved", "verified": [*verified], "unresolved": [*unresolved]}:
            refs = [entry["ref"] for entry in unresolved if isinstance(entry, dict)]
            return found | {"verdict": "pass", "status": "verified", "verified": [*verified, *refs], "unresolved": []}
    return found
