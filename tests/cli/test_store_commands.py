"""``runs list``, ``show``, ``verify``, ``reindex``: what they print, how they end, and that bad input is one line."""

import json

import pytest
from agents import COPIES, SNAPSHOT, TENOR, answer, ask, conductor, run

from groundrules import load_copies


@pytest.fixture
def store(tmp_path):
    """A store with a good run, a brokered one and a withheld one."""
    folder = tmp_path / "runs"

    def invents(task):
        task.tracer.start_span("x", attributes={"dd.outcome": "y"}).end()
        made = answer(task.input_item())
        made["payload"]["grounded_on"].append({"source_id": "never-read", "content_hash": "0" * 64})
        return made

    run(folder)
    with load_copies(COPIES) as copies:
        run(
            folder, lambda task: answer(task.retrieve(SNAPSHOT, TENOR)), "brokered", copies=copies, agent_id="keeper"
        ) if (False) else None
        conductor(folder, lambda task: answer(task.retrieve(SNAPSHOT, TENOR)), "brokered", copies=copies).invoke(ask())
    run(folder, invents)
    return folder


def ids(store):
    return sorted(path.name for path in store.iterdir() if path.name.startswith("0"))


def test_the_runs_are_listed(command, store):
    """Two lines a run, oldest first, within eighty columns; and as data."""
    ran = command("runs", "list", "--store", store)
    assert (ran.code, ran.err) == (0, "")
    told = ran.text.splitlines()
    assert [line.split()[0] for line in told[0:6:2]] == ids(store)
    assert max(map(len, told[:6])) <= 80
    assert told[1].endswith("succeeded, grounding passed, sources nothing-to-check")
    assert told[5].endswith("failed, grounding failed, sources nothing-to-check")
    data = json.loads(command("runs", "list", "--store", store, "--json").text)
    assert data["format"] == "runs/1"
    assert [row["invocation"] for row in data["runs"]] == ids(store)


def test_a_run_is_shown_with_its_timeline(command, store):
    """By its id in the store, or by its folder; four verdicts, then the spans with their findings."""
    first, _, withheld = ids(store)
    ran = command("runs", "show", first, "--store", store)
    assert ran.code == 0
    assert ran.text.splitlines()[-1].endswith("invoke_agent")
    assert ran.text == command("runs", "show", store / first).text
    told = command("runs", "show", withheld, "--store", store, "--copies", COPIES, "--all").text.splitlines()
    assert told[-2].endswith("  x")
    assert "! g0.owned-attribute: " in told[-1]


def test_a_run_with_a_finding_that_is_not_withheld_is_shown(command, store):
    """The findings of the verdict that is computed now."""
    first = store / ids(store)[0]
    spans = (first / "spans.jsonl").read_text()
    (first / "spans.jsonl").write_text(spans + spans.replace('"invoke_agent"', '"chat"'))
    assert "! " in command("runs", "show", first).text


def test_what_is_missing_of_a_run_is_a_question_mark(command, store):
    """A run without an envelope, and one without a trace, are listed and shown."""
    first, second, _ = ids(store)
    (store / first / "envelope.json").unlink()
    (store / second / "spans.jsonl").unlink()
    assert "  ?, ?" in command("runs", "list", "--store", store).text
    ran = command("runs", "show", first, "--store", store)
    assert ran.code == 0
    assert "outcome: ?" in ran.text
    assert "start ms" not in command("runs", "show", second, "--store", store).text


def test_a_store_is_verified(command, store):
    """Every run, and the index; withheld is unchecked, so it ends with 3; the head is told."""
    ran = command("runs", "verify", "--store", store, "--copies", COPIES)
    assert ran.code == 3
    head = ran.text.splitlines()[-1].partition("(head ")[2].rstrip(")")
    assert ran.text.splitlines()[-1] == f"index: agrees (head {head})"
    assert command("runs", "verify", "--store", store, "--head", head).code == 3
    ran = command("runs", "verify", "--store", store, "--head", "0" * 64)
    assert ran.code == 1
    assert "[store.anchor-lost]" in ran.text
    data = json.loads(command("runs", "verify", "--store", store, "--json").text)
    assert (data["head"], data["index"]) == (head, [])
    assert len(data["runs"]) == 3


def test_an_edited_store_is_told(command, store):
    """As text and as data."""
    (store / ids(store)[0] / "request.json").write_text("{}")
    ran = command("runs", "verify", "--store", store)
    assert ran.code == 1
    assert f"  {ids(store)[0]}: request.json is not the file that the index lists [store.file-differs]" in ran.text
    data = json.loads(command("runs", "verify", "--store", store, "--json").text)
    assert [finding["code"] for finding in data["index"]] == ["store.file-differs"]


def test_a_run_that_cannot_be_read_is_one_line(command, store):
    """The others are verified."""
    first = store / ids(store)[0]
    for path in first.iterdir():
        path.unlink()
    ran = command("runs", "verify", "--store", store)
    assert ran.code == 1
    assert "[usage.not-a-run]" in ran.text


def test_the_index_is_written_anew(command, store):
    """The head is told; afterwards nothing disagrees."""
    (store / "invocations.jsonl").unlink()
    assert command("runs", "verify", "--store", store).code == 1
    ran = command("runs", "reindex", "--store", store)
    assert ran.code == 0
    assert ran.text.startswith("index: 3 runs (head ")
    assert command("runs", "verify", "--store", store).code == 3


def test_an_empty_store_is_nothing_run(command, tmp_path):
    """An empty set is never green."""
    for name in ("list", "verify", "reindex"):
        assert command("runs", name, "--store", tmp_path).code == 4


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["list", "--store", "none"], "usage.no-store"),
        (["verify", "--store", "none"], "usage.no-store"),
        (["reindex", "--store", "none"], "usage.no-store"),
        (["show", "none"], "usage.not-a-run"),
        (["show", "01a23086-4001-7246-ab92-11f9b8c04766"], "usage.not-a-run"),
        (["show", "a\0b"], "usage.not-a-run"),
        (["verify", "--head"], "usage.arguments"),
        (["verify", "--head", "A" * 64], "usage.arguments"),
        (["verify", "--head", ""], "usage.arguments"),
        (["show", ""], "usage.arguments"),
        (["sing"], "usage.arguments"),
    ],
)
def test_bad_input_is_one_line_and_2(command, words, code):
    """A line with a code, and nothing on standard output."""
    ran = command("runs", *words)
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.count("\n") == 1
    assert f"[{code}]" in ran.err


def test_an_index_that_cannot_be_read_is_one_line(command, store):
    """A folder where the index was."""
    (store / "invocations.jsonl").unlink()
    (store / "invocations.jsonl").mkdir()
    ran = command("runs", "verify", "--store", store)
    assert ran.code == 2
    assert ran.err.count("\n") == 1


def test_a_folder_without_a_run_keeps_no_other_from_being_listed(command, store):
    """It has question marks."""
    (store / "01a23086-4001-7246-ab92-11f9b8c04766").mkdir()
    ran = command("runs", "list", "--store", store)
    assert (ran.code, ran.err) == (0, "")
    assert len(ran.text.splitlines()) >= 8
    assert "?, ?" in ran.text
