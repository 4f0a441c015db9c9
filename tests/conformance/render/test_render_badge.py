"""The badge of a report: one line, one colour."""

import json

import pytest
from report_samples import implementation, report

from groundrules.conformance.render import FORMATS


def badge(document):
    return json.loads(FORMATS["badge"](document))


def outcomes(*told):
    return implementation({f"canon.v{number}": outcome for number, outcome in enumerate(told)})


@pytest.mark.parametrize(
    ("told", "message", "colour"),
    [
        (["pass", "pass"], "2/2", "brightgreen"),
        (["pass", "xfail"], "1/2", "brightgreen"),
        (["pass", "not-applicable"], "1/2", "yellow"),
        (["pass", "xfail", "not-applicable"], "1/3", "yellow"),
        (["pass", "skipped"], "1/2", "red"),
        (["pass", "xpass"], "1/2", "red"),
        (["pass", "wrong-reason", "not-applicable"], "1/3", "red"),
        (["xfail", "not-applicable"], "0/2", "red"),
        ([], "0/0", "red"),
    ],
)
def test_the_colour_is_that_of_the_run(told, message, colour):
    """Bright green is everything, yellow everything that is applicable, red the rest and where nothing passes."""
    assert badge(report(outcomes(*told))) == {
        "schemaVersion": 1,
        "label": "groundrules",
        "message": f"{message} (corpus d2fe5993)",
        "color": colour,
    }


def test_a_vector_without_a_result_is_red():
    """What was asked and is not in the results was not passed, whatever the counts say."""
    assert badge(report(outcomes("pass"), asked=2))["color"] == "red"
    assert badge(report(outcomes("pass", "pass"), asked=1))["color"] == "red"


def test_of_several_implementations_the_worst_is_told():
    """The worst colour first, then the fewest passes."""
    best, partial, worse = outcomes("pass", "pass", "pass"), outcomes("pass", "not-applicable", "not-applicable"), None
    worse = outcomes("pass", "pass", "fail")
    assert badge(report(best, partial, worse))["message"].startswith("2/3")
    assert badge(report(best, outcomes("pass", "xfail", "pass")))["message"].startswith("2/3")
    assert badge(report(best, partial))["color"] == "yellow"
