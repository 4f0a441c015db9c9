"""``conform`` with adapters, ``report``, ``wrong``, ``vectors new`` and ``fmt``: what they print, and how they end."""

import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from groundrules.conformance.vectors import load
from groundrules.documents import kit, validate
from groundrules.strictjson import loads
from places import ROOT

SELF = f'{sys.executable} -c "from groundrules.cli import main; main()" wrong'
NAUGHTY = f"{sys.executable} {ROOT / 'tests' / 'conformance' / 'naughty.py'}"
SMOKE = ["--set", "smoke"]


def test_an_adapter_is_asked_and_scored(command):
    """The verifier asked through the protocol says what it says at home."""
    ran = command("conform", *SMOKE, "--adapter", f"{SELF} none", "--jobs", 2)
    assert ran.code == 0
    assert ran.text.startswith("groundrules-wrong-none")
    assert "set smoke)" in ran.text.splitlines()[-1]


def test_several_adapters_at_once(command, tmp_path):
    """Each has its table; one that is wrong makes the run red, and the matrix shows where they differ."""
    path = tmp_path / "report.json"
    words = ["--adapter", f"{SELF} none", "--adapter", f"{SELF} content-trusting", "--report", path]
    ran = command("conform", "--family", "evidence", *words)
    assert ran.code == 1
    assert "conform: groundrules-wrong-content-trusting" in ran.text
    assert validate(loads(path.read_bytes()), "conformance-report") == []
    again = path.read_bytes()
    command("conform", "--family", "evidence", *words)
    assert path.read_bytes() == again
    matrix = command("report", path, "--format", "matrix").text
    assert "Where they differ" in matrix
    assert command("report", "verify", path).text.endswith("report.json: holds\n")


@pytest.mark.parametrize(
    ("words", "code", "detail"),
    [
        (["--adapter", f"{NAUGHTY} hang", "--timeout", "1"], 1, "timeout: "),
        (["--adapter", f"{NAUGHTY} other-kinds"], 4, "not applicable"),
        (["--adapter", f"{NAUGHTY} skip"], 1, "skipped: "),
        (["--adapter", "no-such-program-anywhere"], 2, "usage.adapter"),
        (["--adapter", "a 'b"], 2, "has an open quote"),
        (["--adapter", ""], 2, "the adapter's command is empty"),
        (["--adapter", "x", "--pack", "y"], 2, "either packs or scores"),
        (["--results", "x", "--pack", "y"], 2, "either packs or scores"),
        (["--report", "x", "--pack", "y"], 2, "--pack has no results yet"),
        (["--strength", "soft"], 2, "there is no such strength"),
        (["--set", "9.9"], 2, "usage.unknown-set"),
        (["--include", "x.*"], 2, "usage.pattern"),
        (["--xfail", "no-such-file"], 2, "usage.no-file"),
        (["--exclude", "*"], 4, "conform: 0 of 0 vectors passed"),
        (["--results", "no-such-file"], 2, "usage.no-file"),
    ],
)
def test_how_conform_ends(command, words, code, detail):
    """By the table of exit codes; whatever an adapter does, the run ends."""
    ran = command("conform", "--include", "ijson.depth.*", *words)
    assert ran.code == code
    assert detail in ran.text + ran.err


def test_by_verdict_alone_any_refusal_will_do(command):
    """A verifier that refuses for the wrong reason is green at the lesser strength, and the report says so."""
    words = ["--include", "ijson.encoding.byte-order-mark", "--adapter", f"{SELF} reject-all"]
    assert command("conform", *words).code == 1
    ran = command("conform", *words, "--strength", "verdict", "--json")
    assert ran.code == 0
    assert loads(ran.out)["strength"] == "verdict"


