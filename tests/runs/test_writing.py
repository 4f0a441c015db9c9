"""Writing a run: whole or not at all, read back as it was, and with the verdicts it was stored with."""

import contextlib
import json
import os
import shutil
from pathlib import Path

import mode_runs as runs
import pytest
from hypothesis import given, settings
from random_runs import random_runs

from groundrules import (
    CanonicalError,
    UsageError,
    check_sources,
    lint,
    loads,
    read_trace,
    verify_run,
    withhold,
    write_run,
)
from groundrules.documents import validate
from groundrules.runs import read_run, writing
from groundrules.runs.layout import FILES

REQUEST = {
    "format": "request/1",
    "invocation_id": runs.INVOCATION,
    "agent_id": "surveyor",
    "input": runs.INPUT,
    "requested_at": "2026-09-14T09:25:00Z",
}
SPANS = [dict(span) for span in runs.GOOD["retrieval"][0]]
SPANS[0] = SPANS[0] | {"attributes": SPANS[0]["attributes"] | {"dd.outcome": "succeeded"}}
OCTETS = json.dumps(runs.to_otlp(SPANS)).encode()
ENVELOPE = runs.GOOD["retrieval"][1]


def live(octets=OCTETS, envelope=ENVELOPE):
    """What a harness stores of a run: judged, gated."""
    grounding, sources = lint(read_trace(octets), envelope), check_sources(envelope)
    return {
        "request": REQUEST,
        "envelope": withhold(envelope, grounding, sources),
        "spans": octets,
        "grounding": grounding,
        "sources": sources,
    }


def test_a_run_reads_back_as_it_was_written(tmp_path):
    """Seven files, each what was given; every document of its schema."""
    folder = write_run(tmp_path / "run", **live())
    assert {path.name for path in folder.iterdir()} == set(FILES)
    assert (folder / "spans.jsonl").read_bytes() == OCTETS
    stored = read_run(folder)
    assert (stored.missing, stored.unreadable) == ([], ())
    assert stored.documents["request.json"] == REQUEST
    assert stored.documents["envelope.json"] == ENVELOPE
    assert (folder / "grounding.txt").read_text(encoding="utf-8").startswith("grounding: passed [retrieval]")
    assert oct(folder.stat().st_mode & 0o777) == "0o755"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_stored_run_is_never_overwritten(tmp_path):
    """A folder, an empty one, a file and a dangling link are all something that is there."""
    write_run(tmp_path / "run", **live())
    before = {path: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("run", "empty", "file", "link"):
        with pytest.raises(UsageError, match=r"usage\.run-exists"):
            write_run(tmp_path / name, **live())
    assert {path: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


def test_a_result_that_fails_is_not_stored_as_it_was(tmp_path):
    """Without the gate nothing that fails is stored, and a verdict of another envelope stores nothing."""
    envelope = ENVELOPE | {"payload": {"schema_class": "A", "grounded_on": []}}
    held = live(envelope=envelope)
    for wrong in (envelope, ENVELOPE, held["envelope"] | {"payload": {}}, held["envelope"] | {"evidence": [1]}, 7):
        with pytest.raises(UsageError, match=r"usage\.not-gated"):
            write_run(tmp_path / "run", **(held | {"envelope": wrong}))
    with pytest.raises(UsageError, match=r"judged another envelope than the one to be stored.*usage\.other-envelope"):
        write_run(tmp_path / "run", **(live() | {"envelope": ENVELOPE | {"agent_id": "x"}}))
    with pytest.raises(UsageError, match="two verdicts judged different envelopes"):
        write_run(tmp_path / "run", **(held | {"sources": live()["sources"]}))
    assert not list(tmp_path.iterdir())
    write_run(tmp_path / "run", **held)
    assert verify_run(tmp_path / "run").words == {
        "contract": "valid",
        "files": "agree",
        "grounding": "withheld",
        "sources": "nothing-to-check",
    }


def _deep():
    nested = []
    for _ in range(64):
        nested = [nested]
    return nested


@pytest.mark.parametrize("request_", [{"x": float("nan")}, {1: 2}, {"x": {1, 2}}, _deep()])
def test_what_would_not_read_back_is_not_written(tmp_path, request_):
    """A value that is no JSON, or nests deeper than any reader goes, is refused before anything is there."""
    with pytest.raises(CanonicalError, match=r"canon\.not-json"):
        write_run(tmp_path / "run", **(live() | {"request": request_}))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("fails_at", range(1, 13))
def test_a_disk_that_fills_leaves_nothing(tmp_path, monkeypatch, fails_at):
    """Wherever the system stops helping, there is no folder afterwards, or the whole one, and one coded line."""
    count = iter(range(1, 100))
    real = os.fsync

    def failing(handle):
        if next(count) == fails_at:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(writing.os, "fsync", failing)
    filled = pytest.raises(UsageError, match=r"no space left on device \[usage\.unwritable\]")
    with filled if fails_at <= len(FILES) + 2 else contextlib.nullcontext():
        write_run(tmp_path / "run", **live())
    names = [path.name for path in tmp_path.iterdir()]
    assert names == (["run"] if fails_at > len(FILES) + 1 else [])
    if names:
        assert read_run(tmp_path / "run").missing == []


def test_where_nothing_can_be_written(tmp_path):
    """A folder that is not there is one line."""
    with pytest.raises(UsageError, match=r"no such file or directory \[usage\.unwritable\]"):
        write_run(tmp_path / "none" / "run", **live())


def test_an_interrupted_write_leaves_nothing_that_reads_as_a_run(tmp_path, monkeypatch):
    """Whatever stops the writing, an interrupt too, nothing half-written stays under the run's name."""

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "_on_disk", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_run(tmp_path / "run", **live())
    assert not list(tmp_path.iterdir())


@settings(max_examples=400)
@given(random_runs())
def test_a_run_has_the_same_verdict_live_and_stored(tmp_path_factory, run):
    """Judged live, gated, stored and verified: the same grounding and sources, and files that do not disagree."""
    spans, envelope = run
    if not isinstance(envelope, dict):
        return
    octets, envelope = json.dumps(runs.to_otlp(spans)).encode(), loads(json.dumps(envelope).encode())
    stored = live(octets, envelope)
    folder = tmp_path_factory.mktemp("store") / "run"
    write_run(folder, **stored)
    verdict = verify_run(folder)
    shutil.rmtree(folder.parent)
    assert validate(verdict.as_dict(), "run-verdict") == []
    assert not {code for code in verdict.codes if code.startswith("i4.")}
    if stored["envelope"] is envelope:
        assert verdict.grounding == stored["grounding"]
        assert verdict.sources == stored["sources"]
        assert verdict.recorded is None
    else:
        assert verdict.recorded["grounding"]["status"] == stored["grounding"].status
        assert verdict.recorded["sources"]["status"] == stored["sources"].status


def test_the_parent_folder_may_be_named_in_any_way(tmp_path, monkeypatch):
    """A relative name, and a path object, are folders too."""
    monkeypatch.chdir(tmp_path)
    assert write_run("run", **live()) == Path("run")
    assert verify_run("run").words == verify_run(Path("run")).words
    monkeypatch.chdir(tmp_path / "run")
    assert verify_run(".").words["files"] == "agree"
