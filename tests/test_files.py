"""Writing files whole or not at all."""

import os

import pytest

from groundrules import UsageError, files


def test_a_file_is_replaced_whole(tmp_path):
    """The new octets stand in place of the old ones and nothing else is left behind."""
    path = tmp_path / "a.json"
    path.write_text("old")
    files.write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    """Where writing fails the old file stands, no part of the new one does, and the error is one line."""
    path = tmp_path / "a.json"
    path.write_text("old")

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="no space left on device"):
        files.write_whole(path, b"new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path):
    """What is written goes where the link leads."""
    path, link = tmp_path / "a.json", tmp_path / "link"
    path.write_text("old")
    link.symlink_to(path)
    files.write_whole(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"


def test_a_pipe_and_a_folder_are_not_replaced(tmp_path):
    """What is no file stays what it is, and the error is one line."""
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    for path in (pipe, folder):
        with pytest.raises(UsageError, match="it is no regular file"):
            files.write_whole(path, b"new")
    assert pipe.is_fifo()
    assert folder.is_dir()


def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    """The error names the file and says why."""
    with pytest.raises(UsageError, match="cannot be written"):
        files.write_whole(tmp_path / "no" / "a.json", b"")
