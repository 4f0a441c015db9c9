"""A run as a timeline: the tree, the times, and the findings beside the spans."""

import mode_runs as runs

from groundrules import lint
from groundrules.findings import Finding, Place
from groundrules.runs.timeline import timeline


def drawn(spans, findings=(), **more):
    return list(timeline(runs.records(spans), findings, **more))


def test_a_tree_is_drawn():
    """Parents before children, siblings by their start, a bar for where each lies."""
    spans = [
        runs.root("retrieval"),
        runs.span("late", 4, 500, 1000),
        runs.span("retrieval", 2, 0, 250, dd__source_id="lichen:7", dd__content_hash="a" * 64),
        runs.span("inner", 3, 10, 20, parent=2),
    ]
    assert drawn(spans) == [
        " start ms     lasts                  span",
        "    0.000     1.000  ##############  invoke_agent",
        "    0.000     0.250  ####              retrieval lichen:7",
        "    0.010     0.010  #                   inner",
        "    0.500     0.500         #######    late",
    ]


def test_findings_stand_under_their_spans():
    """As the linter names them."""
    spans = [runs.root("none"), runs.CHAT_SPAN]
    verdict = lint(runs.records(spans), runs.GOOD["none"][1])
    told = drawn(spans, [*verdict.findings, Finding("r2.evidence", Place("/evidence/0"), "elsewhere")])
    assert told[-1].strip().startswith("! n1.model-call: ")
    assert told[-2].endswith("chat")


def test_what_hangs_on_nothing_is_drawn_last():
    """A span with a parent that is not there, and a cycle; an error is said."""
    spans = [
        runs.span("lost", 5, 0, 1, parent=9),
        runs.root("none"),
        runs.span("a", 6, 2, 3, parent=7),
        runs.span("b", 7, 2, 3, parent=6) | {"status": "error"},
    ]
    told = drawn(spans)
    assert told[1].endswith("invoke_agent")
    assert told[2].endswith("outside the tree: lost")
    assert told[3].endswith("outside the tree: a")
    assert told[4].endswith("  b (error)")


def test_malformed_times_and_ids_are_question_marks():
    """Nothing is drawn of what is not known; two spans with one id are both shown."""
    spans = runs.records([runs.root("none"), runs.span("x", 2, 9, 5), runs.span("y", 2, 1, 2), runs.span("", 3, 0, 0)])
    told = list(timeline(spans, ()))
    assert len(told) == 5
    assert "-0.004" in " ".join(told)
    broken = [type(span)(i, span.name, None, None, None, None, None, span.status, {}) for i, span in enumerate(spans)]
    told = list(timeline(broken, ()))
    assert len(told) == 5
    assert told[1].split()[:2] == ["?", "?"]
    assert told[4].endswith("?")


def test_names_are_escaped_and_long_traces_cut():
    """A control character does not reach the terminal; two hundred spans are shown, and those with findings."""
    spans = [runs.root("none"), *(runs.span(f"s\x1b{number}", number, 0, 9) for number in range(2, 300))]
    told = drawn(spans, [Finding("n1.model-call", Place(span=290), "x")])
    assert len(told) == 1 + 200 + 2 + 1
    assert told[-1] == "... and 98 spans more; --all shows them"
    assert "\x1b" not in "".join(told)
    assert len(drawn(spans, most=None)) == 300
    assert list(timeline([], ())) == []
