"""Conformance reports to render: small ones by hand, and any that the schema allows."""

from collections import Counter

from hypothesis import strategies as st

from groundrules.conformance.score import Outcome

DIGEST = "d2fe5993" + "0" * 56
CLAIM = "A pass shows <nothing> | of other inputs."

NASTY = [
    "\x00\x01\x1b[31m\x7f\x85",
    "<script>alert(1)</script>",
    "</script></pre></style></details><!--",
    '"><img src=x onerror=alert(1)>',
    "]]>",
    "&lt; &#0; &amp",
    "a | b\\| c",
    "`code` *b* _i_ [x](https://evil.example) ![y](z) www.evil.example",
    "\n\n# heading\n\n- item\n\n<b>\n",
    "\u202e\u2028\ufffe\uffff\ufdd0\U0010ffff",
    "x" * 3900,
    " \t ",
    "{0} {{ }}",
]
"""Texts that mean something to one format or another."""


def implementation(results, *, name="canon-rs", version="0.3", **about):
    """One implementation's part of a report; ``results`` are outcomes, or outcomes with details, by id."""
    entries = []
    for vector, told in sorted(results.items()):
        outcome, detail = told if isinstance(told, tuple) else (told, "")
        entry = {"id": vector, "sha256": "ab" * 32, "result": outcome}
        entries.append(entry | ({"detail": detail} if detail else {}))
    counts = Counter(entry["result"] for entry in entries)
    return {
        "implementation": {"name": name, "version": version, **about},
        "kinds": ["parse", "canonicalise"],
        "features": [],
        "counts": {outcome.value: counts[outcome.value] for outcome in Outcome},
        "strengths": {"verdict": counts["pass"] + counts["wrong-reason"], "reasons": counts["pass"]},
        "results": entries,
    }


def report(*implementations, asked=None, **members):
    """A whole report; as many vectors were asked as the first implementation answered unless told otherwise."""
    return {
        "format": "conformance-report/1",
        "kit": "0.1.0",
        "corpus": DIGEST,
        "set": None,
        "strength": "reasons",
        "asked": len(implementations[0]["results"]) if asked is None else asked,
        "implementations": [*implementations],
        "does_not_claim": [CLAIM],
    } | members


EVERY_OUTCOME = {f"canon.{outcome.value}.one": (outcome.value, f"the {outcome.value}") for outcome in Outcome}
EVERY_OUTCOME["canon.pass.one"] = "pass"
EVERY_OUTCOME["envelopes.depth.two"] = "pass"

_texts = st.lists(st.text(max_size=20) | st.sampled_from(NASTY), min_size=1, max_size=4).map("".join)
_foreign = _texts.filter(bool)
_short = _foreign.map(lambda text: text[:100])
_words = st.lists(st.from_regex(r"[a-z][a-z-]{0,39}", fullmatch=True), unique=True, max_size=3)
_digests = st.sampled_from([DIGEST, "ab" * 32])
_numbers = st.integers(0, 2000)
_ids = st.from_regex(r"[a-z][a-z0-9-]{0,20}([.][a-z0-9-]{1,20}){1,4}", fullmatch=True)
_entries = st.fixed_dictionaries(
    {"id": _ids, "sha256": _digests, "result": st.sampled_from([outcome.value for outcome in Outcome])},
    optional={"detail": _foreign.map(lambda text: text[:4000])},
)
_implementations = st.fixed_dictionaries(
    {
        "implementation": st.fixed_dictionaries(
            {"name": _short, "version": _short}, optional={"language": _short, "url": _short}
        ),
        "kinds": _words,
        "features": _words,
        "counts": st.fixed_dictionaries({outcome.value: _numbers for outcome in Outcome}),
        "strengths": st.fixed_dictionaries({"verdict": _numbers, "reasons": _numbers}),
        "results": st.lists(_entries, max_size=8),
    }
)
reports = st.fixed_dictionaries(
    {
        "format": st.just("conformance-report/1"),
        "kit": _foreign,
        "corpus": _digests,
        "set": st.none() | st.sampled_from(["1.0", "smoke"]),
        "strength": st.sampled_from(["reasons", "verdict"]),
        "asked": _numbers,
        "implementations": st.lists(_implementations, min_size=1, max_size=3),
        "does_not_claim": st.lists(_foreign, min_size=1, max_size=3),
    }
)
"""Any report that the schema allows, whether or not its numbers agree."""
