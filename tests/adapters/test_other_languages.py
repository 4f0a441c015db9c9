"""Go, Rust and Java answer the same vectors, write the same runs again, and agree on random input."""

import json
import os
import subprocess

import mode_runs as runs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from languages import LANGUAGES, command
from random_runs import random_runs

from groundrules import CANONICALISATIONS
from groundrules.conformance.adapter import Adapter, Limits
from groundrules.conformance.builtin import answer
from groundrules.conformance.runner import ask_adapter
from groundrules.conformance.score import Outcome
from groundrules.conformance.vectors import Vector, load
from places import ROOT
from samples import damaged_texts

VECTORS = load().vectors
LIMITS = Limits(seconds=60.0)
RECORD_KINDS = {"witness", "order", "contract-check", "authority", "resolve"}
"""The kinds that concern evaluation records, which Go does not answer."""
BASIC = {"parse", "canonicalise", "evidence", "contract"}


@pytest.fixture(scope="module", params=LANGUAGES)
def adapter(request, tmp_path_factory):
    """A running adapter, with the words that start it and the name of its language."""
    words = command(request.param, tmp_path_factory)
    os.environ["GROUNDRULES_KIT"] = str(ROOT)
    with Adapter(words, LIMITS) as process:
        process.words, process.language = words, request.param
        yield process


@pytest.mark.parametrize("family", sorted({vector.family for vector in VECTORS}))
def test_every_declared_vector_passes(adapter, family):
    """What an adapter declares it answers, to the octet, the code and the place."""
    asked = [vector for vector in VECTORS if vector.family == family]
    results = ask_adapter(adapter.words, asked, limits=LIMITS).results
    red = [f"{found.id}: {found.outcome}: {found.detail}" for found in results if found.outcome is not Outcome.PASS]
    assert [text for text in red if "does not declare the kind" not in text] == []


def test_the_declared_kinds_are_those_that_are_promised(adapter):
    """All four answer the basic kinds; Go answers every kind that concerns a run."""
    kinds = set(adapter.hello.kinds)
    assert kinds >= BASIC
    if adapter.language == "go":
        assert kinds == {vector.kind for vector in VECTORS} - RECORD_KINDS


def test_the_shipped_run_is_written_again(adapter, tmp_path):
    """The program writes the committed run again, octet for octet, wherever it is shipped."""
    subprocess.run([*adapter.words, "make-run", tmp_path], check=True, capture_output=True)
    (name,) = LANGUAGES[adapter.language].runs
    made = {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
    for folder in (ROOT / "vectors" / "run" / name, ROOT / "vectors" / "envelopes" / name):
        shipped = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "vector.json"}
        assert made.items() >= shipped.items()
    assert made.keys() == {path.name for path in (ROOT / "vectors" / "run" / name).iterdir()} - {"vector.json"}


_numbers = iter(range(1, 10**9))


def agree(adapter, kind, inputs):
    if kind not in adapter.hello.kinds:
        return
    vector = Vector("x.x", ROOT, "", "", "", (), kind, inputs, (), {}, {}, "draft", "1.0", None)
    seq = next(_numbers)
    found = adapter.ask(vector, seq)
    assert found.pop("seq") == seq
    assert found == answer(kind, inputs)


@settings(max_examples=700)
@given(damaged_texts(), st.sampled_from(list(CANONICALISATIONS)))
def test_random_texts_have_the_same_answer(adapter, text, name):
    """On damaged and good texts the same octets, or the same stage and code."""
    agree(adapter, "canonicalise", {"document": text, "name": name.encode()})


@settings(max_examples=400)
@given(random_runs(), st.sampled_from([None, "genai"]))
def test_random_runs_have_the_same_verdict(adapter, run, profile):
    """The same contract verdict everywhere; the same linter, gate and run verdicts where they are answered."""
    spans, envelope = run
    inputs = {"spans": json.dumps(runs.to_otlp(spans)).encode(), "envelope": json.dumps(envelope).encode()}
    agree(adapter, "contract", {"envelope": inputs["envelope"]})
    agree(adapter, "lint", inputs | ({"profile": profile.encode()} if profile else {}))
    agree(adapter, "gate", inputs)
    agree(adapter, "run", inputs)