def test_a_set_is_held_to_its_pins(command, tmp_path):
    """Who asks for a set is told where the corpus has another vector than the set pins, and the report tells it too."""
    root = tmp_path / "vectors"
    shutil.copytree(kit().vectors, root)
    path = root / "sets" / "smoke.json"
    document = loads(path.read_bytes())
    document["vectors"][0]["sha256"] = "0" * 64
    path.write_text(json.dumps(document))
    report = tmp_path / "report.json"
    ran = command("conform", "--vectors", root, "--set", "smoke", "--report", report)
    assert (ran.code, "damaged: set smoke: its " in ran.text) == (2, True)
    assert command("report", report, "--format", "badge").text.count("red") == 1


def test_a_part_is_said_to_be_one(command, tmp_path):
    """A report of some families is no report of all; it says so, and its badge is not bright."""
    path = tmp_path / "report.json"
    assert ", a part)" in command("conform", *SMOKE, "--family", "evidence", "--report", path).text
    assert loads(command("report", path, "--format", "badge").out)["color"] == "yellow"
    ran = command("conform", *SMOKE, "--include", "evidence.*", "--strength", "verdict")
    assert ", a part, by verdict alone)" in ran.text


def test_expected_failures_on_the_command_line(command, file):
    """A failure that is listed is green; a listed pass, and an entry without a vector, are red."""
    only = ["--include", "evidence.content.*", "--adapter", f"{SELF} content-trusting"]
    report = loads(command("conform", *only, "--json").out)
    failing = [entry["id"] for entry in report["implementations"][0]["results"] if entry["result"] != "pass"]
    entries = [{"id": id_, "reason": "we do not hash content yet"} for id_ in failing]
    path = file(json.dumps({"expected_failures": entries}).encode(), "xfail.json")
    assert command("conform", *only, "--xfail", path).code == 0
    more = [*entries, {"id": "evidence.content.whole-document", "reason": "this one passes"}]
    path = file(json.dumps({"expected_failures": more}).encode(), "xfail.json")
    ran = command("conform", *only, "--xfail", path)
    assert (ran.code, "xpass: evidence.content.whole-document" in ran.text) == (1, True)
    more = [*entries, {"id": "poems.*", "reason": "there are none of them"}]
    path = file(json.dumps({"expected_failures": more}).encode(), "xfail.json")
    ran = command("conform", *only, "--xfail", path)
    assert (ran.code, "unmatched: the expected failure poems.*" in ran.text) == (1, True)


def test_one_shot_on_the_command_line(command, tmp_path):
    """A pack goes out, results come back, and the score is that of a loop."""
    pack, results = tmp_path / "pack.jsonl", tmp_path / "results.jsonl"
    assert command("conform", *SMOKE, "--pack", pack).code == 0
    assert command("conform", *SMOKE, "--pack", "-").out == pack.read_bytes()
    assert command("conform", "--exclude", "*", "--pack", pack.with_name("none")).code == 4
    words = [sys.executable, "-c", "from groundrules.cli import main; main()", "wrong", "none"]
    results.write_bytes(subprocess.run(words, input=pack.read_bytes(), capture_output=True, check=True).stdout)
    assert command("conform", *SMOKE, "--results", results).code == 0
    results.write_bytes(results.read_bytes() + b"more\n")
    ran = command("conform", *SMOKE, "--results", results)
    assert (ran.code, ran.err.startswith(f"groundrules: {results}, line ")) == (2, True)


@pytest.fixture
def report(command, tmp_path):
    path = tmp_path / "report.json"
    command("conform", *SMOKE, "--report", path)
    return path


@pytest.mark.parametrize("form", ["text", "markdown", "junit", "badge", "html", "matrix"])
def test_a_report_in_every_form(command, report, form):
    """Each form comes out whole."""
    ran = command("report", report, "--format", form)
    assert (ran.code, ran.err) == (0, "")
    assert "groundrules" in ran.text


