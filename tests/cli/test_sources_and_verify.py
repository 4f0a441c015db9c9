"""``sources check``, ``sources pin`` and ``verify``: what they print, and how they end."""

import base64
import contextlib
import io
import json
import os
import pty
import subprocess
import sys

import pytest

from groundrules.cli.verify import shown_runs
from groundrules.documents import validate
from groundrules.strictjson import loads
from places import ROOT

RUNS = ROOT / "vectors" / "run"
GOOD = RUNS / "javascript-retrieval" / "good"
LIST = GOOD / "copies.json"
SOURCES = ROOT / "vectors" / "sources"


def test_a_good_run_is_four_lines(command):
    """Contract, files, grounding, sources: told apart, never combined."""
    ran = command("verify", GOOD, "--copies", LIST)
    assert (ran.code, ran.err) == (0, "")
    assert ran.text.splitlines() == [
        "contract: valid",
        "files: agree",
        "grounding: passed [retrieval] (2 retrieval, 1 model-call spans)",
        "sources: 2 verified",
    ]


def test_findings_stand_under_the_line_they_belong_to(command):
    """Each verdict's findings follow its own line."""
    ran = command("verify", RUNS / "javascript-retrieval" / "spoiled" / "content-octet", "--copies", LIST)
    heads = [line.partition(" ")[0] for line in ran.text.splitlines()]
    assert ran.code == 1
    assert heads == ["contract:", "files:", "", "", "grounding:", "", "sources:", ""]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([GOOD], 3),
        ([GOOD, "--copies", LIST, "--require-resolved", "--require-content"], 0),
        ([GOOD, "--copies", LIST, "--profile", "genai"], 0),
        ([RUNS / "javascript-input-only" / "good"], 0),
        ([RUNS / "javascript-input-only" / "spoiled" / "envelope-missing"], 3),
        ([RUNS / "javascript-retrieval" / "withheld"], 3),
        ([RUNS / "agrees" / "unresolved"], 0),
        ([RUNS / "agrees" / "unresolved", "--require-resolved"], 3),
        ([RUNS / "unreadable" / "request"], 2),
        ([RUNS / "i1" / "input-edited"], 1),
        ([GOOD, RUNS / "i1" / "input-edited", RUNS / "unreadable" / "request", ROOT], 1),
        ([GOOD, ROOT], 2),
        ([ROOT], 2),
        ([GOOD, "--copies", RUNS / "none.json"], 2),
        ([GOOD, "--copies", RUNS / "javascript-retrieval" / "spoiled" / "pin" / "copies.json"], 2),
        ([GOOD, "--profile", "none"], 2),
        ([], 2),
    ],
)
def test_how_it_ends(command, words, code):
    """By the table of exit codes, the worst word of any run; nothing unchecked or withheld ends well."""
    assert command("verify", *words).code == code


def test_a_withheld_run_repeats_what_was_recorded(command):
    """The recorded verdicts are told, and told not to be computed again."""
    lines = command("verify", RUNS / "javascript-retrieval" / "withheld", "--copies", LIST).text.splitlines()
    assert lines[2:] == [
        "grounding: withheld [retrieval] (2 retrieval, 1 model-call spans)",
        "  recorded and not computed again: failed (g2.not-retrieved, g4.not-in-evidence)",
        "sources: nothing to check",
        "  recorded and not computed again: unresolved",
    ]


def test_several_runs_have_a_summary(command):
    """Each run is named, and each verdict is summed up by itself."""
    ran = command("verify", GOOD, RUNS / "i1" / "input-edited", ROOT, RUNS / "unreadable" / "request")
    lines = ran.text.splitlines()
    assert lines[0] == str(GOOD)
    assert lines[-5:] == [
        "verify: 3 runs, 2 unusable",
        "  contract  3 valid",
        "  files     1 disagree, 2 unchecked",
        "  grounding 3 passed",
        "  sources   3 unresolved",
    ]
    assert any("usage.not-a-run" in line for line in lines)
    assert command("verify", ROOT, ROOT).text.splitlines()[-1] == "  sources   none"


def test_verify_as_data(command):
    """With --json every run has its whole verdict, of its schema, or the error that kept it from one."""
    ran = command("verify", GOOD, ROOT, "--copies", LIST, "--json")
    report = loads(ran.out)
    assert (report["format"], report["unusable"]) == ("verify/1", 1)
    assert report["summary"]["sources"] == {"verified": 1}
    assert validate(report["runs"][0]["verdict"], "run-verdict") == []
    assert report["runs"][1]["error"]["code"] == "usage.not-a-run"
    single = command("verify", ROOT, "--json")
    assert (single.code, loads(single.out)["runs"][0]["error"]["code"]) == (2, "usage.not-a-run")


