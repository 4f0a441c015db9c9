"""Asks the conductor for the record of a bell and answers from it: Python over stdio, mode ``brokered``.

It needs nothing but Python. What it cites was read by the conductor, so it has no source of its own and computes no
hash.
"""

import json
import sys

SNAPSHOT = "snapshot:bells-2026-10-01"


def say(message):
    """One line to the conductor."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def heard():
    """One line from the conductor."""
    return json.loads(sys.stdin.readline())


def main():
    """One question, one answer, one result."""
    wanted = json.loads(heard()["request"])["input"]["bell"]
    say({"op": "retrieve", "seq": 1, "snapshot_ref": SNAPSHOT, "source_id": wanted})
    reply = heard()
    if not reply["ok"]:
        reason = reply["error"]["code"]
        result = {"status": "abstained", "statement": "The record could not be had.", "reason_code": reason}
    else:
        item = json.loads(reply["value"])
        bell = item["content"]
        result = {
            "status": "succeeded",
            "statement": f"{bell['name']} was cast in {bell['cast']}.",
            "payload": {
                "schema_class": "BellAnswer",
                "grounded_on": [{"source_id": item["source_id"], "content_hash": item["content_hash"]}],
                "bell": wanted,
                "answer": str(bell["cast"]),
            },
            "evidence": [item],
        }
    say({"op": "result", "result": json.dumps(result), "spans": []})


if __name__ == "__main__":
    main()
