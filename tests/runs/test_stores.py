"""A store: reservations, the index and its chain, what a crash leaves, and what an edited store is told for."""

import errno
import hashlib
import json
import os
import subprocess
import sys
import threading

import pytest
from agents import EXAMPLES, ask, conductor, good, spec

from groundrules import RequestError, UsageError
from groundrules.documents import validate
from groundrules.harness import Conductor, InProcessAgent, RunStore
from groundrules.runs import index, locks
from groundrules.runs.layout import FILES
from groundrules.runs.storecheck import check_store

STRANGER = "01a23086-4001-7246-ab92-11f9b8c04766"


def filled(folder, runs=3):
    """A store of some runs, and their ids in the order in which they were stored."""
    made = conductor(folder)
    return RunStore(folder), [made.invoke(ask()).folder.name for _ in range(runs)]


def lines(store):
    return [json.loads(line) for line in store.index.read_bytes().splitlines()]


def codes(store, **more):
    return [finding.code for finding in check_store(store, **more)[0]]


def test_the_index_is_a_chain(tmp_path):
    """A line a run, with the digest of each file and of the line before; the head is the last one's."""
    store, ids = filled(tmp_path)
    raw = store.index.read_bytes().splitlines()
    entries = lines(store)
    assert [entry["invocation_id"] for entry in entries] == ids
    assert [entry["previous"] for entry in entries] == [None, *(hashlib.sha256(line).hexdigest() for line in raw[:-1])]
    for entry in entries:
        assert validate(entry, "store-entry") == []
        folder = tmp_path / entry["invocation_id"]
        assert entry["files"] == {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in FILES}
    assert check_store(store) == ([], hashlib.sha256(raw[-1]).hexdigest())


def test_a_head_that_was_kept_is_still_there(tmp_path):
    """The index may have grown since; one that was cut or written anew is told."""
    made = conductor(tmp_path)
    first = made.invoke(ask()).head
    made.invoke(ask())
    store = RunStore(tmp_path)
    assert codes(store, anchor=first) == []
    assert codes(store, anchor="0" * 64) == ["store.anchor-lost"]


def test_an_empty_store_agrees(tmp_path):
    """There is nothing to disagree about, and no head."""
    store = RunStore(tmp_path / "runs")
    store.prepare()
    assert check_store(store) == ([], None)
    assert store.ids() == []
    assert store.reindex() is None


def test_where_there_is_no_store(tmp_path):
    """A folder that is not there, and a file."""
    (tmp_path / "file").write_bytes(b"")
    for name in ("none", "file"):
        for asked in (RunStore(tmp_path / name).ids, lambda name=name: check_store(RunStore(tmp_path / name))):
            with pytest.raises(UsageError, match=r"usage\.no-store"):
                asked()


def test_an_edited_file_is_told(tmp_path):
    """Whatever the edit means."""
    store, ids = filled(tmp_path)
    (tmp_path / ids[1] / "spans.jsonl").write_bytes(b"{}\n")
    assert codes(store) == ["store.file-differs"]


def test_a_run_that_is_gone_is_told(tmp_path):
    """The index still lists it."""
    store, ids = filled(tmp_path)
    (tmp_path / ids[1]).rename(tmp_path / "elsewhere")
    assert codes(store) == ["store.run-missing"]


def test_an_index_that_was_cut_is_told(tmp_path):
    """A run stands in no line; the part that is left is a chain all the same."""
    store, _ = filled(tmp_path)
    store.index.write_bytes(b"".join(store.index.read_bytes().splitlines(keepends=True)[:2]))
    assert codes(store) == ["store.not-indexed"]


def test_a_run_that_is_listed_twice_is_told(tmp_path):
    """Also where the second line follows from the one before."""
    store, _ = filled(tmp_path)
    last = hashlib.sha256(store.index.read_bytes().splitlines()[-1]).hexdigest()
    again = json.dumps(lines(store)[0] | {"previous": last}, separators=(",", ":")).encode() + b"\n"
    store.index.write_bytes(store.index.read_bytes() + again)
    assert codes(store) == ["store.listed-twice"]


