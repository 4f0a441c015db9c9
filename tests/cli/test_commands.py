"""What each command prints and how it ends."""

import base64
import dataclasses
import hashlib
import json
import shutil
import signal
import subprocess
import sys

import pytest

import groundrules
from groundrules import cli, content_hash
from groundrules.conformance.vectors import load
from groundrules.documents import kit
from places import ROOT

RUN = ROOT / "vectors" / "envelopes" / "javascript-retrieval" / "envelope.json"
VECTORS = ROOT / "vectors"
COPY = VECTORS / "run" / "javascript-retrieval" / "good" / "copy"


def test_version_and_help(command):
    """The version is the package's; help is printed and ends well."""
    assert command("--version").text == f"groundrules {groundrules.__version__}\n"
    ran = command("--help")
    assert ran.code == 0
    for name in ("conform", "canonicalise", "hash", "validate", "evidence", "vectors"):
        assert name in ran.text


@pytest.mark.parametrize(
    ("words", "detail"),
    [
        (["frobnicate"], "No such command"),
        (["hash"], "Missing argument"),
        (["hash", "x.json"], "Missing option"),
        (["hash", "x.json", "--as"], "requires an argument"),
        (["evidence", "chekc"], "No such command"),
        (["conform", "--familly", "x"], "No such option"),
    ],
)
def test_a_wrong_command_line_is_one_line(command, words, detail):
    """Usage errors look like every other error: one line, a code, exit 2."""
    ran = command(*words)
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.count("\n") == 1
    assert detail in ran.err
    assert "[usage.arguments]" in ran.err


def test_canonicalise_writes_the_octets_and_nothing_else(command, file):
    """Standard output is the canonical octets, so that a pipe to a hash program gives the content hash."""
    path = file('{"b": 1.0, "a": "é\u2028"}'.encode())
    ran = command("canonicalise", path, "--as", "dd-json-document-v1")
    assert (ran.code, ran.out) == (0, '{"a":"é\u2028","b":1.0}'.encode())
    digest = command("hash", path, "--as", "dd-json-document-v1").text
    assert digest == hashlib.sha256(ran.out).hexdigest() + "\n"


def test_standard_input_serves_as_a_file(command):
    """A minus reads standard input."""
    ran = command("hash", "-", "--as", "jcs-document-v1", stdin=b'{"n":1.0}')
    assert ran.text.strip() == content_hash({"n": 1}, "jcs-document-v1")


def test_stages_are_shown(command, file):
    """Every stage is on its own line, and what does not print is escaped."""
    path = file('{"name": "\u202e", "subjects": ["b", "a"]}'.encode())
    lines = command("hash", path, "--as", "json-sorted-utf8-v1", "--stages").text.splitlines()
    assert [line.split()[0] for line in lines] == ["parsed", "projected", "canonical", "digest"]
    assert '"name":"\\u{202e}"' in lines[0]
    assert '"subjects":["a","b"]' in lines[1]
    same = command("canonicalise", path, "--as", "json-sorted-utf8-v1", "--stages").text.splitlines()
    assert same == lines


def test_stages_as_data(command, file):
    """With --json the octets of every stage are base64."""
    path = file(b'{"n": 1.0}')
    data = json.loads(command("canonicalise", path, "--as", "jcs-document-v1", "--stages", "--json").text)
    assert base64.b64decode(data["parsed_b64"]) == b'{"n":1.0}'
    assert base64.b64decode(data["canonical_b64"]) == b'{"n":1}'
    assert data["digest"] == content_hash({"n": 1}, "jcs-document-v1")
    assert "parsed_b64" not in json.loads(command("hash", path, "--as", "jcs-document-v1", "--json").text)


@pytest.mark.parametrize("name", ["nonsense", "x" * 300])
def test_an_unknown_name_is_told_before_the_file_is_read(command, name):
    """The names that exist are listed."""
    ran = command("hash", "no-such-file", "--as", name)
    assert ran.code == 2
    assert "jcs-document-v1" in ran.err
    assert len(ran.err) < 600


