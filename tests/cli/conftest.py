"""Running commands in the process of the tests."""

import io
import sys
from dataclasses import dataclass

import pytest

from groundrules.cli import run


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: bytes
    err: str

    @property
    def text(self):
        return self.out.decode()


@pytest.fixture
def command(capfdbinary, monkeypatch):
    """Call with the words of a command line, and standard input as octets; returns what it left behind."""

    def call(*words, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = run([str(word) for word in words])
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = capfdbinary.readouterr()
        return Ran(int(code), out, err.decode())

    return call


@pytest.fixture
def file(tmp_path):
    """Write octets to a file and return its path."""

    def write(octets, name="input.json"):
        path = tmp_path / name
        path.write_bytes(octets)
        return path

    return write
