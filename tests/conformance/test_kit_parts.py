"""The parts of the kit around the asking: expected failures, choice, sets, one shot, reports, authoring, releases."""

import json
import shutil
import subprocess
from dataclasses import replace

import pytest

from groundrules.conformance import authoring, oneshot, tagged, wrong
from groundrules.conformance.builtin import answer
from groundrules.conformance.choice import chosen
from groundrules.conformance.expected import Expected, apply, read_expected
from groundrules.conformance.lint import lint
from groundrules.conformance.report import build, departures, is_green, merged
from groundrules.conformance.runner import Answered, ask_builtin
from groundrules.conformance.score import Outcome, Result, score
from groundrules.conformance.seal import seal
from groundrules.conformance.serve import serve
from groundrules.conformance.sets import named_set, read_sets
from groundrules.conformance.vectors import load
from groundrules.conformance.wrong import WRONG, described
from groundrules.documents import kit, validate
from groundrules.errors import KitError, UsageError
from places import ROOT

CORPUS = load()
BY_ID = {vector.id: vector for vector in CORPUS.vectors}
SMOKE = [BY_ID[id_] for id_ in named_set(kit().vectors, "smoke").vectors]


# Wrong implementations


def test_the_table_and_the_carriers_are_the_same():
    """Every mistake of the neutral table has a carrier, and the other way round."""
    assert [entry["name"] for entry in described()] == list(WRONG)


@pytest.mark.parametrize("entry", described(), ids=lambda entry: entry["name"])
def test_every_wrong_implementation_is_caught_by_the_vectors_it_names(entry):
    """Each of the named vectors is red for it, and green for the verifier."""
    for id_ in entry["caught_by"]:
        vector = BY_ID[id_]
        assert score(vector, WRONG[entry["name"]](vector.kind, vector.inputs)).outcome is not Outcome.PASS, id_


@pytest.mark.parametrize("name", [name for name in WRONG if name not in ("accept-all", "reject-all")])
def test_a_wrong_implementation_makes_one_mistake(name):
    """Most vectors are green for it, so that a harness that catches it caught that mistake."""
    sample = [vector for vector in CORPUS.vectors[::9] if vector.kind != "numbers"]
    sample += [vector for vector in CORPUS.vectors if vector.kind == "evidence" or ".hash-in-capitals" in vector.id]
    failed = [vector.id for vector in sample if caught(name, vector)]
    assert len(failed) < len(sample) / 6


def test_a_damaged_table_of_mistakes_is_one_error(monkeypatch, tmp_path):
    """The table is held to its schema."""
    (tmp_path / "wrong.json").write_text('{"format": "wrong-implementations/1", "wrong": [{}]}', encoding="utf-8")
    monkeypatch.setattr(wrong, "kit", lambda: type("Kit", (), {"vectors": tmp_path}))
    with pytest.raises(KitError, match=r"kit\.unreadable"):
        described()


def caught(name, vector):
    return score(vector, WRONG[name](vector.kind, vector.inputs)).outcome is not Outcome.PASS


# The verifier as an adapter


def test_the_verifier_serves_as_an_adapter():
    """Messages that keep to the protocol are answered, others are told so, and bye ends it."""
    lines = [
        b'{"op": "hello", "protocol": 1}\n',
        b"no JSON\n",
        b'{"op": "sing"}\n',
        b"[]\n",
        b'{"op": "case", "seq": 1, "id": "1", "kind": "parse", "input": {"document": "e30="}}\n',
        b'{"op": "case", "seq": 2, "id": "2", "kind": "dance", "input": {}}\n',
        b'{"op": "case", "seq": 3, "id": "3", "kind": "parse", "input": {}}\n',
        b'{"op": "bye"}\n',
        b'{"op": "hello", "protocol": 1}\n',
    ]
    answers = [
        json.loads(line)
        for line in serve(lines, "me", lambda kind, inputs: {"verdict": kind + inputs["document"].decode()})
    ]
    assert answers[0]["implementation"]["name"] == "me"
    assert [next(iter(found)) for found in answers[1:4]] == ["error"] * 3
    assert answers[4] == {"seq": 1, "verdict": "parse{}"}
    assert answers[5] == {"seq": 2, "skipped": "it does not answer this kind"}
    assert "document is missing" in answers[6]["error"]["detail"]
    assert len(answers) == 7
    for found in answers:
        assert validate(found, "adapter-answer") == []


# Expected failures

ONE, TWO = Result("a.one", Outcome.FAIL, "x"), Result("a.two", Outcome.PASS)


