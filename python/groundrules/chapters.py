"""The generated tables of the chapters: codes from the catalogue, names from the registry.

A chapter marks a table's place with ``<!-- table: codes read -->`` and ``<!-- end -->``. Run as a module in a checkout
this writes every table anew; a test holds the chapters to what it would write.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.canonical import CANONICALISATIONS
from groundrules.catalogue import catalogue
from groundrules.citations import MODES
from groundrules.documents import kit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PLACE = re.compile(r"(?P<open><!-- table: (?P<what>[a-z0-9 ]+) -->\n).*?(?P<close><!-- end -->)", re.DOTALL)


def refreshed(chapter: str) -> str:
    """A chapter's text with every marked table written anew."""
    return _PLACE.sub(lambda place: place["open"] + "\n" + _table(place["what"]) + "\n" + place["close"], chapter)


def _table(what: str) -> str:
    subject, *prefixes = what.split()
    if subject == "rules":
        return _markdown(("rule", "title", "modes", "relies on", "a pass shows", "and does not show"), _rules())
    if subject == "names":
        return _markdown(("name", "for", "covers", "form"), _names())
    return _markdown(("code", "stage", "meaning", "requirement"), _codes(prefixes))


def _names() -> Iterable[Sequence[str]]:
    for entry in CANONICALISATIONS.values():
        covered = "the whole document" if entry.members is None else f"{len(entry.members)} members"
        yield f"`{entry.name}`", f"{entry.covers}s", covered, entry.form.value


def _rules() -> Iterable[Sequence[str]]:
    for rule in catalogue().rules:
        if not rule.id.startswith("C"):
            modes = "all" if len(rule.modes) == len(MODES) else ", ".join(rule.modes)
            yield f"**{rule.id}**", rule.title, modes, rule.relies_on, rule.shows, rule.does_not_show


def _codes(prefixes: Sequence[str]) -> Iterable[Sequence[str]]:
    for entry in catalogue().codes:
        if entry.code.partition(".")[0] in prefixes or entry.requirement.partition(".")[0] in prefixes:
            yield f"`{entry.code}`", entry.stage, entry.title, f"`{entry.requirement}`"


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)) + "\n"


def main() -> None:
    """Write the tables of every chapter of this checkout."""
    chapters = kit().chapters
    for path in sorted(chapters.glob("*.md")) if chapters else ():
        path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
