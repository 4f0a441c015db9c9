"""The grounding linter: a run's account of itself against the rules of its declared mode.

It is a consistency check. ``grounding: passed`` proves no retrieval.
"""

from groundrules.linter.facts import Facts
from groundrules.linter.lint import facts_of, judge, lint

__all__ = ["Facts", "facts_of", "judge", "lint"]
