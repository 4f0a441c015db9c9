"""The rule catalogue, ``spec/rules.json``: the one inventory of rules and codes."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from groundrules.documents import kit, read_kit_json, validate
from groundrules.errors import KitError, Where


@dataclass(frozen=True, slots=True)
class Code:
    """One permanent code.

    Attributes:
        code: its dotted name.
        stage: the stage that gives it; ``note`` for notes.
        title: one clause.
        requirement: the anchor of the requirement behind it.
        rule: the rule whose finding or note it is, or None.
    """

    code: str
    stage: str
    title: str
    requirement: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; the members are those of ``schemas/rule-catalogue.json``."""

    id: str
    title: str
    modes: tuple[str, ...]
    relies_on: str
    shows: str
    does_not_show: str
    since: str
    requirement: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All rules and codes, in the catalogue's order, and what no vector can test with the reason."""

    rules: tuple[Rule, ...]
    codes: tuple[Code, ...]
    excluded: dict[str, str]

    def code(self, name: str) -> Code | None:
        """The entry of a code, or None."""
        return next((code for code in self.codes if code.code == name), None)


@functools.cache
def catalogue() -> Catalogue:
    """The catalogue of this kit.

    Raises:
        KitError: ``kit.unreadable``: it is missing or not of its schema.
    """
    path = kit().catalogue
    document = read_kit_json(path)
    for finding in validate(document, "rule-catalogue"):
        where = Where(file=str(path), pointer=finding.pointer)
        raise KitError("kit.unreadable", finding.detail, where=where)
    match document:
        case {"rules": [*rules], "codes": [*codes], "excluded": [*excluded]}:
            return Catalogue(
                rules=tuple(
                    Rule(**(rule | {"modes": tuple(rule["modes"])}))  # type: ignore[arg-type, operator, call-overload, index]
                    for rule in rules
                ),
                codes=tuple(Code(**code) for code in codes),  # type: ignore[arg-type]
                excluded={entry["id"]: entry["reason"] for entry in excluded},  # type: ignore[call-overload, index, misc]
            )
    raise AssertionError(path)  # pragma: no cover - the schema makes every document match
