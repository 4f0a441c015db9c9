"""``resolve``: an archive and predicates in, a record out that the other commands take."""

import json

import pytest

from groundrules.documents import validate
from places import ROOT

ARCHIVE = {
    "format": "archive/1",
    "transcript": [{"question": "Which bell?", "answer": "Old Margery.", "tools_called": [], "retrievals": []}],
}
PREDICATES = {
    "format": "predicates/1",
    "predicates": [
        {
            "id": "example.predicate.bell-named",
            "version": "1",
            "polarity": "risk",
            "evidence_contract": {"require_all": ["AGENT_SPAN"], "scope": "turn"},
            "resolvers": ["eio.resolver.exact-span", "eio.resolver.semantic-relation", "eio.resolver.graph-rule"],
            "questions": [
                {
                    "resolver": "eio.resolver.exact-span",
                    "name": "name",
                    "parameters": {"in": "AGENT_ANSWER", "search": {"mode": "exact", "value": "Margery"}},
                },
                {
                    "resolver": "eio.resolver.semantic-relation",
                    "name": "answers",
                    "parameters": {
                        "relation": "answers",
                        "subject": "the answer",
                        "object": "the question",
                        "evidence": [{"source_type": "AGENT_ANSWER"}],
                        "counterevidence": [],
                    },
                },
            ],
            "fails_when": {"exists": "name"},
        }
    ],
}


@pytest.fixture
def files(tmp_path):
    """The paths of an archive and of predicates."""
    paths = tmp_path / "archive.json", tmp_path / "predicates.json"
    for path, document in zip(paths, (ARCHIVE, PREDICATES), strict=True):
        path.write_text(json.dumps(document))
    return paths


def test_a_record_is_printed(command, files):
    """One of its schema, in which what was computed is proven; the other commands read it."""
    archive, predicates = files
    ran = command("resolve", archive, "--predicates", predicates)
    assert (ran.code, ran.err) == (0, "")
    record = json.loads(ran.text)
    assert validate(record, "evaluation-record") == []
    (claim,) = record["claims"]
    assert (claim["state"], claim["decided_by"]) == ("APPLICABLE_FAIL", "deterministic")
    assert claim["parameters"]["contract_check"] == {"status": "met", "unmet": []}
    assert command("witness", "-", stdin=ran.out).code == 0
    ran = command("decide", "-", stdin=ran.out)
    assert ran.code == 1
    assert "recommendation: at most BLOCK" in ran.text.splitlines()


def test_evaluators_are_declared_in_the_record(command, files, tmp_path):
    """One that is not there is a fault in its ballot, and decides nothing."""
    archive, predicates = files
    entry = {"id": "m", "url": "http://127.0.0.1:9/none", "model": "m-1", "role": "juror", "qualification": "qualified"}
    path = tmp_path / "evaluators.json"
    path.write_text(json.dumps({"format": "evaluators/1", "evaluators": [entry]}))
    ran = command("resolve", archive, "--predicates", predicates, "--evaluators", path)
    assert ran.code == 0
    record = json.loads(ran.text)
    assert [declared["id"] for declared in record["evaluators"]] == ["m"]
    asked = [entry for entry in record["log"] if entry["resolver"].endswith("semantic-relation")]
    assert [(entry["evaluators"], entry["established"]) for entry in asked] == [(["m"], [])]
    assert command("decide", "-", stdin=ran.out).code == 1


@pytest.mark.parametrize(
    ("name", "octets", "code"),
    [
        ("archive.json", b"{", "read.syntax"),
        ("archive.json", b"{}", "schema.archive"),
        ("predicates.json", b"{}", "schema.predicates"),
        ("predicates.json", json.dumps(PREDICATES).replace('"exists"', '"is"').encode(), "schema.expression"),
    ],
)
def test_bad_input_is_one_line_and_2(command, files, name, octets, code):
    """The file that is wrong is named."""
    archive, predicates = files
    (archive.parent / name).write_bytes(octets)
    ran = command("resolve", archive, "--predicates", predicates)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, b"", 1)
    assert name in ran.err
    assert f"[{code}]" in ran.err


def test_refs_of_a_run_are_printed(command):
    """A record without claims."""
    folder = next(path.parent for path in sorted((ROOT / "vectors" / "run").rglob("sources.txt")))
    ran = command("evidence", "refs", folder)
    assert (ran.code, ran.err) == (0, "")
    record = json.loads(ran.text)
    assert validate(record, "evaluation-record") == []
    assert record["claims"] == []
    ran = command("evidence", "refs", "none")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
