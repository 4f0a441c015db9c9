"""Reading a run: what is there is read, what is not is told, nothing stops the rest."""

import json
import os
import shutil

import mode_runs as runs
import pytest

from groundrules import UsageError, envelope_hash, verify_run
from groundrules.documents import validate
from groundrules.gate import shows_agent
from groundrules.runs import judge_run, parse_run, read_run, reading
from groundrules.runs.layout import FILES
from places import ROOT

GOOD = ROOT / "vectors" / "run" / "agrees"


@pytest.fixture
def run(tmp_path):
    """A good run in a store, to be spoiled; its child stands beside it."""
    vector = json.loads((GOOD / "delegation" / "vector.json").read_text(encoding="utf-8"))
    folder = tmp_path / runs.INVOCATION
    folder.mkdir()
    for value in vector["input"].values():
        if value["file"] in FILES:
            shutil.copy(GOOD / "delegation" / value["file"], folder)
    children = json.loads((GOOD / "delegation" / "children.json").read_text(encoding="utf-8"))
    for invocation_id, envelope in children.items():
        (tmp_path / invocation_id).mkdir()
        (tmp_path / invocation_id / "envelope.json").write_text(json.dumps(envelope), encoding="utf-8")
    return folder


def test_children_are_found_beside_the_run(run, monkeypatch):
    """Whatever way the folder is named, its store is the folder it stands in."""
    assert verify_run(run).words["files"] == "agree"
    monkeypatch.chdir(run)
    assert verify_run(".").words["files"] == "agree"
    monkeypatch.chdir(run.parent)
    assert verify_run(run.name).words["files"] == "agree"


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_file_is_unreadable(run, name):
    """A folder or a pipe in place of a file is told as that file, and the others are still read."""
    (run / name).unlink()
    os.mkfifo(run / name)
    verdict = verify_run(run)
    assert [(file.file, file.code) for file in verdict.files.unreadable] == [(name, "usage.not-a-file")]
    assert verdict.files.missing == ()
    assert f"  {name}: it is not a regular file [usage.not-a-file]" in verdict.lines()
    assert validate(verdict.as_dict(), "run-verdict") == []


def test_a_child_that_cannot_be_read_is_told(run):
    """By its place in the store; an unreadable child is no missing one and no finding."""
    child = run.parent / runs.CHILD / "envelope.json"
    child.write_bytes(b'{"a": 1, "a": 2}')
    verdict = verify_run(run)
    assert [(file.file, file.code) for file in verdict.files.unreadable] == [
        (f"{runs.CHILD}/envelope.json", "read.duplicate-name")
    ]
    assert verdict.files.status == "unchecked"
    child.unlink()
    child.mkdir()
    assert verify_run(run).files.unreadable[0].code == "usage.not-a-file"
    shutil.rmtree(child.parent)
    assert verify_run(run).files.missing == (f"{runs.CHILD}/envelope.json",)


def test_what_holds_no_run_is_refused(tmp_path):
    """A folder without any file of a run, no folder at all, and a file: one line that says what to name."""
    (tmp_path / "file").write_bytes(b"{}")
    (tmp_path / "folder").mkdir()
    for folder in (tmp_path / "folder", tmp_path / "none", tmp_path / "file", tmp_path / "no\0name"):
        with pytest.raises(UsageError, match=r"no file of a run is there; .*usage\.not-a-run"):
            read_run(folder)


def test_texts_are_bounded(monkeypatch):
    """A text form of any size is not read into memory without end."""
    monkeypatch.setattr(reading, "LARGEST", 3)
    codes = {file.file: file.code for file in read_run(GOOD / "retrieval").unreadable}
    assert codes["grounding.txt"] == "read.document-too-large"


def test_malformed_delegations_are_left_to_the_others():
    """D4 looks at well-formed delegations; the contract and G0 say the rest, and nothing throws."""
    for delegations in (7, [7, {}], {"a": 1}):
        envelope = runs.envelope("delegation", [], [], delegations=delegations)
        run = parse_run({"envelope.json": json.dumps(envelope).encode()})
        assert verify_codes(run) == set()


def verify_codes(run):
    return {finding.code for finding in judge_run(run).files.findings}


def test_without_a_store_every_child_is_missing():
    """A run parsed from octets alone has no store to look in."""
    envelope = {"delegations": [runs.DELEGATION]}
    run = parse_run({"envelope.json": json.dumps(envelope).encode()})
    assert f"{runs.CHILD}/envelope.json" in judge_run(run).files.missing


def test_a_parent_without_an_id_has_no_children():
    """Neither naming a parent, parent and child do not agree that they belong together."""
    child = {"agent_id": "child"}
    delegation = runs.DELEGATION | {"content_hash": envelope_hash(child)}
    envelope = {"delegations": [delegation]}
    run = parse_run({"envelope.json": json.dumps(envelope).encode()}, lambda _: json.dumps(child).encode())
    assert verify_codes(run) == {"d4.child-parent", "d4.child-record"}


def test_a_child_recorded_often_is_read_and_hashed_once():
    """However many delegations name it, and under however many names."""
    read = []
    child = {"parent_invocation_id": runs.INVOCATION}

    def stored(invocation_id):
        read.append(invocation_id)
        return json.dumps(child).encode()

    names = ("dd-envelope-json-v1", "jcs-envelope-v1", "dd-envelope-json-v1")
    delegations = [runs.DELEGATION | {"canonicalisation": name, "content_hash": "a" * 64} for name in names]
    run = parse_run({"envelope.json": json.dumps({"delegations": delegations}).encode()}, stored)
    assert [finding.code for finding in judge_run(run).files.findings] == ["d4.child-hash"] * 3
    assert read == [runs.CHILD]


def test_an_unreadable_child_is_told_once():
    """Two delegations to it are one unreadable file."""
    run = parse_run({"envelope.json": json.dumps({"delegations": [runs.DELEGATION] * 2}).encode()}, lambda _: b"{")
    assert [file.file for file in judge_run(run).files.unreadable] == [f"{runs.CHILD}/envelope.json"]


def test_many_missing_things_are_named_in_part():
    """The head line stays a line; the data has all of them."""
    ids = (f"019b7a10-0000-7000-8000-{number:012x}" for number in range(20_000))
    delegations = [runs.DELEGATION | {"delegated_invocation_id": id_} for id_ in ids]
    verdict = judge_run(parse_run({"envelope.json": json.dumps({"delegations": delegations}).encode()})).files
    assert len(verdict.missing) > 20_000
    assert len(verdict.lines()[0]) < 400
    assert "more)" in verdict.lines()[0]


def test_the_stored_form_of_a_finding_is_told_from_any_other():
    """A code without a title, a place in a file, a detail in other words, an at that is none."""
    title = "a reference is on no declared retrieval"
    good = {"rule": "G2", "code": "g2.not-retrieved", "at": {"pointer": "/payload"}, "detail": title}
    assert not shows_agent(good)
    assert not shows_agent(good | {"at": {"span": 1, "span_id": None}})
    places = ({"at": {"pointer": "/payload/x"}}, {"at": {"file": "a", "pointer": ""}})
    for change in ({"detail": "x"}, {"code": "g2.x"}, *places):
        assert shows_agent(good | change)
    assert shows_agent({})
