"""The generated tables of the chapters: codes from the catalogue, names from the registry, twins from the vectors.

A chapter marks a table's place with ``<!-- table: codes read -->`` and ``<!-- end -->``. Run as a module in a checkout
this writes every table anew; a test holds the chapters to what it would write.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from groundrules.canonical import CANONICALISATIONS
from groundrules.catalogue import catalogue
from groundrules.citations import MODES
from groundrules.conformance.lint import expected_codes
from groundrules.conformance.vectors import load
from groundrules.documents import kit
from groundrules.requirements import anchors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PLACE = re.compile(r"(?P<open><!-- table: (?P<what>[a-zA-Z0-9 ]+) -->\n).*?(?P<close><!-- end -->)", re.DOTALL)


def refreshed(chapter: str) -> str:
    """A chapter's text with every marked table written anew."""
    return _PLACE.sub(lambda place: place["open"] + "\n" + _table(place["what"]) + "\n" + place["close"], chapter)


def _table(what: str) -> str:
    subject, *prefixes = what.split()
    if subject == "rules":
        return _markdown(("rule", "title", "modes", "relies on", "a pass shows", "and does not show"), _rules(prefixes))
    if subject == "coverage" and prefixes == ["rules"]:
        return _markdown(("rule", "codes", "vectors that reject", "requirement"), _covered_rules())
    if subject == "coverage":
        return _markdown(("requirement", "vectors", "or why none"), _covered_requirements())
    if subject == "spoiled":
        return _markdown(("what was changed", "in", "which code caught it"), _spoiled())
    if subject == "names":
        return _markdown(("name", "for", "covers", "form"), _names())
    return _markdown(("code", "stage", "meaning", "requirement"), _codes(prefixes))


def _names() -> Iterable[Sequence[str]]:
    for entry in CANONICALISATIONS.values():
        covered = "the whole document" if entry.members is None else f"{len(entry.members)} members"
        yield f"`{entry.name}`", f"{entry.covers}s", covered, entry.form.value


def _rules(prefixes: Sequence[str]) -> Iterable[Sequence[str]]:
    for rule in catalogue().rules:
        if rule.id.startswith(tuple(prefixes)):
            modes = "all" if len(rule.modes) == len(MODES) else ", ".join(rule.modes) or "none: it holds of records"
            yield f"**{rule.id}**", rule.title, modes, rule.relies_on, rule.shows, rule.does_not_show


def _covered_rules() -> Iterable[Sequence[str]]:
    """Each rule with its codes, and how many vectors expect one of them."""
    expected = [expected_codes(vector) for vector in load().vectors]
    for rule in catalogue().rules:
        own = [code.code for code in catalogue().codes if rule.id in (code.rule, code.code.partition(".")[0].upper())]
        number = sum(bool(found.intersection(own)) for found in expected)
        codes = ", ".join(f"`{code}`" for code in own)
        yield f"**{rule.id}** {rule.title}", codes, str(number), f"`{rule.requirement}`"


def _covered_requirements() -> Iterable[Sequence[str]]:
    """Each requirement of the chapters, and how many vectors test it."""
    counts = Counter(requirement for vector in load().vectors for requirement in vector.requires)
    chapters = kit().chapters
    for requirement in anchors(chapters) if chapters else ():
        excluded = catalogue().excluded.get(requirement, "")
        why = excluded or ("It speaks of the kit, which its own tests hold to it." if not counts[requirement] else "")
        yield f"`{requirement}`", str(counts[requirement]), why


def _spoiled() -> Iterable[Sequence[str]]:
    """The twins of the two shipped runs: what was changed in each, and what tells."""
    for vector in load().vectors:
        if vector.kind == "run" and ".spoiled." in vector.id:
            codes, missing = (vector.expect.get(name, []) for name in ("codes", "missing"))
            assert isinstance(codes, list) and isinstance(missing, list)  # noqa: S101, PT018 - by the schema
            told = [*(f"`{code}`" for code in codes), *(f"missing: {name}" for name in missing)]
            run = vector.id.split(".")[1].partition("-")[2].replace("-", "_")
            yield vector.title, run, ", ".join(told)


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
