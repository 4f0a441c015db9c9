"""What the checks of an evaluation record cost: each as a ratio to reading the record, and the whole command.

Run with ``python tests/benchmarks/record_checks.py [CLAIMS]``; everything is measured side by side in one process, but
for the command, which is started anew each time, beside a Python that does nothing.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from groundrules import loads
from groundrules.witness import read_record, stored_flags
from groundrules.witness.claims import Contracts
from groundrules.witness.proof import Proofs

ROUNDS = 7
TEXT = "Old Margery was cast in 1724."


def record(claims):
    """A record of many claims, each with words of the agent, a call with its result, and a policy."""
    refs, made = [], []
    for number in range(claims):
        call = {"turn_index": number, "call_index": 0}
        refs += [
            {"id": f"a{number}", "kind": "AGENT_SPAN", "source_type": "AGENT_ANSWER", "anchor": "exact"}
            | {"turn_index": number, "text": TEXT, "char_start": 0, "char_end": len(TEXT)},
            {"id": f"c{number}", "kind": "TOOL_RECEIPT", "source_type": "AGENT_TOOL_CALL", "anchor": "receipt"} | call,
            {"id": f"r{number}", "kind": "TOOL_RECEIPT", "source_type": "TOOL_RESULT", "anchor": "receipt"} | call,
        ]
        claim = {"id": f"k{number}", "predicate": "p", "predicate_version": "1", "state": "APPLICABLE_FAIL"}
        claim |= {"turn_indices": [number], "evidence": [f"a{number}", f"c{number}", f"r{number}", "policy"]}
        made.append(claim | {"decided_by": "deterministic", "parameters": {"fidelity": "exact"}})
    refs.append({"id": "policy", "kind": "POLICY_SPAN", "source_type": "POLICY_SOURCE", "anchor": "document"})
    contract = {"require_groups": [["AGENT_SPAN"], ["TOOL_RECEIPT"]], "require_all": ["POLICY_SPAN"], "scope": "turn"}
    predicate = {"id": "p", "version": "1", "polarity": "risk", "resolvers": [], "evidence_contract": contract}
    return {"refs": refs, "claims": made, "predicates": [predicate]}


def median(do):
    """Seconds that something takes."""
    taken = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        do()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


def main(claims):
    """Print the table."""
    octets = json.dumps(record(claims)).encode()
    document = loads(octets)
    read = read_record(document)
    contracts, proofs = Contracts(read), Proofs(read)
    rows = {
        "reading the JSON": median(lambda: loads(octets)),
        "reading the record, with its schema": median(lambda: read_record(document)),
        "stored flags": median(lambda: stored_flags(read)),
        "contract checks": median(lambda: [contracts.check(claim) for claim in read.claims]),
        "proof status": median(lambda: [proofs.of(claim) for claim in read.claims]),
    }
    base = rows["reading the JSON"]
    print(f"{claims} claims, {len(octets)} bytes, median of {ROUNDS}")
    for name, seconds in rows.items():
        print(f"{name:<38}{seconds / claims * 1e6:>9.1f} us a claim{seconds / base:>9.2f} x")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "record.json"
        path.write_bytes(json.dumps(record(75_000 * claims // len(octets))).encode())
        empty = median(lambda: subprocess.run([sys.executable, "-c", ""], check=True))
        words = [sys.executable, "-c", "from groundrules.cli import main; main()", "witness", str(path)]
        whole = median(lambda: subprocess.run(words, check=False, stdout=subprocess.DEVNULL))
        print(f"groundrules witness, {path.stat().st_size} bytes: {whole:.3f} s, {whole / empty:.0f} x an empty Python")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
