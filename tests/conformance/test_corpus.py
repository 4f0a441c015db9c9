"""The corpus as a whole: linted, sealed, complete against the catalogue and the chapters."""

import shutil

import pytest

from groundrules import KitError, loads
from groundrules.conformance import lint as checks
from groundrules.conformance.seal import MANIFEST, formatted, manifest_of, seal, sealed_manifest
from groundrules.conformance.vectors import FILE, load
from groundrules.requirements import anchors
from places import ROOT

CHAPTERS = ROOT / "spec"
in_a_checkout = pytest.mark.skipif(not (CHAPTERS / "index.md").is_file(), reason="needs the chapters")


@pytest.fixture
def corpus(tmp_path):
    """A small corpus of our own vectors, free to be spoiled: a positive one and its negative twin."""
    root = tmp_path / "vectors"
    for family in ("evidence",):
        (root / family).mkdir(parents=True)
        shutil.copy(ROOT / "vectors" / family / "README.md", root / family)
    for slug in ("content/whole-document", "content/one-letter-changed"):
        shutil.copytree(ROOT / "vectors" / "evidence" / slug, root / "evidence" / slug)
    seal(root)
    return root


def problems(root):
    """What linting says of the vectors, without what it says of a corpus that is too small to cover everything."""
    found = checks.lint(load(root), root, anchors(CHAPTERS))
    return [problem.detail for problem in found if "no vector" not in problem.detail]


def edit(root, slug, **changes):
    path = root / slug / FILE
    document = loads(path.read_bytes())
    path.write_bytes(formatted(document | changes))
    return document


@in_a_checkout
def test_our_own_vectors_pass_the_lint():
    """Nothing keeps the shipped corpus from being shipped."""
    assert checks.lint(load(), ROOT / "vectors", anchors(CHAPTERS)) == []


def test_the_manifest_is_the_one_sealing_writes():
    """The shipped manifest lists the shipped vectors, octet for octet."""
    assert (ROOT / "vectors" / MANIFEST).read_bytes() == formatted(manifest_of(load()))
    assert sealed_manifest(ROOT / "vectors")["corpus"] == load().digest


@in_a_checkout
def test_a_good_small_corpus_has_no_problems(corpus):
    """The copy that the other tests spoil is good to begin with."""
    assert problems(corpus) == []


SPOILED = [
    ({"title": "content that must hash"}, "says 'must'"),
    ({"requires": ["evidence.nowhere"]}, "which no chapter states"),
    ({"twin": "evidence.content.nowhere"}, "names no twin that exists"),
    ({"twin": "evidence.content.one-letter-changed"}, "is not a positive vector of the same kind"),
]


@in_a_checkout
@pytest.mark.parametrize(("changes", "detail"), SPOILED, ids=[detail for _, detail in SPOILED])
def test_a_spoiled_member_is_a_problem(corpus, changes, detail):
    """Each rule of authoring is broken once and says so."""
    edit(corpus, "evidence/content/one-letter-changed", **changes)
    assert any(detail in found for found in problems(corpus))


@in_a_checkout
def test_an_expected_code_exists_and_has_its_stage(corpus):
    """A code outside the catalogue, or at another stage, is a problem."""
    slug = "evidence/content/one-letter-changed"
    before = edit(
        corpus, slug, expect={"verdict": "fail", "stage": "parse", "codes": ["e1.nonsense", "e1.hash-mismatch"]}
    )
    found = problems(corpus)
    assert any("e1.nonsense, which is not in the catalogue" in detail for detail in found)
    assert any("e1.hash-mismatch at another stage" in detail for detail in found)
    edit(
        corpus,
        slug,
        expect=before["expect"],
        input=loads((corpus / "evidence/content/whole-document" / FILE).read_bytes())["input"],
    )
    assert any("has the same input" in detail for detail in problems(corpus))


@in_a_checkout
def test_stray_files_formatting_and_missing_readmes_are_problems(corpus):
    """A file that no input names, another formatting, a family without a README, a manifest out of date."""
    (corpus / "evidence/content/whole-document/notes.txt").write_text("x")
    (corpus / "evidence/README.md").unlink()
    path = corpus / "evidence/content/one-letter-changed" / FILE
    path.write_bytes(path.read_bytes() + b"\n")
    found = " | ".join(problems(corpus))
    for detail in ("notes.txt belongs to no input", "has no README", "not formatted as sealing", "does not list these"):
        assert detail in found