def test_a_verification_as_sarif(command, tmp_path):
    """What verify found is told to code scanners."""
    path = tmp_path / "verify.json"
    path.write_bytes(command("verify", ROOT / "vectors" / "run" / "i1" / "input-edited", "--json").out)
    ran = command("report", path, "--format", "sarif")
    assert ran.code == 0
    assert {result["ruleId"] for result in loads(ran.out)["runs"][0]["results"]} == {"I1"}


def test_what_is_no_report_is_one_line(command, file, report):
    """A file of another kind, two that do not belong together, a format that does not exist."""
    other = file(b'{"format": "x"}', "other.json")
    for words, code in (
        ([other], "usage.not-a-report"),
        ([other, "--format", "sarif"], "usage.not-a-report"),
        ([report, "--format", "poem"], "usage.arguments"),
        (["verify"], "usage.arguments"),
        ([file(b"{", "half.json")], "read.syntax"),
        (["no-such-file"], "usage.no-file"),
    ):
        ran = command("report", *words)
        assert (ran.code, ran.err.count("\n"), code in ran.err) == (2, 1, True)


def test_a_report_is_verified(command, report):
    """An edited one does not hold, as text and as data."""
    assert command("report", "verify", report).code == 0
    document = json.loads(report.read_text(encoding="utf-8"))
    document["corpus"] = "0" * 64
    report.write_text(json.dumps(document), encoding="utf-8")
    ran = command("report", "verify", report)
    assert (ran.code, "DOES NOT HOLD" in ran.text, "it is of the corpus" in ran.text) == (1, True, True)
    assert loads(command("report", "verify", report, "--json").out)[str(report)][0].startswith("it is of the corpus")


def test_wrong_lists_its_mistakes(command):
    """Without a name they are listed; an unknown name is told."""
    assert command("wrong").text.startswith("accept-all: ")
    assert loads(command("wrong", "--json").out)[0]["name"] == "accept-all"
    assert "usage.unknown-wrong" in command("wrong", "poem").err


def test_wrong_answers_on_its_standard_streams(command, monkeypatch):
    """It is an adapter like any other."""
    message = b'{"op":"case","seq":1,"id":"1","kind":"parse","input":{"document":"e30="}}\n'
    ran = command("wrong", "reject-all", stdin=b'{"op":"hello","protocol":1}\n' + message)
    assert [loads(line).get("verdict") for line in ran.out.splitlines()] == [None, "fail"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))


def test_authoring_on_the_command_line(command, tmp_path, monkeypatch):
    """A vector begins, and files are brought into form; the kit's own are left alone without a checkout."""
    root = tmp_path / "vectors"
    shutil.copytree(ROOT / "vectors" / "envelopes", root / "envelopes")
    ran = command("vectors", "new", "envelopes.new.first", "--kind", "evidence", "--vectors", root)
    assert (ran.code, "write what stands as TO WRITE" in ran.text) == (0, True)
    path = root / "envelopes" / "new" / "first" / "vector.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")
    assert command("vectors", "fmt", root).text.splitlines() == [str(path), "vectors: 1 brought into form"]
    bare = type("Kit", (), {"chapters": None, "vectors": root})
    monkeypatch.setattr("groundrules.cli.vectors.kit", lambda: bare)
    for words in (["new", "a.b", "--kind", "parse"], ["fmt"]):
        assert "usage.no-checkout" in command("vectors", *words).err
    assert Path(kit().vectors) != root


def test_the_kits_own_vectors_are_in_form(command):
    """In a checkout nothing is left to bring into form, and new vectors begin there."""
    if kit().chapters is None:
        pytest.skip("an installed package is not to be changed")
    assert command("vectors", "fmt").text == "vectors: 0 brought into form\n"
    assert "usage.vector-exists" in command("vectors", "new", load().vectors[0].id, "--kind", "parse").err


def test_standard_input_is_one_file(command):
    """List and envelope cannot both be read from it."""
    assert "standard input is one file" in command("sources", "check", "-", "--copies", "-").err