def test_a_document_outside_the_domain_names_file_and_place(command, file):
    """The refusal says which file, where, why and what to do."""
    path = file(b'{"a": [1, 1e300]}')
    ran = command("hash", path, "--as", "jcs-document-v1")
    assert ran.code == 2
    assert ran.err == (
        f'groundrules: {path}, at /a/1: the number "1e+300" is beyond 2^53 - 1, where doubles cannot tell integers '
        "apart; carry it as a string [canon.number-out-of-range]\n"
    )


def test_evidence_made_elsewhere_is_verified(command):
    """The run that a JavaScript program wrote has every hash reproduced: one line an item and a summary."""
    ran = command("evidence", "check", RUN)
    assert ran.code == 0
    assert ran.text.splitlines() == [
        "verified  /evidence/0 lichen:netherfold/0312 dd-json-document-v1",
        "verified  /evidence/1 lichen:netherfold/0327 jcs-document-v1",
        "evidence: 2 verified",
    ]


def test_one_changed_octet_is_told_by_id(command, file):
    """A changed letter in one item's content fails that item, by id, and the command."""
    octets = RUN.read_bytes().replace(b"upper course", b"upper curse ")
    ran = command("evidence", "check", file(octets))
    assert ran.code == 1
    assert "FAILED    /evidence/1 lichen:netherfold/0327" in ran.text
    assert "[e1.hash-mismatch]" in ran.text
    assert ran.text.splitlines()[-1] == "evidence: 1 verified, 1 failed"
    data = json.loads(command("evidence", "check", file(octets), "--json").text)
    assert data["counts"] == {"verified": 1, "failed": 1, "unchecked": 0}
    assert data["items"][1]["findings"][0]["code"] == "e1.hash-mismatch"


def test_unchecked_and_nothing_have_their_own_exit_codes(command, file):
    """No content is 3, no item is 4: neither is ever green."""
    item = {
        "source_id": "a\n",
        "hash_algorithm": "sha256",
        "canonicalisation": "jcs-input-v1",
        "content_hash": "0" * 64,
    }
    ran = command("evidence", "check", file(json.dumps({"evidence": [item]}).encode()))
    assert ran.code == 3
    assert ran.text.splitlines() == [
        "unchecked /evidence/0 a\\u{a} jcs-input-v1",
        "          it carries no content, so there is nothing to hash",
        "evidence: 1 unchecked",
    ]
    ran = command("evidence", "check", file(b'{"evidence": []}'))
    assert (ran.code, ran.text) == (4, "evidence: nothing to check\n")


def test_validate_tells_every_finding(command, file):
    """A valid document ends with 0, an invalid one with 1 and all its findings."""
    good = file(json.dumps({"source_id": "a", "content_hash": "0" * 64}).encode())
    ran = command("validate", good, "--as", "grounding-reference")
    assert (ran.code, ran.text) == (0, "grounding-reference: valid\n")
    bad = file(b'{"source_id": 1, "x": 2}')
    ran = command("validate", bad, "--as", "grounding-reference")
    assert ran.code == 1
    assert ran.text.splitlines()[-1] == "grounding-reference: INVALID, 3 findings"
    data = json.loads(command("validate", bad, "--as", "grounding-reference", "--json").text)
    assert (data["valid"], len(data["findings"])) == (False, 3)
    ran = command(
        "validate", file(b'{"source_id": 1, "content_hash": "' + b"0" * 64 + b'"}'), "--as", "grounding-reference"
    )
    assert ran.text.splitlines()[-1] == "grounding-reference: INVALID, 1 finding"
    assert "[usage.unknown-kind]" in command("validate", good, "--as", "poem").err


def test_conform_runs_every_vector(command):
    """A table by family, a summary line, exit 0."""
    ran = command("conform")
    assert ran.code == 0
    lines = ran.text.splitlines()
    assert lines[0] == f"groundrules {groundrules.__version__} (Python)"
    assert lines[1].split() == ["family", "total", "pass", "fail"]
    assert [line.split()[0] for line in lines[2:-3]] == sorted({vector.family for vector in load().vectors})
    count = len(load().vectors)
    assert lines[-1] == f"conform: {count} of {count} vectors passed (corpus {load().digest[:16]})"
    assert max(map(len, lines)) <= 80


