"""The grounding linter: a run's account of itself against the rules of its declared mode.

It is a consistency check. ``grounding: passed`` proves no retrieval.
"""

from groundrules.linter.lint import lint

__all__ = ["lint"]
