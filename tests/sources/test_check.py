"""The source check as a function: what it computes beyond what the vectors hold."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules import (
    NO_COPIES,
    Strictness,
    check_sources,
    content_hash,
    lint,
    load_copies,
    loads,
    read_trace,
)
from groundrules.documents import validate
from groundrules.sources.pin import entry_of
from groundrules.verdict import SourceStatus, Unresolved, sources_head
from places import HANDED, not_here
from samples import values

FACTS = HANDED / "data" / "factcheck-sources.json"
PIN = "1fe1c40533c803ff032b8d42e9c81ca13a926be70c4f7a14a4c2563334b4cf27"


@pytest.fixture
def facts(tmp_path):
    """The public fact-check source under its public pin, and an envelope that cites all four records."""
    if not FACTS.is_file():
        not_here(f"{FACTS.name} is not in the data folder, so the public pin was not checked")
    path = tmp_path / "copies.json"
    entry = {"snapshot_refs": ["facts"], "path": str(FACTS), "id_field": "source_id", "sha256": PIN}
    path.write_text(json.dumps({"sources": [entry]}), encoding="utf-8")
    items = [
        {
            "source_id": record["source_id"],
            "hash_algorithm": "sha256",
            "canonicalisation": "dd-json-document-v1",
            "content_hash": content_hash(record, "dd-json-document-v1"),
            "content": record,
            "snapshot_ref": "facts",
        }
        for record in loads(FACTS.read_bytes())
    ]
    return path, {"grounding_mode": "retrieval", "evidence": items}


def test_the_public_source_loads_under_its_public_pin(facts):
    """A deployment pinned these four records in public; the file loads, and all four are verified."""
    path, envelope = facts
    with load_copies(path) as copies:
        verdict = check_sources(envelope, copies)
    assert verdict.status is SourceStatus.VERIFIED
    assert len(verdict.verified) == 4
    assert verdict.lines() == ["sources: 4 verified"]
    assert entry_of(FACTS, None, ["facts"])["sha256"] == PIN


@pytest.mark.parametrize("number", range(4))
def test_one_changed_character_is_not_verified(facts, number):
    """Whichever record has one character changed, with its hash made anew or not, that record is in violation."""
    path, envelope = facts
    item = envelope["evidence"][number]
    item["content"]["text"] = item["content"]["text"].replace("a", "e", 1)
    with load_copies(path) as copies:
        verdict = check_sources(envelope, copies)
        assert (verdict.status, verdict.codes) == (SourceStatus.FAILED, ("s2.content-differs",))
        item["content_hash"] = content_hash(item["content"], item["canonicalisation"])
        verdict = check_sources(envelope, copies)
    assert (verdict.status, verdict.codes) == (SourceStatus.FAILED, ("s2.hash-differs",))
    assert len(verdict.verified) == 3


@given(values, st.sampled_from([NO_COPIES]))
def test_any_value_has_a_verdict_of_its_schema(value, copies):
    """Whatever an envelope is, there is a verdict; nothing is verified without a copy."""
    for envelope in (value, {"evidence": value}, {"evidence": [value], "grounding_mode": value}):
        verdict = check_sources(envelope, copies)
        assert verdict.status is not SourceStatus.VERIFIED
        assert validate(verdict.as_dict(), "source-verdict") == []


def test_the_profile_only_tightens(listed):
    """Either may ask for more; neither can ask for less."""
    envelope = {
        "evidence": [
            {
                "source_id": "x",
                "hash_algorithm": "sha256",
                "canonicalisation": "dd-json-document-v1",
                "content_hash": "a" * 64,
            }
        ]
    }
    strict, lax = Strictness(require_content=True), Strictness()
    with load_copies(listed(profile={"require_content": True})) as copies:
        for profile in (None, lax, strict):
            assert check_sources(envelope, copies, profile=profile).codes == ("s3.content-missing",)
    assert check_sources(envelope, profile=strict).codes == ("s3.content-missing",)
    assert check_sources(envelope).codes == ()
    assert strict | Strictness(require_resolved=True) == Strictness(require_content=True, require_resolved=True)


def test_the_head_line_names_what_was_not_resolved():
    """The texts of the chapter, foreign text escaped, five named and the others counted."""
    assert str(Unresolved("src:a", "live", "not-listed")) == "src:a (live)"
    assert str(Unresolved("a\nb", None, "no-snapshot-ref")) == "a\\u{a}b (no snapshot)"
    assert str(Unresolved("a", "s", "not-fetched")) == "a (s, not fetched)"
    item = {"hash_algorithm": "sha256", "canonicalisation": "x", "content_hash": "a" * 64}
    envelope = {"evidence": [item | {"source_id": f"i{number}"} for number in range(7)]}
    named = ", ".join(f"i{number} (no snapshot)" for number in range(5))
    assert check_sources(envelope).lines() == [f"sources: 7 unresolved (no independent copy: {named} and 2 more)"]
    assert sources_head("failed", 1, 2, 3) == "sources: FAILED, 1 verified, 2 unresolved, 3 skipped"
    assert sources_head("nothing-to-check", 0, 0, 3) == "sources: nothing to check"
    assert sources_head("unchecked", 0, 0, 0) == "sources: unchecked"


def test_foreign_text_in_a_finding_is_capped():
    """A name of a million characters is told by its length and hash."""
    item = {
        "source_id": "r",
        "hash_algorithm": "sha256",
        "canonicalisation": "n" * 1_000_000,
        "content_hash": "a" * 64,
        "snapshot_ref": "s" * 1_000_000,
    }
    assert len(check_sources({"evidence": [item]}).lines()[0]) < 250


def test_the_linter_and_the_source_check_are_two_checks(facts):
    """A citation that nothing retrieved is verified all the same; each check answers its own question."""
    path, envelope = facts
    spans = read_trace(b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "x"}]}]}]}')
    with load_copies(path) as copies:
        assert check_sources(envelope, copies).status is SourceStatus.VERIFIED
    assert "g3.not-retrieved" in lint(spans, envelope).codes