def test_conform_by_family_and_as_data(command):
    """A family can be chosen; the data names implementation, corpus and every result."""
    data = json.loads(command("conform", "--family", "envelopes", "--family", "ijson", "--json").text)
    (told,) = data["implementations"]
    assert {result["id"].split(".")[0] for result in told["results"]} == {"envelopes", "ijson"}
    assert data["corpus"] == load().digest
    assert told["counts"]["pass"] == len(told["results"]) == data["asked"]
    ran = command("conform", "--family", "poems")
    assert (ran.code, "[usage.unknown-family]" in ran.err) == (2, True)


def test_conform_tells_failures_damage_and_emptiness_apart(command, tmp_path):
    """A wrong expectation is 1, a damaged or unsealed corpus 2, an empty one never green."""
    root = tmp_path / "vectors"
    shutil.copytree(VECTORS / "envelopes", root / "envelopes")
    assert command("vectors", "seal", root).code == 0
    assert command("conform", "--vectors", root).code == 0
    (root / "MANIFEST.json").unlink()
    ran = command("conform", "--vectors", root)
    assert (ran.code, "MANIFEST.json: there is no such file" in ran.text) == (2, True)
    command("vectors", "seal", root)
    path = root / "envelopes" / "javascript-retrieval" / "vector.json"
    path.write_bytes(path.read_bytes().replace(b'"verdict": "pass"', b'"verdict": "unchecked"'))
    ran = command("conform", "--vectors", root)
    assert ran.code == 1
    assert "fail: envelopes.javascript-retrieval: expected unchecked, came pass" in ran.text
    assert "[kit.not-sealed]" in ran.text
    path.write_bytes(b"{")
    ran = command("conform", "--vectors", root)
    assert ran.code == 2
    assert "[kit.vector]" in ran.text
    assert "conform: 4 of 4 vectors passed" in ran.text
    assert command("vectors", "seal", root).code == 2
    empty = tmp_path / "empty"
    empty.mkdir()
    assert command("vectors", "seal", empty).code == 4
    assert command("conform", "--vectors", empty).code == 4
    assert command("vectors", "lint", empty).code == (1 if kit().chapters else 2)
    assert "name a folder that holds vectors" in command("conform", "--vectors", empty, "--family", "x").err


def test_vectors_lint_and_seal(command, tmp_path, monkeypatch):
    """Linting ends with 0 on the shipped corpus; sealing reports the digest; both have data forms."""
    if kit().chapters is not None:
        ran = command("vectors", "lint")
        assert (ran.code, ran.text) == (0, f"vectors: {len(load().vectors)} read, 0 problems\n")
        assert json.loads(command("vectors", "lint", "--json").text)["problems"] == []
    shutil.copytree(VECTORS / "envelopes", tmp_path / "envelopes")
    data = json.loads(command("vectors", "seal", tmp_path, "--json").text)
    assert data == {"vectors": 5, "corpus": load(tmp_path).digest}
    assert "[usage.no-file]" in command("vectors", "seal", tmp_path / "nowhere").err
    found = dataclasses.replace(kit(), chapters=None)
    monkeypatch.setattr(cli.vectors, "kit", lambda: found)
    for name in ("lint", "seal"):
        ran = command("vectors", name)
        assert (ran.code, "[usage.no-checkout]" in ran.err) == (2, True)


def test_lint_names_each_problem(command, tmp_path, monkeypatch):
    """A folder with problems ends with 1 and one line each."""
    if kit().chapters is None:
        pytest.skip("needs the chapters")
    shutil.copytree(VECTORS / "envelopes", tmp_path / "envelopes")
    monkeypatch.chdir(tmp_path)
    command("vectors", "seal", tmp_path)
    ran = command("vectors", "lint", tmp_path)
    assert ran.code == 1
    assert "no vector expects this code" in ran.text


