"""Which vectors are asked: by set, by family, by patterns of ids."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from groundrules.errors import UsageError, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundrules.conformance.sets import VectorSet
    from groundrules.conformance.vectors import Corpus, Vector


def chosen(
    corpus: Corpus,
    *,
    families: Sequence[str] = (),
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    of_set: VectorSet | None = None,
) -> list[Vector]:
    """The vectors to ask, in the order of their ids; withdrawn ones never are.

    Args:
        corpus: all of them.
        families: only these families, where any is named.
        include: only ids that match one of these patterns, where any is given.
        exclude: no id that matches one of these.
        of_set: only the vectors of this set, where it is given.

    Raises:
        UsageError: ``usage.unknown-family``, or ``usage.pattern`` for a pattern that matches no id.
    """
    known = sorted({vector.family for vector in corpus.vectors})
    for family in families:
        if family not in known:
            raise UsageError(
                "usage.unknown-family",
                f"there is no family {show(family)}",
                remedy=f"use one of {', '.join(known)}" if known else "name a folder that holds vectors",
            )
    for pattern in (*include, *exclude):
        if not _matches(pattern, (vector.id for vector in corpus.vectors)):
            remedy = "patterns are of whole ids, with *, ? and […]"
            raise UsageError("usage.pattern", f"no id matches {show(pattern)}", remedy=remedy)
    return [
        vector
        for vector in corpus.vectors
        if vector.status != "withdrawn"
        and (not families or vector.family in families)
        and (not include or any(fnmatchcase(vector.id, pattern) for pattern in include))
        and not any(fnmatchcase(vector.id, pattern) for pattern in exclude)
        and (of_set is None or vector.id in of_set.vectors)
    ]


def _matches(pattern: str, ids: Iterable[str]) -> bool:
    return any(fnmatchcase(id_, pattern) for id_ in ids)
