"""The JavaScript implementation answers the same vectors, and writes the same runs again."""

import base64
import itertools
import json
import shutil
import subprocess

import mode_runs as runs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_records import full_records, random_logs, random_records
from random_runs import random_runs

from groundrules import CANONICALISATIONS, check_sources, lint, loads, read_trace
from groundrules.conformance.builtin import answer
from groundrules.conformance.score import Outcome, score
from groundrules.conformance.vectors import load
from places import ROOT, not_here
from samples import damaged_texts, objects

FOLDER = ROOT / "tests" / "adapters" / "javascript"
NODE = shutil.which("node")
VECTORS = [vector for vector in load().vectors if vector.kind != "resolve"]
"""The resolvers are not in JavaScript."""


@pytest.fixture(scope="module")
def node():
    """The Node.js program; the tests are skipped, loudly, where there is none."""
    if NODE is None:
        not_here("node is not installed, so the JavaScript implementation was not run")
    return NODE


@pytest.fixture(scope="module")
def ask(node):
    """A running adapter: call with kind and inputs, get the answer; ``ask.hello`` is what it said at first."""
    with subprocess.Popen([node, FOLDER / "adapter.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        numbers = itertools.count()

        def exchange(message):
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        def call(kind, inputs):
            seq = next(numbers)
            encoded = {name: base64.b64encode(octets).decode() for name, octets in inputs.items()}
            reply = exchange({"op": "case", "seq": seq, "id": str(seq), "kind": kind, "input": encoded})
            assert reply.pop("seq") == seq
            return reply

        call.hello = exchange({"op": "hello", "protocol": 1})
        yield call
        process.stdin.write(b'{"op":"bye"}\n')
        process.stdin.flush()
        assert process.wait(60) == 0


def test_the_adapter_answers_every_kind_of_vector(ask):
    """What it declares is what the corpus asks, but for the resolvers."""
    assert set(ask.hello["kinds"]) == {vector.kind for vector in VECTORS}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.id)
def test_vector(ask, vector):
    """Each expectation is derived a second time by a program that shares no code with the verifier."""
    result = score(vector, ask(vector.kind, vector.inputs))
    assert result.outcome is Outcome.PASS, result.detail


def agree(ask, kind, inputs):
    assert ask(kind, inputs) == answer(kind, inputs)


@settings(max_examples=3000)
@given(damaged_texts(), st.sampled_from(list(CANONICALISATIONS)))
def test_random_texts_have_the_same_answer(ask, text, name):
    """On damaged and good texts both implementations give the same octets, or the same stage and code."""
    agree(ask, "canonicalise", {"document": text, "name": name.encode()})


@settings(max_examples=1500)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20))
def test_random_doubles_have_the_same_text(ask, doubles):
    """Both write every double alike, in both forms."""
    agree(ask, "canonicalise", {"document": json.dumps(doubles).encode(), "name": b"dd-json-document-v1"})
    within = [double for double in doubles if abs(double) < 2**53]
    agree(ask, "canonicalise", {"document": json.dumps(within).encode(), "name": b"jcs-document-v1"})


_good = {
    "source_id": "a",
    "hash_algorithm": "sha256",
    "canonicalisation": "json-sorted-utf8-v1",
    "content_hash": "0" * 64,
}
_contents = st.dictionaries(
    st.sampled_from(["name", "subjects", "domains", "url"]),
    st.none() | st.text(max_size=3) | st.lists(st.integers() | st.text(max_size=3) | st.floats(0, 9), max_size=3),
)
_items = st.builds(
    lambda changes, content, name: _good | {"content": content, "canonicalisation": name} | changes,
    st.dictionaries(st.sampled_from([*_good, "snapshot_ref", "more"]), st.text(max_size=3), max_size=1),
    _contents | objects,
    st.sampled_from([*CANONICALISATIONS, "unknown-v1"]),
)


@settings(max_examples=1500)
@given(st.lists(_items, max_size=3))
def test_random_evidence_has_the_same_verdict(ask, items):
    """Both judge every evidence item alike: verdict, codes and notes."""
    agree(ask, "evidence", {"envelope": json.dumps({"evidence": items}).encode()})


@settings(max_examples=2000)
@given(random_runs(), st.sampled_from([None, "dd", "genai"]))
def test_random_runs_have_the_same_verdict(ask, run, profile):
    """Both hold every run to the same rules: verdict, mode, codes, notes, and each finding with its place, in order."""
    spans, envelope = run
    inputs = {"spans": json.dumps(runs.to_otlp(spans)).encode(), "envelope": json.dumps(envelope).encode()}
    agree(ask, "lint", inputs | ({"profile": profile.encode()} if profile else {}))
    agree(ask, "contract", {"envelope": inputs["envelope"]})


@settings(max_examples=1500)
@given(random_runs(), st.sampled_from([None, b"{}", b'{"invocation_id": "x"}', b"7"]))
def test_random_runs_are_gated_and_verified_alike(ask, run, request):
    """Both let the same octets leave the gate, and say the same four words of what is stored, finding by finding."""
    spans, envelope = run
    inputs = {"spans": json.dumps(runs.to_otlp(spans)).encode(), "envelope": json.dumps(envelope).encode()}
    agree(ask, "gate", inputs)
    released = answer("gate", inputs)
    stored = inputs | ({"request": request} if request else {})
    agree(ask, "run", stored | verdicts_of(inputs))
    if "canonical_b64" in released:
        stored["envelope"] = base64.b64decode(released["canonical_b64"])
    agree(ask, "run", stored | verdicts_of(inputs))


def verdicts_of(inputs):
    """The stored verdicts on an envelope as it was judged."""
    envelope = loads(inputs["envelope"])
    grounding, sources = lint(read_trace(inputs["spans"]), envelope), check_sources(envelope)
    return {
        "grounding": json.dumps(grounding.as_dict()).encode(),
        "grounding_text": "\n".join(grounding.lines()).encode(),
        "sources": json.dumps(sources.as_dict()).encode(),
        "sources_text": "\n".join(sources.lines()).encode(),
    }


def test_the_shipped_runs_are_written_again(node, tmp_path):
    """The program writes the committed runs again, octet for octet, whole runs and parts of them."""
    subprocess.run([node, FOLDER / "make-runs.mjs", tmp_path], check=True, capture_output=True)
    for made in tmp_path.iterdir():
        files = _files(made)
        assert files == _files(ROOT / "vectors" / "run" / made.name / "good")
        assert files.items() >= _files(ROOT / "vectors" / "envelopes" / made.name).items()
        assert len(files) == (9 if made.name == "javascript-retrieval" else 7)


def _files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "vector.json"}


@settings(max_examples=300)
@given(random_records())
def test_random_records_have_the_same_flags(ask, record):
    """The same flags, witnesses, codes and places."""
    agree(ask, "witness", {"record": json.dumps(record).encode()})


@settings(max_examples=300)
@given(random_logs())
def test_random_logs_are_in_the_same_order(ask, record):
    """The same codes at the same places, told in the same order."""
    agree(ask, "order", {"record": json.dumps(record).encode()})


@settings(max_examples=300)
@given(full_records())
def test_random_records_cite_and_rest_on_the_same(ask, record):
    """The same checks, deciders, proofs, effects and findings."""
    octets = {"record": json.dumps(record).encode()}
    agree(ask, "contract-check", octets)
    agree(ask, "authority", octets)