@in_a_checkout
def test_two_vectors_with_one_why_are_a_problem(corpus):
    """A why that stands twice says nothing the neighbour does not."""
    why = loads((corpus / "evidence/content/whole-document" / FILE).read_bytes())["why"]
    edit(corpus, "evidence/content/one-letter-changed", why=why)
    assert any("its why is the one of" in detail for detail in problems(corpus))


@in_a_checkout
def test_an_expectation_that_contradicts_itself_is_a_problem(tmp_path):
    """The length, the octets and the digest of a canonical expectation belong together."""
    root = tmp_path / "vectors"
    shutil.copytree(ROOT / "vectors/canon/pyjson/names/empty-name", root / "canon/pyjson/names/empty-name")
    slug = "canon/pyjson/names/empty-name"
    expect = loads((root / slug / FILE).read_bytes())["expect"]
    edit(root, slug, expect=expect | {"canonical_length": 99, "digest": "0" * 64})
    found = " | ".join(problems(root))
    assert "canonical_length is not the length" in found
    assert "digest is not the SHA-256" in found


@in_a_checkout
def test_what_no_vector_tests_is_a_problem(corpus):
    """Requirements and codes without a vector are told, unless the catalogue excludes them with a reason."""
    found = checks.lint(load(corpus), corpus, [*anchors(CHAPTERS), "json.invented"])
    places = {problem.where.file for problem in found if "no vector" in problem.detail}
    assert {"json.invented", "read.too-deep", "canon.py-floats"} <= places
    assert "json.document-limit" not in places
    assert "read.document-too-large" not in places
    unstated = checks.lint(load(corpus), corpus, ["json.grammar"])
    assert any("is stated in no chapter" in problem.detail for problem in unstated)


@pytest.mark.parametrize(
    ("octets", "detail"),
    [
        (b"", "empty or only white space"),
        (b"[]", "not of type object"),
        (b'{"id": "evidence.content.whole-document"}', "is missing"),
        (b'{"a":1,"a":2}', "stands twice"),
    ],
)
def test_a_damaged_vector_is_one_error_and_the_others_are_read(corpus, octets, detail):
    """Damage names its folder and does not take the neighbours with it."""
    (corpus / "evidence/content/whole-document" / FILE).write_bytes(octets)
    found = load(corpus)
    assert [vector.id for vector in found.vectors] == ["evidence.content.one-letter-changed"]
    assert len(found.damaged) == 1
    assert detail in str(found.damaged[0])
    assert "whole-document" in str(found.damaged[0])
    with pytest.raises(KitError):
        seal(corpus)


def test_a_moved_vector_and_an_altered_payload_are_damage(tmp_path):
    """The id is the path, and a payload is the one that was pinned."""
    root = tmp_path / "vectors"
    shutil.copytree(ROOT / "vectors/envelopes/javascript-retrieval", root / "envelopes/moved")
    assert "its path makes its id envelopes.moved" in str(load(root).damaged[0])
    shutil.move(root / "envelopes/moved", root / "envelopes/javascript-retrieval")
    assert load(root).damaged == ()
    path = root / "envelopes/javascript-retrieval/spans.jsonl"
    path.write_bytes(path.read_bytes() + b"\n")
    assert "spans.jsonl is not the one pinned" in str(load(root).damaged[0])
    seal(root)
    assert load(root).damaged == ()


def test_sealing_never_changes_a_stable_vector(corpus):
    """A stable vector that was edited or removed stops the sealing before anything is written."""
    slug = "evidence/content/whole-document"
    edit(corpus, slug, status="stable")
    seal(corpus)
    manifest = (corpus / MANIFEST).read_bytes()
    document = edit(corpus, slug, title="an edited title")
    with pytest.raises(KitError) as caught:
        seal(corpus)
    assert caught.value.code == "kit.stable-changed"
    assert (corpus / MANIFEST).read_bytes() == manifest
    edit(corpus, slug, title=document["title"])
    seal(corpus)
    shutil.rmtree(corpus / slug)
    with pytest.raises(KitError):
        seal(corpus)


def test_a_stable_vector_can_be_withdrawn_and_nothing_else(corpus):
    """Withdrawing changes the status alone; a withdrawn vector stays, so that its id stays reserved."""
    slug = "evidence/content/whole-document"
    edit(corpus, slug, status="stable")
    seal(corpus)
    document = edit(corpus, slug, status="withdrawn", title="and edited on the way out")
    with pytest.raises(KitError):
        seal(corpus)
    edit(corpus, slug, title=document["title"])
    seal(corpus)
    edit(corpus, slug, status="stable")
    with pytest.raises(KitError):
        seal(corpus)
    edit(corpus, slug, status="withdrawn")
    seal(corpus)
    shutil.rmtree(corpus / slug)
    with pytest.raises(KitError, match="withdrawn"):
        seal(corpus)


