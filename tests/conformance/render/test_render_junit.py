"""The JUnit XML of a report: what a CI system counts.

No package on PyPI installs a schema of JUnit XML, so the structure of ``junit-10.xsd`` is asserted here by hand.
"""

from xml.etree import ElementTree as ET

from hypothesis import given
from report_samples import EVERY_OUTCOME, implementation, report, reports

from groundrules.conformance.render import FORMATS

NUMBERS = {"tests", "failures", "errors"}
STRUCTURE = {
    "testsuites": ({"name"} | NUMBERS, {"testsuite"}),
    "testsuite": ({"name", "skipped"} | NUMBERS, {"properties", "testcase"}),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
    "testcase": ({"name", "classname"}, {"failure", "error", "skipped"}),
    "failure": ({"message", "type"}, set()),
    "error": ({"message", "type"}, set()),
    "skipped": ({"message", "type"}, set()),
}
"""Of each element: its attributes, all of which it has, and the elements that it may hold."""


def junit(document):
    return ET.fromstring(FORMATS["junit"](document).encode())  # noqa: S314 - it reads what this kit wrote


@given(reports)
def test_the_structure_is_that_of_the_schema(document):
    """Elements, attributes and order are allowed; a case has one result at most; the numbers are those of the cases."""
    root = junit(document)
    assert root.tag == "testsuites"
    for element in root.iter():
        attributes, inside = STRUCTURE[element.tag]
        assert set(element.attrib) == attributes
        assert {child.tag for child in element} <= inside
    for suite in root:
        first, *cases = suite
        assert first.tag == "properties"
        assert {case.tag for case in cases} == {"testcase"}
        assert max(map(len, cases)) <= 1
    for counted in (root, *root):
        for name, path in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            assert counted.get(name) == str(len(counted.findall(f".//{path}")))
    for suite in root:
        assert suite.get("skipped") == str(len(suite.findall(".//skipped")))


def test_a_suite_for_each_implementation_and_family():
    """Named for both, with what was asked as properties; the set only where there was one."""
    told = {"canon.a": "pass", "ijson.a": "pass"}
    root = junit(report(implementation(told), implementation(told, name="other"), set="1.0"))
    names = ["canon-rs 0.3: canon", "canon-rs 0.3: ijson", "other 0.3: canon", "other 0.3: ijson"]
    assert [suite.get("name") for suite in root] == names
    assert [entry.get("name") for entry in root[0][0]] == ["kit", "corpus", "set"]
    assert [entry.get("name") for entry in junit(report(implementation(told)))[0][0]] == ["kit", "corpus"]
    assert root[2][1].attrib == {"name": "canon.a", "classname": "other.canon"}


def test_every_outcome_is_one_of_four():
    """A wrong answer is a failure, no answer an error, what is not red but no pass is skipped."""
    root = junit(report(implementation(EVERY_OUTCOME)))
    told = {case.get("name").split(".")[1]: [child.tag for child in case] for case in root.iter("testcase")}
    assert told == {
        "pass": [],
        "depth": [],
        **{name: ["failure"] for name in ("fail", "wrong-reason", "xpass")},
        **{name: ["error"] for name in ("error", "crash", "timeout")},
        **{name: ["skipped"] for name in ("skipped", "not-applicable", "xfail")},
    }


def test_what_xml_forbids_is_an_escape():
    r"""The detail is whole in the text, cut in the message, and holds ``\u{1}`` where XML 1.0 has no character."""
    detail = "\x01 ]]> <b> \ufffe \ud800" + "x" * 1000
    failure = junit(report(implementation({"canon.a": ("fail", detail)}))).find(".//failure")
    shown = "\\u{1} ]]> <b> \\u{fffe} \\u{d800}"
    assert failure.text == shown + "x" * 1000
    assert failure.get("message").startswith(shown)
    assert failure.get("message").endswith("… (1013 characters)")


def test_a_result_without_detail_says_what_it_is():
    """A viewer that shows the message alone shows the outcome."""
    failure = junit(report(implementation({"canon.a": "crash"}))).find(".//error")
    assert failure.attrib == {"message": "crash", "type": "crash"}