def test_a_bar_shows_on_a_terminal_past_a_hundred_runs():
    """On standard error and only where that is a terminal; standard output stays what it is."""
    leader, follower = pty.openpty()
    words = [sys.executable, "-c", "from groundrules.cli import main; main()", "verify", *[str(GOOD)] * 101]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=follower) as process:
        os.close(follower)
        shown = b""
        out = process.stdout.read()
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(leader, 65536):
                shown += part
    os.close(leader)
    assert process.returncode == 3
    assert b"verify" in shown
    assert out.count(b"contract: valid\n") == 101


def test_a_bar_is_drawn_for_many_runs_and_only_on_a_terminal(monkeypatch):
    """The runs come out the same, with the bar and without."""
    many = [str(number) for number in range(101)]
    terminal = io.StringIO()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert list(shown_runs(many)) == many
    assert terminal.getvalue() == ""
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    assert list(shown_runs(many)) == many
    assert "verify" in terminal.getvalue()


def test_sources_check(command, tmp_path):
    """The head line, the findings, and an end by the table."""
    for name, code, head in (
        ("verified/two-copies", 0, "sources: 2 verified"),
        ("unresolved/one-of-two", 0, "sources: 1 verified, 1 unresolved (no independent copy: gauge:2 (live))"),
        ("nothing/mode-none", 4, "sources: nothing to check"),
        ("s1/one-right-one-wrong", 1, "sources: FAILED, 1 verified"),
    ):
        folder = laid_out(SOURCES / name, tmp_path / name.replace("/", "-"))
        words = ["sources", "check", folder / "envelope.json", "--copies", folder / "copies.json"]
        ran = command(*words)
        assert (ran.code, ran.text.splitlines()[0]) == (code, head)
        assert validate(loads(command(*words, "--json").out), "source-verdict") == []
        assert command(*words, "--require-resolved").code == (3 if "unresolved" in name else code)


def laid_out(vector, folder):
    """The inputs of a vector as files, the copies under the names that the list gives them."""
    folder.mkdir()
    document = json.loads((vector / "vector.json").read_text(encoding="utf-8"))
    for name, value in document["input"].items():
        octets = base64.b64decode(value["b64"]) if "b64" in value else (vector / value["file"]).read_bytes()
        (folder / {"envelope": "envelope.json", "config": "copies.json"}.get(name, name)).write_bytes(octets)
    return folder


def test_sources_check_requires_a_list(command):
    """No list is loaded by default, and an envelope that cannot be read is one line."""
    assert command("sources", "check", GOOD / "envelope.json").code == 2
    ran = command("sources", "check", "-", "--copies", LIST, stdin=b"{")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "-, line 1" in ran.err
    ran = command("sources", "check", "-", "--copies", LIST, "--require-content", stdin=b'{"evidence": []}')
    assert ran.code == 4


def test_sources_pin_prints_what_a_list_takes(command, tmp_path, monkeypatch):
    """The printed entry, pasted into a list, loads the copy; the path is one that a list may have."""
    copy = tmp_path / "tides.jsonl"
    copy.write_bytes(b'{"n": 1, "gauge": "a"}\n{"n": 2, "gauge": "b"}\n')
    monkeypatch.chdir(tmp_path)
    ran = command("sources", "pin", "tides.jsonl")
    assert ran.text.splitlines()[:2] == ["sources:", '  - snapshot_refs: ["snapshot:tides"]']
    (tmp_path / "copies.yaml").write_bytes(ran.out)
    (tmp_path / "copies.json").write_bytes(command("sources", "pin", "tides.jsonl", "--json").out)
    for name in ("copies.yaml", "copies.json"):
        assert command("sources", "check", "-", "--copies", name, stdin=b"{}").code == 4
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    (tmp_path / "below" / "copies.yaml").write_bytes(command("sources", "pin", "../tides.jsonl").out)
    assert command("sources", "check", "-", "--copies", "copies.yaml", stdin=b"{}").code == 4
    named = command("sources", "pin", copy, "--id-field", "gauge", "--ref", "a", "--ref", "b").text
    assert 'snapshot_refs: ["a", "b"]' in named
    assert command("sources", "pin", tmp_path / "none").code == 2
    assert command("sources", "pin", copy, "--id-field", "n").code == 2
