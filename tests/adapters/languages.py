"""The adapters in compiled languages: how each is built, once for all workers, and where its toolchain is."""

import fcntl
import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from places import ROOT, not_here

FOLDER = ROOT / "tests" / "adapters"


@dataclass(frozen=True)
class Language:
    """One adapter: its source, the tool that builds it, and the words that build and start it."""

    name: str
    source: Path
    tool: str
    build: tuple[str, ...]
    start: tuple[str, ...]
    runs: tuple[str, ...]


LANGUAGES = {
    language.name: language
    for language in (
        Language(
            "go", FOLDER / "go" / "adapter.go", "go", ("go", "build", "-o", "{out}/adapter", "{source}"),
            ("{out}/adapter",), ("go-carillon",),
        ),
        Language(
            "rust", FOLDER / "rust" / "adapter.rs", "rustc",
            ("rustc", "--edition", "2021", "-O", "-D", "warnings", "-o", "{out}/adapter", "{source}"),
            ("{out}/adapter",), ("rust-bell-tuning",),
        ),
        Language(
            "java", FOLDER / "java" / "Adapter.java", "javac",
            ("javac", "-Xlint:all", "-Werror", "-encoding", "UTF-8", "-d", "{out}", "{source}"),
            ("java", "-cp", "{out}", "Adapter"), ("java-plain-hunt",),
        ),
    )
}  # fmt: skip


def command(name, tmp_path_factory):
    """The words that start an adapter, built where no other worker has built it; skips, loudly, without its tool."""
    language = LANGUAGES[name]
    if shutil.which(language.tool) is None:
        not_here(f"{language.tool} is not installed, so the {name} adapter was not run")
    digest = hashlib.sha256(language.source.read_bytes()).hexdigest()[:16]
    out = tmp_path_factory.getbasetemp().parent / f"adapter-{name}-{digest}"
    out.mkdir(exist_ok=True)
    fill = {"out": str(out), "source": str(language.source)}
    with (out / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (out / "built").exists():
            subprocess.run([word.format(**fill) for word in language.build], check=True, cwd=ROOT)
            (out / "built").touch()
    return [word.format(**fill) for word in language.start]
