"""Where the kit's documents are found, and validation against their schemas."""

import dataclasses
import json
import re

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from groundrules import KitError, UsageError, documents
from groundrules.catalogue import catalogue
from places import ROOT
from samples import values

SCHEMAS = sorted(documents.kit().schemas.glob("*.json"))
_OF_SEVERAL_FORMS = ("adapter-request", "agent-message", "host-message")
_FAMILIES = "contracts|read|canon|note|schema|config|usage|kit|request|agent|retrieve|delegate|store"


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)
def test_every_schema_is_a_schema(path):
    """Each file is valid draft 2020-12, closed at its top, and has the address that belongs to its name."""
    schema = json.loads(path.read_text())
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"https://w3id.org/groundrules/schemas/{path.name}"
    alternatives = schema["oneOf"] if path.stem in _OF_SEVERAL_FORMS else [schema]
    is_open = path.stem in ("envelope", "adapter-answer")
    assert all(part.get("additionalProperties", True) is is_open for part in alternatives)
    assert path.stem in documents.kinds()


@settings(max_examples=100)
@given(values)
def test_any_value_is_answered(value):
    """Every value has findings or none, in every kind, and each finding is one line."""
    for kind in documents.kinds():
        for finding in documents.validate(value, kind):
            assert finding.detail.isprintable()


def test_findings_come_in_document_order_and_all_at_once():
    """Two offences are two findings, the one that stands first in the document first."""
    item = {
        "content_hash": "A" * 64,
        "source_id": 7,
        "extra\n": 1,
        "hash_algorithm": "md5",
        "canonicalisation": "x",
    }
    assert [(finding.pointer, finding.detail) for finding in documents.validate(item, "evidence-item")] == [
        ("", 'the member "extra\\u{a}" is not known here'),
        ("/content_hash", "it does not satisfy pattern ^[0-9a-f]{64}$"),
        ("/source_id", "it is not of type string"),
        ("/hash_algorithm", "it is not sha256"),
    ]


def test_a_finding_names_a_few_unknown_members_and_counts_the_rest():
    """However many members nobody knows, the finding stays one short line."""
    details = [
        finding.detail for finding in documents.validate({str(n): 1 for n in range(1000)}, "grounding-reference")
    ]
    assert 'the member "0", "1", "2", "3", "4" and 995 more is not known here' in details


def test_each_missing_member_is_a_finding():
    """An empty item lacks four members and says so four times."""
    details = [finding.detail for finding in documents.validate({}, "evidence-item")]
    assert details == [
        f"the member {name} is missing" for name in ("source_id", "hash_algorithm", "canonicalisation", "content_hash")
    ]


def test_places_inside_lists_are_named():
    """A finding in the second entry of a list points there, and a value outside an enumeration is told."""
    entry = {"id": "a.b", "sha256": "0" * 64, "status": "draft", "since": "1.0"}
    document = {"format": "vector-manifest/1", "corpus": "0" * 64, "vectors": [entry, entry | {"status": "old"}]}
    found = documents.validate(document, "manifest")
    assert [(finding.pointer, finding.detail) for finding in found] == [
        ("/vectors/1/status", "it is none of draft, stable, withdrawn")
    ]
    vector = {"kind": "parse", "requires": []}
    told = {finding.pointer: finding.detail for finding in documents.validate(vector, "vector")}
    assert told["/requires"] == "it does not satisfy minItems 1"
    vector = {"kind": "parse", "input": {"document": {"b64": "!"}}}
    told = {finding.pointer: finding.detail for finding in documents.validate(vector, "vector")}
    assert told["/input/document"] == "it does not satisfy oneOf"


def test_a_digest_ends_where_it_ends():
    """A line feed behind 64 digits is no digest, though a dollar sign matches before it in Python."""
    for schema in ("evidence-item", "grounding-reference"):
        reference = {"source_id": "a", "content_hash": "0" * 64 + "\n"}
        pointers = [finding.pointer for finding in documents.validate(reference, schema)]
        assert "/content_hash" in pointers


def test_repeated_items_are_found_in_linear_time():
    """Items that cannot be sorted are compared by their text: a list of many objects is no way to stall a command."""
    requires = [{"a": number} for number in range(3000)]
    pointers = {finding.pointer: finding.detail for finding in documents.validate({"requires": requires}, "vector")}
    assert "/requires" not in pointers
    assert documents.validate({"requires": "a.b"}, "vector")
    pointers = {
        finding.pointer: finding.detail for finding in documents.validate({"requires": ["a.b", "a.b"]}, "vector")
    }
    assert pointers["/requires"] == "it does not satisfy uniqueItems True"


def test_an_unknown_kind_lists_the_known_ones():
    """The error says which kinds there are."""
    with pytest.raises(UsageError, match="grounding-reference"):
        documents.validate({}, "letter")


def test_the_catalogue_is_valid_and_free_of_repetition():
    """rules.json satisfies its schema, every code once, and every code's rule exists."""
    document = documents.read_kit_json(documents.kit().catalogue)
    assert documents.validate(document, "rule-catalogue") == []
    codes = [entry.code for entry in catalogue().codes]
    assert len(codes) == len(set(codes))
    assert {entry.rule for entry in catalogue().codes} - {None} <= {rule.id for rule in catalogue().rules}
    assert catalogue().code("read.syntax").stage == "parse"
    assert catalogue().code("no.such") is None


def test_every_code_in_the_package_is_in_the_catalogue():
    """No module raises or reports a code that the inventory does not hold."""
    pattern = re.compile(rf'"((?:{_FAMILIES}|[a-z][0-9]{{1,2}})\.(?!json")[a-z][a-z0-9-]*)"')
    package = (ROOT / "python" / "groundrules").rglob("*.py")
    used = {code for path in package for code in pattern.findall(path.read_text(encoding="utf-8"))}
    assert used == {entry.code for entry in catalogue().codes}


def test_every_code_and_rule_stands_in_a_chapter():
    """What the inventory holds, a reader finds: each code in a chapter's table, each rule in that of coverage."""
    chapters = documents.kit().chapters
    if chapters is None:
        pytest.skip("needs the chapters")
    texts = {path.name: path.read_text(encoding="utf-8") for path in chapters.glob("*.md")}
    coverage = texts.pop("coverage.md")
    told = "\n".join(texts.values())
    assert [entry.code for entry in catalogue().codes if f"| `{entry.code}` |" not in told] == []
    assert [rule.id for rule in catalogue().rules if f"**{rule.id}** {rule.title}" not in coverage] == []


def test_a_kit_that_is_not_there_is_one_error(monkeypatch, tmp_path):
    """Where neither a checkout nor an installed kit is found, the error says to install again."""
    monkeypatch.setattr(documents, "_INSTALLED", tmp_path)
    monkeypatch.setattr(documents, "_CHECKOUT", tmp_path)
    with pytest.raises(KitError, match="install groundrules again"):
        documents.kit()


def test_a_damaged_catalogue_is_one_error(monkeypatch, tmp_path):
    """The catalogue is held to its schema before anything relies on it."""
    damaged = dataclasses.replace(documents.kit(), catalogue=tmp_path / "rules.json")
    (tmp_path / "rules.json").write_text('{"format": "rule-catalogue/1"}')
    monkeypatch.setattr("groundrules.catalogue.kit", lambda: damaged)
    catalogue.cache_clear()
    with pytest.raises(KitError, match="is missing"):
        catalogue()
    monkeypatch.undo()
    catalogue.cache_clear()
    assert catalogue().rules
