"""The requirements of the chapters: their anchors, found where the prose states them.

A requirement stands in a chapter as ``[canon.digest](#canon.digest){#canon.digest}``: a link to itself, so that the
id shows on the page and can be cited.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.errors import KitError, Where

if TYPE_CHECKING:
    from pathlib import Path

_ANCHOR = re.compile(r"\[(?P<shown>[a-z][a-z0-9.-]*)\]\(#(?P<link>[^)]*)\)\{#(?P<id>[^}]*)\}")


def anchors(chapters: Path) -> dict[str, str]:
    """Every requirement id with the name of the chapter that states it.

    Raises:
        KitError: ``kit.lint``: an anchor's three spellings differ, or two places state one id.
    """
    found: dict[str, str] = {}
    for chapter in sorted(chapters.glob("*.md")):
        for match in _ANCHOR.finditer(chapter.read_text(encoding="utf-8")):
            shown = match["shown"]
            if not shown == match["link"] == match["id"]:
                raise _lint(chapter, f"the anchor {shown} is spelled in more than one way")
            if shown in found:
                raise _lint(chapter, f"the requirement {shown} is stated twice")
            found[shown] = chapter.name
    return found


def _lint(chapter: Path, detail: str) -> KitError:
    return KitError("kit.lint", detail, where=Where(file=chapter.name), remedy="mend the chapter")
