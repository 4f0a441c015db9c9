"""Bad input to every command that reads a document: one line, exit 2, nothing written, no hang."""

import json
import os
import subprocess
import sys

import pytest

COMMANDS = {
    "canonicalise": ["canonicalise", "{}", "--as", "dd-json-document-v1"],
    "canonicalise --stages": ["canonicalise", "{}", "--as", "jcs-document-v1", "--stages"],
    "hash": ["hash", "{}", "--as", "json-sorted-utf8-v1"],
    "hash --json": ["hash", "{}", "--as", "groundrules-fact-v1", "--json"],
    "evidence check": ["evidence", "check", "{}"],
    "evidence check --json": ["evidence", "check", "{}", "--json"],
    "validate": ["validate", "{}", "--as", "vector"],
    "validate --json": ["validate", "{}", "--as", "evidence-item", "--json"],
}
BAD = {
    "empty": (b"", "read.empty"),
    "white space": (b" \n", "read.empty"),
    "invalid UTF-8": (b'{"a":"\xff"}', "read.invalid-utf8"),
    "UTF-16": ('{"a":1}'.encode("utf-16"), "read.other-encoding"),
    "byte-order mark": (b"\xef\xbb\xbf{}", "read.byte-order-mark"),
    "duplicate name": (b'{"a":1,"a":2}', "read.duplicate-name"),
    "NaN": (b'{"a":NaN}', "read.non-finite-token"),
    "lone surrogate in a name": (b'{"\\ud800":1}', "read.lone-surrogate"),
    "200 000 levels": (b"[" * 200_000 + b"]" * 200_000, "read.too-deep"),
    "200 000 levels of objects": (b'{"a":' * 200_000, "read.too-deep"),
    "6 000-digit number": (b'{"a":' + b"9" * 6000 + b"}", "read.number-too-long"),
    "overflow": (b'{"a":1e999}', "read.number-overflow"),
    "truncated": (b'{"a": {"b": [1, 2', "read.syntax"),
    "trailing data": (b"{} {}", "read.trailing-data"),
    "Python text": (b"{'a': None}", "read.syntax"),
}
WRONG_TYPE = {
    "canon.not-an-object": ["hash", "hash --json"],
    "schema.envelope": ["evidence check", "evidence check --json"],
    "usage.wrong-type": ["validate", "validate --json"],
}


def check(ran, code, *, as_json):
    assert ran.code == 2
    if as_json:
        assert ran.err == ""
        error = json.loads(ran.out)["error"]
        assert error["code"] == code
        assert error["file"]
    else:
        assert ran.out == b""
        assert ran.err.endswith(f"[{code}]\n")
        assert ran.err.count("\n") == 1
        assert len(ran.err) < 800


@pytest.mark.parametrize("label", COMMANDS)
@pytest.mark.parametrize("bad", BAD)
def test_a_bad_document_is_one_line(command, file, tmp_path, label, bad):
    """Every refusal of strict reading comes out as one line with its code, from every command."""
    octets, code = BAD[bad]
    path = file(octets)
    words = [path if word == "{}" else word for word in COMMANDS[label]]
    check(command(*words), code, as_json="--json" in words)
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("code", "label"), [(code, label) for code, labels in WRONG_TYPE.items() for label in labels])
@pytest.mark.parametrize("octets", [b"[]", b'"a"', b"1", b"null"])
def test_a_wrong_top_level_type_is_one_line(command, file, code, label, octets):
    """An array or a scalar where an object belongs is refused by each command that needs an object."""
    words = [file(octets) if word == "{}" else word for word in COMMANDS[label]]
    check(command(*words), code, as_json="--json" in words)


@pytest.mark.parametrize("label", COMMANDS)
def test_what_is_no_readable_file_is_one_line(command, tmp_path, label):
    """A missing file, a folder, a pipe nobody writes to, a name that no file can have."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    places = {
        str(tmp_path / "missing\n.json"): "usage.no-file",
        str(tmp_path): "usage.not-a-file",
        str(pipe): "usage.not-a-file",
        "nul\0name": "usage.unreadable",
        "x" * 5000: "usage.unreadable",
        str(pipe / "below"): "usage.unreadable",
    }
    for place, code in places.items():
        words = [place if word == "{}" else word for word in COMMANDS[label]]
        check(command(*words), code, as_json="--json" in words)


@pytest.mark.parametrize("bad", ["200 000 levels", "6 000-digit number", "truncated", "empty"])
def test_a_process_ends_by_itself(file, bad):
    """As a process of its own the command ends, with nothing on standard output and one line on standard error."""
    words = [sys.executable, "-c", "from groundrules.cli import main; main()", "hash", str(file(BAD[bad][0]))]
    done = subprocess.run(
        [*words, "--as", "dd-json-document-v1"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