def test_expected_failures_are_strict_both_ways(tmp_path):
    """A failure that is expected is one; a pass that was not, an entry that matches nothing, are told."""
    path = tmp_path / "xfail.yaml"
    path.write_text(
        "expected_failures:\n"
        "  - {id: a.*, reason: our floats are written by printf, issue: 'https://x.example/1'}\n"
        "  - {id: b.*, reason: there is no such vector}\n",
        encoding="utf-8",
    )
    entries = read_expected(str(path))
    assert entries[0] == Expected("a.*", "our floats are written by printf", "https://x.example/1")
    results, unmet = apply([ONE, TWO, Result("c", Outcome.PASS), Result("a.na", Outcome.NOT_APPLICABLE, "y")], entries)
    assert [result.outcome.value for result in results] == ["xfail", "xpass", "pass", "not-applicable"]
    assert results[0].detail == "fail, as expected: our floats are written by printf"
    assert [entry.pattern for entry in unmet] == ["b.*"]


def test_no_answer_is_no_expected_failure():
    """A crash stays red; every entry that matches is met; by verdict alone a wrong reason is a pass."""
    entries = [Expected("a.*", "our floats are written by printf", ""), Expected("a.b", "the same, told again", "")]
    crash, reason = Result("a.b", Outcome.CRASH, "x"), Result("a.b", Outcome.WRONG_REASON, "x")
    assert apply([crash], entries) == ([crash], [])
    assert [result.outcome for result in apply([reason], entries)[0]] == [Outcome.XFAIL]
    assert [result.outcome for result in apply([reason], entries, by_verdict=True)[0]] == [Outcome.XPASS]


