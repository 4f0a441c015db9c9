"""A list of copies and the copies themselves, on the disk."""

import hashlib
import json

import pytest


@pytest.fixture
def listed(tmp_path):
    """Write copies and a list of them; call with octets by file name, get the path of the list."""

    def write(profile=None, name="copies.json", **copies):
        entries = []
        for stem, octets in copies.items():
            (tmp_path / f"{stem}.jsonl").write_bytes(octets)
            entries.append(
                {
                    "snapshot_refs": [f"snapshot:{stem}"],
                    "path": f"{stem}.jsonl",
                    "id_field": "id",
                    "sha256": hashlib.sha256(octets).hexdigest(),
                }
            )
        document = {"sources": entries} | ({"profile": profile} if profile else {})
        path = tmp_path / name
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    return write