def test_a_line_without_an_end_is_told(tmp_path):
    """A crash left it, or somebody who edits."""
    store, _ = filled(tmp_path)
    store.index.write_bytes(store.index.read_bytes() + b'{"for')
    assert codes(store) == ["store.torn-line"]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b'{"format": "invocation/1"}',
        b"\xff",
        b"[" * 90,
        b'"' + b"x" * (1 << 20) + b'"',
        b'{"a": 1, "a": 1}',
    ],
)
def test_a_malformed_line_is_told_and_the_rest_is_read(tmp_path, line):
    """Whatever stands there; the line after it still follows from it or does not."""
    store, _ = filled(tmp_path)
    kept = store.index.read_bytes().splitlines(keepends=True)
    store.index.write_bytes(kept[0] + line + b"\n" + kept[1] + kept[2])
    found = codes(store)
    assert found[0] == "store.malformed-line"
    if len(line) < 1 << 20:
        assert found == ["store.malformed-line", "store.chain-broken"]


def test_the_order_of_the_lines_is_part_of_the_chain(tmp_path):
    """Two lines that changed places follow from nothing."""
    store, _ = filled(tmp_path)
    first, second, third = store.index.read_bytes().splitlines(keepends=True)
    store.index.write_bytes(second + first + third)
    assert codes(store) == ["store.chain-broken"] * 3


def test_a_file_that_is_gone_or_no_file_differs(tmp_path):
    """What the index lists has to be there as it was."""
    store, ids = filled(tmp_path, 1)
    (tmp_path / ids[0] / "sources.txt").unlink()
    (tmp_path / ids[0] / "sources.txt").mkdir()
    assert codes(store) == ["store.file-differs"]


def test_a_torn_line_is_taken_off_by_the_next_run(tmp_path):
    """The chain goes on from the last whole line."""
    store, _ = filled(tmp_path, 2)
    whole = store.index.read_bytes()
    store.index.write_bytes(whole + b'{"format": "invocation/1", "invoc')
    conductor(tmp_path).invoke(ask())
    assert store.index.read_bytes().startswith(whole)
    assert codes(store) == []


def test_a_long_torn_tail_is_taken_off_too(tmp_path):
    """Also one that is longer than what is read at once."""
    store, _ = filled(tmp_path, 2)
    store.index.write_bytes(store.index.read_bytes() + b"x" * 200_000)
    conductor(tmp_path).invoke(ask())
    assert codes(store) == []
    store.index.write_bytes(b"x" * 200_000)
    assert index.has_torn_tail(store.index)


def test_the_index_is_written_anew_from_the_runs(tmp_path):
    """By invocation id; the old one is kept beside it, and nothing disagrees any more."""
    store, ids = filled(tmp_path)
    old = store.index.read_bytes()
    kept = old.splitlines(keepends=True)
    store.index.write_bytes(kept[0] + b"{}\n")
    head = store.reindex()
    assert check_store(store) == ([], head)
    assert [entry["invocation_id"] for entry in lines(store)] == sorted(ids)
    (backup,) = tmp_path.glob("invocations.jsonl.*")
    assert backup.read_bytes() == kept[0] + b"{}\n"
    store.index.unlink()
    assert store.reindex() == head


def test_other_things_in_a_store_are_passed_over(tmp_path):
    """Files, folders and links of other names, a file named like a run, marks of both: nothing is blocked."""
    store, ids = filled(tmp_path, 1)
    (tmp_path / "notes").mkdir()
    (tmp_path / STRANGER).write_bytes(b"")
    (tmp_path / "link").symlink_to("nowhere")
    marks = tmp_path / ".running"
    (marks / ids[0]).write_bytes(b"")
    (marks / STRANGER).write_bytes(b"")
    RunStore(tmp_path).prepare()
    assert list(marks.iterdir()) == []
    assert store.ids() == ids
    assert codes(store) == []


def test_a_mark_that_is_a_folder_does_not_block(tmp_path):
    """It is no lock that anybody could hold; and a mark of another name is nobody's."""
    store, _ = filled(tmp_path, 1)
    (tmp_path / ".running" / STRANGER).mkdir()
    (tmp_path / ".running" / "strange name").write_bytes(b"x")
    RunStore(tmp_path).prepare()
    assert conductor(tmp_path).invoke(ask()).fault is None
    assert codes(store) == []