@pytest.mark.parametrize(
    ("name", "text", "detail"),
    [
        ("x.yaml", "expected_failures: [{id: a}]", "the member reason is missing"),
        ("x.yaml", "expected_failures: [{id: a, reason: short}]", "minLength"),
        ("x.yaml", "expected_failures: [", "it is no YAML"),
        ("x.json", "{", "line 1"),
        ("x.json", '{"expected_failure": []}', "expected_failure"),
    ],
)
def test_a_list_of_expected_failures_that_is_none_is_refused(tmp_path, name, text, detail):
    """An entry without a reason is an excuse."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_expected(str(path))
    assert caught.value.code == "usage.expected"
    assert detail in str(caught.value)


# Choice and sets


def test_vectors_are_chosen_by_family_pattern_and_set():
    """Each narrows; a pattern or family that is none is told."""
    some = chosen(CORPUS, families=["gate", "sources"], include=["*.withheld.*", "sources.s1.*"], exclude=["*.both"])
    assert {vector.family for vector in some} == {"gate", "sources"}
    assert "gate.withheld.both" not in {vector.id for vector in some}
    smoke = named_set(kit().vectors, "smoke")
    assert {vector.id for vector in chosen(CORPUS, of_set=smoke)} == set(smoke.vectors)
    with pytest.raises(UsageError, match=r"no id matches \"x\.\*\".*usage\.pattern"):
        chosen(CORPUS, exclude=["x.*"])
    with pytest.raises(UsageError, match=r"usage\.unknown-family"):
        chosen(CORPUS, families=["x"])
    with pytest.raises(UsageError, match=r"use one of 1\.0, smoke"):
        named_set(kit().vectors, "2.0")


@pytest.fixture
def corpus(tmp_path):
    """A small corpus with two sets, sealed."""
    root = tmp_path / "vectors"
    for id_ in ("evidence.content.whole-document", "evidence.content.one-letter-changed", "ijson.depth.arrays-65"):
        shutil.copytree(ROOT.joinpath("vectors", *id_.split(".")), root.joinpath(*id_.split(".")))
    (root / "sets").mkdir()
    both = ["evidence.content.whole-document", "ijson.depth.arrays-65"]
    for name in ("1.0", "few"):
        vectors = [{"id": id_, "sha256": "0" * 64} for id_ in both]
        document = {"format": "vector-set/1", "name": name, "status": "draft", "vectors": vectors}
        (root / "sets" / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    seal(root)
    return root


def edit(path, **members):
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(document | members, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def problems(root):
    return [str(problem) for problem in lint(load(root), root, set())]


def test_draft_sets_follow_and_released_ones_do_not(corpus):
    """Sealing brings draft sets up to date; a released set is only compared."""
    sets = {found.name: found for found in read_sets(corpus)}
    assert len(sets["1.0"].vectors) == 3
    assert list(sets["few"].vectors) == ["evidence.content.whole-document", "ijson.depth.arrays-65"]
    edit(corpus / "sets" / "1.0.json", status="released")
    path = corpus / "ijson/depth/arrays-65/vector.json"
    edit(path, title="sixty-five arrays in one another")
    seal(corpus)
    assert any(
        "set 1.0: its ijson.depth.arrays-65 is not the vector that is there" in text for text in problems(corpus)
    )
    edit(path, status="withdrawn")
    seal(corpus)
    told = problems(corpus)
    assert not any("set 1.0" in text for text in told)
    assert any("it is withdrawn and ERRATA.md does not say why" in text for text in told)
    (corpus / "ERRATA.md").write_text("- `ijson.depth.arrays-65`: wrong\n", encoding="utf-8")
    assert not any("ERRATA" in text for text in problems(corpus))
    shutil.rmtree(path.parent)
    (corpus / "MANIFEST.json").unlink()
    seal(corpus)
    assert any("set 1.0: it names ijson.depth.arrays-65, which is not there" in text for text in problems(corpus))


def test_a_damaged_set_is_one_error(corpus):
    """A set that is not of its schema, or under another name than its file."""
    edit(corpus / "sets" / "few.json", status="old")
    with pytest.raises(KitError, match=r"few\.json.*kit\.unreadable"):
        read_sets(corpus)
    edit(corpus / "sets" / "few.json", status="draft", name="many")
    with pytest.raises(KitError, match="another name than its file"):
        read_sets(corpus)
    with pytest.raises(UsageError, match="name a folder that has sets"):
        named_set(corpus / "ijson", "1.0")


# Releases


def git(folder, *words):
    config = [
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@x.example",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "tag.gpgsign=false",
    ]
    subprocess.run(["git", *config, *words], cwd=folder, check=True, capture_output=True)


def test_stable_vectors_are_held_to_the_last_tag(corpus):
    """What was stable at the last release is the same, or withdrawn; removing the manifest hides nothing."""
    path = corpus / "ijson/depth/arrays-65/vector.json"
    edit(path, status="stable")
    seal(corpus)
    assert list(tagged.changed_since_tag(load(corpus), corpus)) == []
    git(corpus, "init")
    git(corpus, "add", ".")
    git(corpus, "commit", "-m", "x")
    assert list(tagged.changed_since_tag(load(corpus), corpus)) == []
    git(corpus, "tag", "v1.0")
    assert list(tagged.changed_since_tag(load(corpus), corpus)) == []
    edit(path, title="sixty-five arrays in one another")
    (corpus / "MANIFEST.json").unlink()
    seal(corpus)
    (told,) = tagged.changed_since_tag(load(corpus), corpus)
    assert told == (
        "ijson.depth.arrays-65",
        "it was stable in v1.0 and differs: restore it, withdraw it, and add a new one",
    )
    edit(path, status="withdrawn")
    assert list(tagged.changed_since_tag(load(corpus), corpus)) == []
    shutil.rmtree(path.parent)
    assert "is not there" in next(tagged.changed_since_tag(load(corpus), corpus))[1]


def test_a_tag_without_a_readable_manifest_holds_nothing(corpus, monkeypatch):
    """A manifest that is not there, or none, and a machine without git."""
    git(corpus, "init")
    (corpus / "MANIFEST.json").write_bytes(b"{")
    git(corpus, "add", ".")
    git(corpus, "commit", "-m", "x")
    git(corpus, "tag", "v1.0")
    assert list(tagged.changed_since_tag(load(corpus), corpus)) == []
    git(corpus, "rm", "-f", "MANIFEST.json")
    git(corpus, "commit", "-m", "y")
    git(corpus, "tag", "v1.1")
    assert list(tagged.changed_since_tag(load(corpus), corpus)) == []
    monkeypatch.setenv("PATH", "")
    assert list(tagged.changed_since_tag(load(corpus), corpus)) == []


# Authoring


def test_a_vector_begins_as_what_is_to_be_written(corpus):
    """A new vector names its inputs and what is missing; it is not sealed before that is written."""
    folder = authoring.begin(corpus, "canon.new.first", "canonicalise")
    document = json.loads((folder / "vector.json").read_text(encoding="utf-8"))
    assert (document["id"], list(document["input"])) == ("canon.new.first", ["document", "name"])
    with pytest.raises(KitError):
        seal(corpus)
    for id_, kind, code in (
        ("canon.new.first", "parse", "vector-exists"),
        ("Canon", "parse", "vector-id"),
        ("canon.x", "dance", "unknown-kind"),
        ("canon..x", "parse", "vector-id"),
    ):
        with pytest.raises(UsageError, match=code):
            authoring.begin(corpus, id_, kind)
    (corpus / "canon" / "file").write_bytes(b"")
    with pytest.raises(UsageError, match=r"usage\.unwritable"):
        authoring.begin(corpus, "canon.file.first", "parse")


def test_formatting_changes_the_form_alone(corpus):
    """White space and escapes are brought into form; what is no JSON stops it before anything is written."""
    path = corpus / "ijson/depth/arrays-65/vector.json"
    good = path.read_bytes()
    path.write_text(json.dumps(json.loads(good)), encoding="utf-8")
    assert authoring.bring_into_form(corpus) == [path]
    assert path.read_bytes() == good
    assert authoring.bring_into_form(corpus) == []
    other = corpus / "evidence/content/whole-document/vector.json"
    path.write_text(json.dumps(json.loads(good)), encoding="utf-8")
    other.write_bytes(b"{")
    with pytest.raises(KitError, match=r"whole-document, line 1.*kit\.vector"):
        authoring.bring_into_form(corpus)
    assert path.read_bytes() != good


# One shot


def answers(vectors, *, reverse=False):
    """What an adapter without a loop gives back."""
    lines = oneshot.pack(vectors).splitlines(keepends=True)
    hello, *rest = serve(lines, "shot", answer)
    return hello + b"".join(reversed(rest) if reverse else rest)


def test_one_shot_scores_what_a_loop_would():
    """In whatever order the answers come; what is not answered is an error."""
    expected = ask_builtin(SMOKE).results
    assert oneshot.score_results(answers(SMOKE), SMOKE).results == expected
    assert oneshot.score_results(answers(SMOKE, reverse=True), SMOKE).results == expected
    cut = answers(SMOKE).splitlines(keepends=True)
    windows = b"\r\n".join(line.rstrip(b"\n") for line in cut) + b"\r\n\r\n"
    assert oneshot.score_results(windows, SMOKE).results == expected
    missing = oneshot.score_results(b"".join(cut[:-1]), SMOKE).results
    assert (missing[-1].outcome, missing[-1].detail) == (Outcome.ERROR, "there is no answer to it")


def test_an_error_that_is_reported_is_the_result_of_its_vector():
    """In one shot as in a loop, what an implementation could not do is one red line, and the others keep theirs."""
    cut = answers(SMOKE).splitlines(keepends=True)
    last = json.dumps({"seq": len(SMOKE), "error": {"code": "x", "detail": "out of paper"}}).encode()
    results = oneshot.score_results(b"".join(cut[:-1]) + last, SMOKE).results
    assert results[:-1] == ask_builtin(SMOKE).results[:-1]
    assert (results[-1].outcome, "out of paper" in results[-1].detail) == (Outcome.ERROR, True)


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        (lambda text: b"\n" + text, "line 1: it is no JSON text"),
        (lambda text: text + text.splitlines(keepends=True)[1], "is answered twice"),
        (lambda text: text + b'{"seq": 99, "verdict": "pass"}\n', "it answers no question of the pack"),
        (lambda text: text + b'{"seq": 1.0, "verdict": "pass"}\n', "it answers no question of the pack"),
        (lambda text: text + b"x\n", "it is no JSON text"),
        (lambda text: text.splitlines(keepends=True)[1], "an answer came where a hello was asked for"),
    ],
)
def test_results_that_are_none_are_refused(change, detail):
    """One line, with the number of the line that is wrong."""
    with pytest.raises(UsageError) as caught:
        oneshot.score_results(change(answers(SMOKE)), SMOKE)
    assert caught.value.code == "usage.results"
    assert detail in str(caught.value)


# Reports


@pytest.fixture
def report():
    """A report of two implementations over the smoke set."""
    results = tuple(ONE_RED if found.id == ONE_RED.id else found for found in ask_builtin(SMOKE).results)
    other = replace(ask_builtin(SMOKE), implementation={"name": "other", "version": "1"}, results=results)
    return build([ask_builtin(SMOKE), other], SMOKE, CORPUS, "smoke")


REFUSED = [vector for vector in SMOKE if vector.is_negative][-1]
ONE_RED = Result(REFUSED.id, Outcome.WRONG_REASON, "codes: expected a, came b")
OUTSIDE = next(vector for vector in CORPUS.vectors if vector not in SMOKE)
ACCEPTED = next(vector for vector in SMOKE if not vector.is_negative)
POSITIVE = {"id": ACCEPTED.id, "sha256": ACCEPTED.sha256, "result": "wrong-reason", "detail": "x"}
MEMBERS = {found.name: found.vectors for found in read_sets(kit().vectors)}


def test_a_report_is_of_its_schema_and_holds(report):
    """It says the same each time, names both strengths, and is held to the corpus it is of."""
    assert validate(report, "conformance-report") == []
    assert list(departures(report, CORPUS, MEMBERS)) == []
    assert report["implementations"][1]["strengths"] == {"verdict": len(SMOKE), "reasons": len(SMOKE) - 1}
    part = build([ask_builtin(CORPUS.vectors[:3])], CORPUS.vectors[:3], CORPUS, None)
    assert list(departures(part, CORPUS, MEMBERS)) == [
        f"groundrules: {len(CORPUS.vectors) - 3} vectors that were to be asked are not in it"
    ]
    assert list(departures(part | {"partial": True}, CORPUS, MEMBERS)) == []


def red(document):
    return next(entry for entry in document["implementations"][1]["results"] if entry["id"] == REFUSED.id)


def spoiled(report, change):
    document = json.loads(json.dumps(report))
    change(document)
    return list(departures(document, CORPUS, MEMBERS))


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        (lambda doc: doc.update(corpus="0" * 64), "it is of the corpus"),
        (lambda doc: doc.update(set="9.9"), "it names the set 9.9"),
        (lambda doc: doc.update(asked=3), "the results are not 3 vectors"),
        (lambda doc: doc["implementations"][0]["results"].reverse(), "each once and sorted by id"),
        (
            lambda doc: doc["implementations"][0]["results"][0].update(sha256="0" * 64),
            "is not the vector of this corpus",
        ),
        (lambda doc: red(doc).update(result="pass"), "has a detail and is a pass"),
        (lambda doc: red(doc).pop("detail"), "or neither"),
        (lambda doc: doc["implementations"][1]["counts"].update({"pass": 99}), "its counts are not"),
        (lambda doc: doc["implementations"][1]["strengths"].update({"verdict": 99}), "its strengths are not"),
        (lambda doc: doc.update(set="1.0", asked=1), "the results are not 1 vectors"),
        (
            lambda doc: doc["implementations"][0]["results"][0].update(id="none.such"),
            "is not the vector of this corpus",
        ),
        (
            lambda doc: doc["implementations"][0]["results"][0].update(id=OUTSIDE.id, sha256=OUTSIDE.sha256),
            "is not in the set",
        ),
        (lambda doc: doc["does_not_claim"].pop(), "does not say what this kit says"),
        (lambda doc: doc["implementations"].append(doc["implementations"][0]), "stands in it twice"),
        (lambda doc: doc["implementations"][0].update(kinds=[]), "does not fit the kinds"),
        (lambda doc: doc["implementations"][0]["results"][0].update(result="not-applicable"), "does not fit the kinds"),
        (lambda doc: doc["implementations"][0]["results"][0].update(POSITIVE), "is no refusal"),
        (lambda doc: doc.pop("kit"), "the member kit is missing"),
        (lambda doc: doc.update(damaged=[{"code": "kit.vector", "detail": "x"}]), "it tells of a damaged corpus"),
        (lambda doc: doc.update(unmatched=["a.*"]), "it tells of expected failures without a vector"),
    ],
)
def test_an_edited_report_does_not_hold(report, change, detail):
    """Whatever was changed in it, somebody who has the vectors sees it."""
    assert any(detail in fault for fault in spoiled(report, change))


def test_what_is_no_report_does_not_hold():
    """Any JSON value has an answer."""
    assert list(departures([], CORPUS, MEMBERS)) == ["at its top: it is not of type object"]


def test_reports_of_one_corpus_are_merged(report):
    """Their implementations stand side by side; reports of different questions do not."""
    assert len(merged([report, report])["implementations"]) == 4
    with pytest.raises(UsageError, match="of different corpora, sets, vectors or strengths"):
        merged([report, report | {"set": None}])


def test_green_is_by_strength():
    """A refusal for the wrong reason is green by verdict alone."""
    answered = Answered({"name": "x", "version": "1"}, (), (), (TWO, ONE_RED))
    assert (is_green(answered, by_verdict=True), is_green(answered, by_verdict=False)) == (True, False)
    assert not is_green(Answered({"name": "x", "version": "1"}, (), (), (ONE,)), by_verdict=True)