def test_an_interruption_and_a_closed_pipe_end_quietly(monkeypatch, capfd):
    """Ctrl-C is 130; a reader that goes away is no traceback."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "app", interrupted)
    assert cli.run([]) == 130
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("error", [BrokenPipeError, SystemExit])
def test_a_reader_that_went_away_is_no_failure_of_a_check(monkeypatch, capfd, error):
    """Output that nobody reads any more ends the command with 2 and without a word."""

    def closed(*_, **__):
        raise error

    replaced = []
    monkeypatch.setattr(cli, "app", closed)
    monkeypatch.setattr(cli.os, "dup2", lambda *handles: replaced.append(handles))
    assert cli.run([]) == 2
    assert len(replaced) == 1
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), MemoryError()])
def test_what_the_machine_would_not_do_is_one_line(monkeypatch, capfd, error):
    """A full disk or too little memory is no verdict: one line and exit 2."""

    def failing(*_, **__):
        raise error

    monkeypatch.setattr(cli, "app", failing)
    assert cli.run([]) == 2
    assert capfd.readouterr().err.endswith("[usage.machine]\n")


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
def test_a_closed_stream_is_no_verdict(monkeypatch, capfd, stream):
    """Whichever stream is closed, the command ends with 2 and without a traceback."""
    monkeypatch.setattr(sys, stream, None)
    words = {"stdin": ["hash", "-"], "stdout": ["hash", RUN], "stderr": ["hash", "missing"]}[stream]
    assert cli.run([str(word) for word in [*words, "--as", "dd-envelope-json-v1"]]) == 2
    monkeypatch.undo()
    assert "Traceback" not in capfd.readouterr().err


def test_a_low_digit_limit_is_raised_for_the_command(monkeypatch):
    """An interpreter set to convert fewer digits than a number may have is set right before the command runs."""
    before = sys.get_int_max_str_digits()
    monkeypatch.setattr(cli, "run", lambda _words: sys.get_int_max_str_digits() < 1100)
    sys.set_int_max_str_digits(640)
    try:
        with pytest.raises(SystemExit) as caught:
            cli.main()
    finally:
        sys.set_int_max_str_digits(before)
    assert caught.value.code == 0


def test_withdrawn_vectors_are_not_run(command, tmp_path):
    """A vector that turned out wrong fails nobody any more."""
    root = tmp_path / "vectors"
    shutil.copytree(VECTORS / "envelopes", root / "envelopes")
    path = root / "envelopes" / "javascript-retrieval" / "vector.json"
    octets = path.read_bytes().replace(b'"status": "draft"', b'"status": "withdrawn"')
    path.write_bytes(octets.replace(b'"verdict": "pass"', b'"verdict": "unchecked"'))
    assert command("vectors", "seal", root).code == 0
    ran = command("conform", "--vectors", root)
    assert (ran.code, ran.text.splitlines()[-1].split(" (")[0]) == (0, "conform: 4 of 4 vectors passed")
    assert "[usage.no-file]" in command("conform", "--vectors", tmp_path / "nowhere").err


def test_the_entry_point_exits_with_the_code(monkeypatch):
    """What the script calls passes the arguments on and exits with what the command said."""
    monkeypatch.setattr(cli, "run", len)
    monkeypatch.setattr(sys, "argv", ["groundrules", "a", "b", "c"])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 3


def test_a_request_to_end_is_an_interrupt_unless_it_is_ignored(monkeypatch):
    """What ends a program ends what it started; a signal that the caller had ignored stays so (nohup)."""
    monkeypatch.setattr(cli, "run", lambda _words: 0)
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with pytest.raises(SystemExit):
            cli.main()
        assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_a_programming_error_is_not_dressed_up(monkeypatch):
    """Only known errors become one line; a defect of ours stays visible as what it is."""

    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "app", broken)
    with pytest.raises(ZeroDivisionError):
        cli.run([])


def test_the_command_as_a_process(tmp_path):
    """The installed command works from anywhere, and a closed pipe does not make it complain."""
    words = [sys.executable, "-c", "from groundrules.cli import main; main()"]
    done = subprocess.run([*words, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"groundrules {groundrules.__version__}\n"
    big = tmp_path / "big.json"
    big.write_bytes(b'"' + b"a" * 16_000_000 + b'"')
    with subprocess.Popen(
        [*words, "canonicalise", str(big), "--as", "jcs-input-v1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 2


def test_a_terminal_without_unicode_gets_escapes(tmp_path):
    """Where standard output cannot show a character the command prints an escape and no traceback."""
    path = tmp_path / "é.json"
    path.write_bytes('{"n":"é"}'.encode())
    words = [sys.executable, "-c", "from groundrules.cli import main; main()", "hash", str(path)]
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONPATH": ":".join(filter(None, sys.path))}
    done = subprocess.run(
        [*words, "--as", "dd-json-document-v1", "--stages"], env=environment, capture_output=True, text=True, check=True
    )
    assert '{"n":"\\xe9"}' in done.stdout
    done = subprocess.run([*words, "--as", "x"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2


def test_lint_a_run_made_elsewhere(command, file):
    """A good run passes; with a citation invented it fails by name; as data it is a verdict file."""
    spans = RUN.parent / "spans.jsonl"
    ran = command("lint", spans, RUN)
    assert (ran.code, ran.text) == (0, "grounding: passed [retrieval] (2 retrieval, 1 model-call spans)\n")
    invented = file(
        RUN.read_bytes().replace(
            b'"source_id": "lichen:netherfold/0312",\n            "content',
            b'"source_id": "lichen:invented",\n            "content',
        )
    )
    ran = command("lint", spans, invented)
    assert ran.code == 1
    assert "/payload/findings/0/grounded_on/0: the reference is on no declared retrieval [g2.not-retrieved]" in ran.text
    assert max(map(len, ran.text.splitlines())) <= 120
    data = json.loads(command("lint", spans, RUN, "--json", "--profile", "dd").text)
    assert (data["format"], data["status"], data["mode"]) == ("grounding/1", "passed", "retrieval")
    assert data["judged_hash"] == content_hash(json.loads(RUN.read_text()), "dd-envelope-json-v1")


def test_a_withheld_run_is_not_green(command, file):
    """Withheld ends with 3."""
    folder = RUN.parent.parent / "javascript-input-only"
    envelope = json.loads((folder / "envelope.json").read_text())
    for name in ("payload", "evidence"):
        del envelope[name]
    envelope |= {"outcome": {"status": "failed", "statement": "x"}, "problem": {"type": "urn:x:grounding-violation"}}
    ran = command(
        "lint", RUN.parent.parent / "javascript-input-only" / "spans.jsonl", file(json.dumps(envelope).encode())
    )
    assert (ran.code, ran.text.split()[1]) == (3, "withheld")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["missing", str(RUN)], "usage.no-file"),
        ([str(COPY), str(RUN)], "read.not-a-trace"),
        ([str(RUN.parent / "spans.jsonl"), str(RUN.parent / "spans.jsonl")], "read.trailing-data"),
        (["missing", "missing", "--profile", "mine"], "usage.unknown-profile"),
    ],
)
def test_what_cannot_be_linted_is_one_line(command, words, code):
    """A file that is no trace, or no envelope, is told with its name."""
    ran = command("lint", *words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, b"", 1)
    assert f"[{code}]" in ran.err


def test_validate_holds_an_envelope_to_the_contract(command, file):
    """An envelope is judged by the whole contract and not by its schema alone."""
    ran = command("validate", RUN, "--as", "envelope")
    assert (ran.code, ran.text) == (0, "contract: valid\n")
    bad = file(RUN.read_bytes().replace(b'"succeeded"', b'"failed"'))
    ran = command("validate", bad, "--as", "envelope")
    assert ran.code == 1
    assert ran.text.splitlines()[0] == "contract: INVALID (2 findings)"
    assert json.loads(command("validate", bad, "--as", "envelope", "--json").text)["status"] == "invalid"


def test_explain_a_rule(command):
    """What it relies on, what a pass shows and does not show, its codes and its vectors; by rule or by code."""
    ran = command("explain", "g2")
    assert ran.code == 0
    assert ran.text.splitlines()[0] == "G2: References match declared retrievals"
    assert "g2.not-retrieved: a reference is on no declared retrieval" in ran.text
    data = json.loads(command("explain", "g2.rests-on-nothing", "--json").text)
    assert (data["id"], data["relies_on"], data["modes"]) == ("G2", "agent", ["retrieval"])
    assert len(data["vectors"]) >= 4
    assert "conductor and agent" in command("explain", "B4").text
    ran = command("explain", "read.syntax")
    assert (ran.code, "[usage.unknown-rule]" in ran.err) == (2, True)