def test_what_a_dead_process_left_is_cleared_up(tmp_path):
    """Its parts go; what is whole is entered; a mark that is held is left alone."""
    store, ids = filled(tmp_path, 2)
    kept = store.index.read_bytes().splitlines(keepends=True)
    store.index.write_bytes(kept[0])
    marks = tmp_path / ".running"
    (marks / ids[1]).write_bytes(b"")
    (tmp_path / f".{STRANGER}.abc.partial").mkdir()
    (tmp_path / f".{STRANGER}.abc.partial" / "request.json").write_bytes(b"{}")
    (marks / STRANGER).write_bytes(b"")
    with store.reserved("01a23086-4001-7246-ab92-11f9b8c04799"):
        RunStore(tmp_path).prepare()
        assert [mark.name for mark in marks.iterdir()] == ["01a23086-4001-7246-ab92-11f9b8c04799"]
    assert list(tmp_path.glob(".*.partial")) == []
    assert store.index.read_bytes() == b"".join(kept)
    store.index.unlink()
    (marks / ids[0]).write_bytes(b"")
    RunStore(tmp_path).prepare()
    assert [entry["invocation_id"] for entry in lines(store)] == [ids[0]]


def test_a_run_that_cannot_be_read_is_left_for_verifying(tmp_path):
    """Clearing up never stops a start."""
    store, ids = filled(tmp_path, 1)
    store.index.unlink()
    (tmp_path / ids[0] / "spans.jsonl").unlink()
    (tmp_path / ids[0] / "spans.jsonl").symlink_to("spans.jsonl")
    (tmp_path / ".running" / ids[0]).write_bytes(b"")
    RunStore(tmp_path).prepare()
    assert codes(store) == ["store.foreign-file"]


def test_a_reused_id_enters_what_was_not_entered(tmp_path):
    """Whoever asks again for a run that was stored and not indexed has it indexed, and is refused."""
    made, request = conductor(tmp_path), ask()
    made.invoke(request)
    store = RunStore(tmp_path)
    store.index.unlink()
    with pytest.raises(RequestError, match=r"request\.reused"):
        made.invoke(request)
    assert codes(store) == []


def test_one_of_many_gets_an_id(tmp_path):
    """Twenty threads ask for a run with one id: one is stored, the others are refused."""
    made, request = conductor(tmp_path), ask()
    told = []

    def once():
        try:
            told.append(made.invoke(request).fault)
        except RequestError as error:
            told.append(error.code)

    threads = [threading.Thread(target=once) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told.count(None) == 1
    assert set(told) <= {None, "request.running", "request.reused"}
    assert codes(RunStore(tmp_path)) == []
    assert list((tmp_path / ".running").iterdir()) == []


STEPS = [
    "reserved",
    "folder made",
    *(f"{name} written" for name in FILES),
    "renamed",
    "index line begun",
    "indexed",
    "finished",
]


def test_the_steps_of_a_run(tmp_path):
    """These, in this order."""
    seen = []
    Conductor([InProcessAgent(spec(), good)], RunStore(tmp_path, on=seen.append)).invoke(ask())
    assert seen == STEPS


@pytest.mark.parametrize("step", STEPS[:11])
def test_a_full_disk_is_a_clear_error_or_a_whole_run(tmp_path, step):
    """No room at a step: one error, nothing half written, and the next start goes on."""

    def no_room(done):
        if done == step:
            raise OSError(errno.ENOSPC, "No space left on device")

    made, request = Conductor([InProcessAgent(spec(), good)], RunStore(tmp_path, on=no_room)), ask()
    with pytest.raises((UsageError, OSError)) as caught:
        made.invoke(request)
    if step != "reserved":
        assert caught.value.code == "usage.unwritable"
        assert "no space left on device" in str(caught.value)
    store = RunStore(tmp_path)
    is_there = request["invocation_id"] in store.ids()
    assert is_there == (step in ("renamed", "index line begun"))
    assert list(tmp_path.glob(".*.partial")) == []
    again = conductor(tmp_path)
    assert codes(store) == []
    if is_there:
        with pytest.raises(RequestError, match=r"request\.reused"):
            again.invoke(request)
    else:
        assert again.invoke(request).fault is None


def test_a_lock_on_a_file_that_was_replaced_is_none(tmp_path, monkeypatch):
    """Between opening and locking another removes its mark: the lock is taken anew, on the file that is there."""
    path, real = tmp_path / "mark", locks.fcntl.flock
    turns = []

    def removed(handle, how):
        turns.append(how)
        if len(turns) == 1:
            path.unlink()
        if len(turns) == 2:
            path.unlink()
            path.write_bytes(b"another")
        real(handle, how)

    monkeypatch.setattr(locks.fcntl, "flock", removed)
    with locks.claimed(path):
        assert len(turns) == 3
        assert path.exists()
    assert not path.exists()


def test_a_system_without_locks_is_told(tmp_path, monkeypatch):
    """A file system that locks nothing is no place for a store."""

    def none(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    made = conductor(tmp_path)
    monkeypatch.setattr(locks.fcntl, "flock", none)
    with pytest.raises(UsageError, match=r"no locks available.*usage\.unwritable"):
        made.invoke(ask())


def test_two_processes_write_one_store(tmp_path):
    """Forty runs each, at once: all are there, and the index agrees."""
    code = "import sys; from agents import *; made = conductor(sys.argv[1]); [made.invoke(ask()) for _ in range(40)]"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", code, str(tmp_path)]
    for writer in [subprocess.Popen(words, env=environment) for _ in range(2)]:
        assert writer.wait() == 0
    store = RunStore(tmp_path)
    assert len(store.ids()) == 80
    assert codes(store) == []


def test_a_file_that_may_not_grow_is_one_line(tmp_path):
    """The command ends with 2 and one line where the system takes no more; nothing is half there."""
    limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900)); "
    code = f"import sys; {limit}from groundrules.cli import run; sys.exit(run(sys.argv[1:]))"
    example = EXAMPLES / "counter"
    request = json.dumps(ask("counter", input=json.loads((example / "input.json").read_bytes())))
    words = ["run", "-", "--agent", str(example / "agent.json"), "--store", str(tmp_path / "runs")]
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, input=request, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "file too large" in done.stderr
    assert RunStore(tmp_path / "runs").ids() == []
    assert list((tmp_path / "runs").glob(".*.partial")) == []