def test_what_is_damaged_while_sealing_is_not_listed(corpus, monkeypatch):
    """A vector that another process breaks between the check and the manifest stops the sealing."""
    broken = KitError("kit.vector", "broken meanwhile")
    monkeypatch.setattr("groundrules.conformance.seal.load", lambda root: type(load(root))((), (broken,)))
    with pytest.raises(KitError, match="broken meanwhile"):
        seal(corpus)


def test_a_dot_in_a_path_is_refused(corpus):
    """Two paths would make one id."""
    shutil.copytree(corpus / "evidence/content", corpus / "evidence.content")
    assert all("holds a dot" in str(error) for error in load(corpus).damaged)
    assert len(load(corpus).damaged) == 2
    with pytest.raises(KitError, match="holds a dot"):
        seal(corpus)


def test_a_payload_is_a_file_of_its_own(tmp_path, monkeypatch):
    """The vector itself, a link and a file beyond any limit are no payloads, and nothing is written for them."""
    root = tmp_path / "vectors"
    shutil.copytree(ROOT / "vectors/envelopes/javascript-retrieval", root / "envelopes/javascript-retrieval")
    folder = root / "envelopes/javascript-retrieval"
    octets = (folder / FILE).read_bytes()
    (folder / FILE).write_bytes(octets.replace(b'"spans.jsonl"', b'"vector.json"'))
    with pytest.raises(KitError, match="is no payload"):
        seal(root)
    (folder / FILE).write_bytes(octets)
    (folder / "spans.jsonl").unlink()
    (folder / "spans.jsonl").symlink_to(ROOT / "LICENSE")
    assert "is no payload" in str(load(root).damaged[0])
    (folder / "spans.jsonl").unlink()
    (folder / "spans.jsonl").write_bytes(b"x" * 200_000)
    monkeypatch.setattr("groundrules.conformance.vectors._LARGEST_PAYLOAD", 100_000)
    assert "has more than 100000 bytes" in str(load(root).damaged[0])


def test_base64_is_written_one_way(tmp_path):
    """Octets in a spelling that an encoder would not write are a problem: strict decoders refuse it."""
    root = tmp_path / "vectors"
    slug = "canon/names/known-name"
    shutil.copytree(ROOT / "vectors" / slug, root / slug)
    expect = loads((root / slug / FILE).read_bytes())["expect"]
    assert expect["canonical_b64"] == "e30="
    other = expect["canonical_b64"].rstrip("=")
    changed = other[:-1] + chr(ord(other[-1]) + 1) + "=" * (len(expect["canonical_b64"]) - len(other))
    edit(root, slug, expect=expect | {"canonical_b64": changed})
    assert any("as base64 encoders write it" in detail for detail in problems(root))


def test_a_stray_folder_does_not_pass_for_a_vector(corpus):
    """A vector copied to another path keeps its old id, which sealing tells before it writes the manifest."""
    manifest = (corpus / MANIFEST).read_bytes()
    shutil.copytree(corpus / "evidence/content/whole-document", corpus / "evidence/copied")
    with pytest.raises(KitError, match=r"its path makes its id evidence\.copied"):
        seal(corpus)
    assert (corpus / MANIFEST).read_bytes() == manifest


def test_sealing_twice_changes_nothing(corpus):
    """Sealed files are a fixed point."""
    before = {path: path.read_bytes() for path in corpus.rglob("*") if path.is_file()}
    seal(corpus)
    assert {path: path.read_bytes() for path in corpus.rglob("*") if path.is_file()} == before


def test_a_manifest_that_cannot_be_read_is_a_kit_error(corpus):
    """Sealing does not guess what was stable."""
    for octets in (b"{", b"[]", b'{"format": "vector-manifest/1"}'):
        (corpus / MANIFEST).write_bytes(octets)
        with pytest.raises(KitError):
            seal(corpus)


def test_requirement_anchors_are_consistent(tmp_path):
    """An anchor whose spellings differ, or that stands twice, is a mistake in the chapter."""
    chapter = tmp_path / "c.md"
    chapter.write_text("[a.b](#a.b){#a.b} x\n[a.c](#a.c){#a.c}\n")
    assert anchors(tmp_path) == {"a.b": "c.md", "a.c": "c.md"}
    for text in ("[a.b](#a.c){#a.b}", "[a.b](#a.b){#a.b} [a.b](#a.b){#a.b}"):
        chapter.write_text(text)
        with pytest.raises(KitError):
            anchors(tmp_path)
