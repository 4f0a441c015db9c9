"""tool-receipt: what an agent called, with what, and what came back (resolve.tool-receipt)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.documents import validator_of
from groundrules.resolvers.base import Fact, missing, numbered, undecided
from groundrules.resolvers.texts import hashed, receipt

if TYPE_CHECKING:
    from groundrules.resolvers.archive import Call
    from groundrules.resolvers.base import Answer, Question, Ref, Sources
    from groundrules.strictjson import JSON

_DONE = "ok"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def resolve(question: Question, sources: Sources) -> Answer:
    """What the receipts say of the calls that the question names.

    The value is the number of calls (``called``, at least 1), a value of the arguments or of the result by its
    pointer, whether the arguments satisfy the tool's schema, the status, whether the call failed, or the list of side
    effects. Every question but ``called`` is about one call.

    Abstains for want of ``tool_call_id`` where calls were not recorded or several are meant, of ``tool_schema`` where
    the tool's schema is not there or is none, and of ``result``, ``status`` or ``side_effects`` where that was not
    recorded; as ``no_call``, ``no_value`` or ``contradictory`` where the receipts leave it open.
    """
    if any(turn.calls is None for turn in sources.turns):
        return missing(question, "tool_call_id")
    calls = [call for turn in sources.turns for call in turn.calls or () if _is_meant(call, question)]
    if not calls:
        return undecided(question, "no_call")
    if len(calls) > 1 and question.parameters["ask"] != "called":
        return missing(question, "tool_call_id")
    valid = [is_valid(call.arguments, sources.archive.tool(call.name)) for call in calls]
    if None in valid:
        return missing(question, "tool_schema")
    refs = [
        receipt(call, "AGENT_TOOL_CALL", {"arguments_valid": fits}) for call, fits in zip(calls, valid, strict=True)
    ]
    match question.parameters["ask"]:
        case "called":
            return Fact(question.name, len(calls), numbered(question.name, refs))
        case "arguments_valid":
            return Fact(question.name, valid[0], numbered(question.name, refs))
        case "argument":
            return _argument(question, calls[0], refs[0])
    return _came_back(question, calls[0], refs[0])


def is_valid(arguments: JSON, schema: JSON) -> bool | None:
    """Whether arguments satisfy a JSON Schema (draft 2020-12); None where it is none, or refers to what is not here.

    An address that cannot be read refers to nothing; a schema that is only itself again is none.
    """
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - it is slow to import
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415

    if not isinstance(schema, dict) or schema.get("$schema", _DRAFT) != _DRAFT:
        return schema if isinstance(schema, bool) else None
    try:
        Draft202012Validator.check_schema(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
        return bool(validator_of(schema).is_valid(arguments)) if is_plain_schema(schema) else None
    except (SchemaError, RecursionError, ValueError):
        return None


_SCHEMAS = frozenset({"items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else"})
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_NAMED = frozenset({"properties", "dependentSchemas"})
_PLAIN = frozenset(
    (
        "$schema",
        "$comment",
        "title",
        "description",
        "default",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "format",
        "type",
        "enum",
        "const",
        "required",
        "dependentRequired",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "minContains",
        "maxContains",
    )
)


def is_plain_schema(schema: JSON) -> bool:
    """Whether a schema has only keywords whose meaning does not depend on who reads it (resolve.tool-schema).

    References, regular expressions, ``multipleOf`` and ``uniqueItems`` are not among them: the first can cost without
    end, and readers differ about the others.
    """
    pending: list[JSON] = [schema]
    while pending:
        inner = pending.pop()
        if isinstance(inner, bool):
            continue
        if not isinstance(inner, dict) or not inner.keys() <= _PLAIN | _SCHEMAS | _LISTS | _NAMED:
            return False
        for name, value in inner.items():
            match value:
                case [*parts] if name in _LISTS:
                    pending += parts
                case dict() if name in _NAMED:
                    pending += value.values()
                case _ if name in _SCHEMAS:
                    pending.append(value)
    return True


def at_pointer(value: JSON, pointer: str) -> tuple[bool, JSON]:
    """Whether a JSON Pointer leads to something in a value, and to what."""
    for written in pointer.split("/")[1:]:
        step = written.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and _is_index(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return False, None
    return True, value


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdecimal() and (step == "0" or step[0] != "0") and len(step) <= 10  # noqa: PLR2004 - no list is longer


def _is_meant(call: Call, question: Question) -> bool:
    stated = question.parameters
    return (
        stated.get("tool", call.name) == call.name
        and stated.get("turn_index", call.turn) == call.turn
        and stated.get("call_index", call.index) == call.index
    )


def _argument(question: Question, call: Call, called: Ref) -> Answer:
    pointer = str(question.parameters.get("pointer", ""))
    found, value = at_pointer(call.arguments, pointer)
    if not found:
        return undecided(question, "no_value")
    _name_value(called, f"{call.pointer}/arguments{pointer}", value)
    return Fact(question.name, value, numbered(question.name, [called]))


def _came_back(question: Question, call: Call, called: Ref) -> Answer:
    """What the environment answered: two refs, since a result witnesses only beside its call."""
    ask, recorded = str(question.parameters["ask"]), call.recorded
    member = "status" if ask == "failed" else ask
    has_error = recorded.get("error") is not None
    if member not in recorded and not (ask == "failed" and has_error):
        return missing(question, member)
    if has_error and recorded.get("status") == _DONE:
        return undecided(question, "contradictory")
    came = receipt(call, "TOOL_RESULT", {}, f"/{'error' if member not in recorded else member}")
    value = has_error or recorded["status"] != _DONE if ask == "failed" else recorded[member]
    if ask == "result":
        pointer = str(question.parameters.get("pointer", ""))
        found, value = at_pointer(value, pointer)
        if not found:
            return undecided(question, "no_value")
        _name_value(came, f"{call.pointer}/result{pointer}", value)
    return Fact(question.name, value, numbered(question.name, [called, came]))


def _name_value(ref: Ref, place: str, value: JSON) -> None:
    inputs = ref["inputs"]
    assert isinstance(inputs, dict)  # noqa: S101 - every receipt has them
    ref["inputs"] = inputs | {"value_pointer": place, "value_sha256": hashed(value)}