def test_a_line_is_appended_under_the_lock(tmp_path):
    """Who holds the lock of the store is alone with its index; no run has its name before it can be entered."""
    made = conductor(tmp_path)
    made.invoke(ask())
    store = RunStore(tmp_path)
    before = store.index.read_bytes()
    waiting = threading.Thread(target=made.invoke, args=(ask(),))
    with locks.locked(tmp_path / ".lock"):
        waiting.start()
        waiting.join(0.4)
        assert waiting.is_alive()
        assert store.index.read_bytes() == before
        assert len(store.ids()) == 1
    waiting.join()
    assert len(store.ids()) == 2
    assert codes(store) == []


def test_an_index_that_cannot_be_written_is_as_it_was(tmp_path):
    """A line that was begun is taken off at once, not by the next run."""
    conductor(tmp_path).invoke(ask())
    before = (tmp_path / "invocations.jsonl").read_bytes()

    def no_room(done):
        if done == "index line begun":
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(UsageError, match=r"invocations\.jsonl.*usage\.unwritable"):
        Conductor([InProcessAgent(spec(), good)], RunStore(tmp_path, on=no_room)).invoke(ask())
    assert (tmp_path / "invocations.jsonl").read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_an_index_that_is_a_pipe_is_refused_at_once(tmp_path):
    """Nobody waits for whoever might write to it."""
    store, _ = filled(tmp_path, 1)
    store.index.unlink()
    os.mkfifo(store.index)
    for asked in (lambda: check_store(store), lambda: conductor(tmp_path).invoke(ask())):
        with pytest.raises(UsageError, match=r"invocations\.jsonl: .*usage\.not-a-file"):
            asked()
    with pytest.raises(UsageError, match=r"usage\.not-a-file"):
        index.has_torn_tail(store.index)
    with pytest.raises(UsageError, match=r"no regular file.*usage\.unwritable"):
        store.reindex()
    store.index.unlink()
    store.reindex()
    assert codes(store) == []


