"""Whom semantic resolvers ask, from a file (resolve.evaluators)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.documents import departures
from groundrules.errors import ConfigurationError, ReadError, Where
from groundrules.files import read_bytes
from groundrules.resolvers.archive import objects
from groundrules.resolvers.http_evaluator import HttpEvaluator
from groundrules.strictjson import loads, pointer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.strictjson import JSON

_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Evaluators:
    """The evaluators of a file.

    Attributes:
        asked: by id, whom to ask.
        declared: what a record declares of each.
    """

    asked: Mapping[str, HttpEvaluator]
    declared: tuple[JSON, ...]


def load_evaluators(file: str) -> Evaluators:
    """The evaluators that a file states.

    Args:
        file: of ``schemas/evaluators.json``.

    Raises:
        UsageError: the file cannot be read.
        ReadError: it is no strict JSON text.
        ConfigurationError: ``config.evaluator``: it departs from its schema, an id stands twice, an address is none,
            or the variable with the key is not set.
    """
    try:
        document = loads(read_bytes(file))
        for path, detail in departures(document, "evaluators"):
            raise _refused(detail, pointer(path), "see schemas/evaluators.json")
        assert isinstance(document, dict)  # noqa: S101 - by its schema
        listed = objects(document["evaluators"])
        asked: dict[str, HttpEvaluator] = {}
        for index, entry in enumerate(listed):
            if str(entry["id"]) in asked:
                raise _refused("its id stands twice", f"/evaluators/{index}/id", "give each an id of its own")
            asked[str(entry["id"])] = _evaluator(entry, f"/evaluators/{index}")
    except (ReadError, ConfigurationError) as error:
        raise error.in_file(file) from None
    names = ("id", "model", "role", "qualification")
    return Evaluators(asked, tuple({name: entry[name] for name in names} for entry in listed))


def _evaluator(entry: dict[str, JSON], at: str) -> HttpEvaluator:
    variable, key = entry.get("key_variable"), None
    if variable is not None:
        key = os.environ.get(str(variable))
        if not key:
            raise _refused("the variable that it names is not set", f"{at}/key_variable", "set it, or leave it out")
    timeout = entry.get("timeout", _TIMEOUT)
    assert isinstance(timeout, int | float)  # noqa: S101 - by its schema
    return HttpEvaluator(str(entry["url"]), str(entry["model"]), key, float(timeout))


def _refused(detail: str, at: str, remedy: str) -> ConfigurationError:
    return ConfigurationError("config.evaluator", detail, where=Where(pointer=at), remedy=remedy)
