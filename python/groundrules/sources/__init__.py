"""The source check: what pinned copies say of the evidence (chapter *Source check*)."""

from groundrules.sources.check import check_sources
from groundrules.sources.copies import NO_COPIES, Copies, load_copies, open_copies
from groundrules.sources.listing import Entry, Listing, read_listing

__all__ = [
    "NO_COPIES",
    "Copies",
    "Entry",
    "Listing",
    "check_sources",
    "load_copies",
    "open_copies",
    "read_listing",
]