def test_an_index_that_may_not_be_read_is_named(tmp_path, monkeypatch):
    """The file, and why."""
    store, _ = filled(tmp_path, 1)

    def refuses(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(index.os, "open", refuses)
    with pytest.raises(UsageError, match=r"invocations\.jsonl: it cannot be read: permission denied"):
        check_store(store)


def test_a_long_torn_tail_is_read_once(tmp_path, monkeypatch):
    """Sixty-four megabytes without a line feed: every octet is looked at once, not once for each part."""
    store, _ = filled(tmp_path, 1)
    whole = store.index.read_bytes()
    with store.index.open("ab") as file:
        file.write(b"x" * 64_000_000)
    read, real = [], os.pread

    def counted(handle, size, offset):
        read.append(size)
        return real(handle, size, offset)

    monkeypatch.setattr(index.os, "pread", counted)
    assert index.has_torn_tail(store.index)
    assert sum(read) < 64_000_000 + 4 * len(whole) + 4 * 65_536
    assert len(read) < 1100


def test_a_line_that_is_written_otherwise_is_told(tmp_path):
    """The last one too, of which no line after it holds the digest: nobody's store writes it so."""
    store, _ = filled(tmp_path)
    first, second, third = store.index.read_bytes().splitlines(keepends=True)
    store.index.write_bytes(first + second + json.dumps(json.loads(third)).encode() + b"\n")
    assert codes(store) == ["store.malformed-line", "store.not-indexed"]


def test_every_index_that_was_written_anew_over_is_kept(tmp_path):
    """Two that end with the same line are two."""
    store, _ = filled(tmp_path, 2)
    first, second = store.index.read_bytes().splitlines(keepends=True)
    kept = [b"{}\n" + second, b"[]\n" + second, first + second]
    for octets in kept:
        store.index.write_bytes(octets)
        store.reindex()
    assert sorted(path.read_bytes() for path in tmp_path.glob("invocations.jsonl.*")) == sorted(kept)


def test_a_run_that_is_stored_while_the_index_is_written_anew_is_in_it_once(tmp_path):
    """The folders are looked at under the lock, and a run gets its name under it too."""
    store, _ = filled(tmp_path, 1)
    made = conductor(tmp_path)
    stop = threading.Event()

    def rebuild():
        while not stop.is_set():
            store.reindex()

    thread = threading.Thread(target=rebuild)
    thread.start()
    for _ in range(30):
        made.invoke(ask())
    stop.set()
    thread.join()
    assert codes(store) == []
    assert len(lines(store)) == 31


def test_a_store_that_is_used_meanwhile_gives_no_alarm(tmp_path):
    """Whatever moment is looked at, every run that has its name has its line."""
    store, _ = filled(tmp_path, 1)
    made = conductor(tmp_path)
    stop = threading.Event()

    def invoke():
        while not stop.is_set():
            made.invoke(ask())

    thread = threading.Thread(target=invoke)
    thread.start()
    told = [codes(store) for _ in range(60)]
    stop.set()
    thread.join()
    assert told == [[]] * 60


def test_an_empty_folder_is_no_run(tmp_path):
    """It is told, and an index that is written anew does not list it."""
    store, ids = filled(tmp_path, 1)
    (tmp_path / STRANGER).mkdir()
    assert codes(store) == ["store.not-indexed"]
    store.reindex()
    assert [entry["invocation_id"] for entry in lines(store)] == ids


def test_what_is_no_part_of_a_run_is_told(tmp_path):
    """A file, a folder or a link beside the files of a run, and a file that is a link."""
    store, (run_id,) = filled(tmp_path, 1)
    (tmp_path / run_id / "notes.txt").write_text("x")
    assert codes(store) == ["store.foreign-file"]
    (tmp_path / run_id / "notes.txt").unlink()
    request = tmp_path / run_id / "request.json"
    request.rename(tmp_path / "request.json")
    request.symlink_to(tmp_path / "request.json")
    assert codes(store) == ["store.foreign-file"]


def test_a_lock_whose_descriptor_was_closed_is_let_go(tmp_path, monkeypatch):
    """An agent in this process can close what is not its own."""
    handles, real = [], locks.fcntl.flock

    def seen(handle, how):
        handles.append(handle)
        real(handle, how)

    monkeypatch.setattr(locks.fcntl, "flock", seen)
    with locks.claimed(tmp_path / "mark"):
        os.close(handles[-1])
    with locks.locked(tmp_path / "lock"):
        os.close(handles[-1])
    assert not (tmp_path / "mark").exists()
