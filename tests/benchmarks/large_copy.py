"""Memory and time of a source check against a large copy: ``python tests/benchmarks/large_copy.py [MEGABYTES]``.

Writes a JSON Lines copy of about that size (500 by default) to a temporary folder, pins it, and checks an envelope that
cites three of its records. Prints the peak memory of a process that only imports the package, and of one that checks;
and the time as a ratio to hashing the same file, measured in the same run.
"""

import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from groundrules import check_sources, content_hash, load_copies

TEXT = "The lower courses have gone unrepointed for a century or more. " * 14


def record(number):
    return {"id": f"record:{number:09}", "number": number, "share": number / 7, "labels": ["a", "b"], "text": TEXT}


def write(folder, megabytes):
    """The copy, its list and an envelope that cites the first, the middle and the last record."""
    copy, digest, number, size = folder / "copy.jsonl", hashlib.sha256(), 0, 0
    with copy.open("wb") as file:
        while size < megabytes * 1_000_000:
            line = json.dumps(record(number)).encode() + b"\n"
            file.write(line)
            digest.update(line)
            number, size = number + 1, size + len(line)
    entry = {"snapshot_refs": ["snap"], "path": copy.name, "id_field": "id", "sha256": digest.hexdigest()}
    (folder / "copies.json").write_text(json.dumps({"sources": [entry]}), encoding="utf-8")
    items = [
        {
            "source_id": cited["id"],
            "hash_algorithm": "sha256",
            "canonicalisation": "dd-json-document-v1",
            "content_hash": content_hash(cited, "dd-json-document-v1"),
            "snapshot_ref": "snap",
        }
        for cited in map(record, (0, number // 2, number - 1))
    ]
    (folder / "envelope.json").write_text(json.dumps({"evidence": items}), encoding="utf-8")
    return number, size


def check(folder):
    """What the child process does: hash the copy, then check by it."""
    start = time.perf_counter()
    with (folder / "copy.jsonl").open("rb") as file:
        hashlib.file_digest(file, "sha256")
    hashed = time.perf_counter()
    with load_copies(folder / "copies.json") as copies:
        loaded = time.perf_counter()
        verdict = check_sources(json.loads((folder / "envelope.json").read_text(encoding="utf-8")), copies)
    print(verdict.lines()[0])
    hashing, proving = hashed - start, loaded - hashed
    print(f"hashing {hashing:.1f} s, proving {proving:.1f} s: {proving / hashing:.1f} times")


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    """Write the files, and run a process for each measurement."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with tempfile.TemporaryDirectory() as name:
        number, size = write(Path(name), megabytes)
        print(f"{number} records, {size / 1e6:.0f} MB", flush=True)
        for mode in ("--import", "--check"):
            subprocess.run([sys.executable, __file__, mode, name], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] in (["--import"], ["--check"]):
        if sys.argv[1] == "--check":
            check(Path(sys.argv[2]))
        print(f"peak memory {sys.argv[1][2:]}: {peak():.0f} MiB")
    else:
        main()
