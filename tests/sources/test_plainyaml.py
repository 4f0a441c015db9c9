"""YAML as another spelling of JSON, and nothing beyond."""

import contextlib
import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from groundrules.errors import ConfigurationError
from groundrules.sources.plainyaml import LARGEST, read_yaml

LIST = """\
# the deployment's copies
sources:
  - snapshot_refs: ["snapshot:2026-09-04", 'snapshot:latest']
    path: snapshot.jsonl
    id_field: fairsharing_id
    sha256: "9696"
    bytes: 194213
profile: {require_content: true, require_resolved: no, more: ~}
"""


def test_a_list_reads_as_the_json_it_spells():
    """Strings, plain integers, booleans and null, in block and flow style."""
    assert read_yaml(LIST.encode()) == {
        "sources": [
            {
                "snapshot_refs": ["snapshot:2026-09-04", "snapshot:latest"],
                "path": "snapshot.jsonl",
                "id_field": "fairsharing_id",
                "sha256": "9696",
                "bytes": 194213,
            }
        ],
        "profile": {"require_content": True, "require_resolved": False, "more": None},
    }


@pytest.mark.parametrize(
    ("text", "line", "detail"),
    [
        ("a: 2026-09-04", 1, 'YAML reads "2026-09-04" as timestamp'),
        ("a: 1.5", 1, "as float"),
        ("a: 0x10", 1, "as int"),
        ("a: 017", 1, "as int"),
        ("a: 1_000", 1, "as int"),
        ("a: 12:30:00", 1, "as int"),
        ("a: .nan", 1, "as float"),
        ("a: -1", 1, "as int"),
        ("a: 9" + "9" * 30, 1, "as int"),
        ("a: 1\nb: 2\na: 3", 3, "a key stands twice"),
        ("a: &x 1\nb: *x", 1, "anchors and aliases"),
        ("a: &x [1]\nb: 1", 1, "anchors and aliases"),
        ("a: *x", 1, "anchors and aliases"),
        ("a: !!str 1", 1, "tags are not allowed"),
        ("a: !x [1]", 1, "tags are not allowed"),
        ("a: !python/object:os.system {}", 1, "tags are not allowed"),
        ("b:\n  <<: {c: 1}", 2, "YAML reads"),
        ("1: a", 1, "a key is no string"),
        ("[a, b]: c", 1, "a key is no string"),
        ("? {a: b}\n: c", 1, "a key is no string"),
        ("null: a", 1, "a key is no string"),
        ("a: 1\n---\nb: 2", 1, "not exactly one YAML document"),
        ("", 1, "not exactly one YAML document"),
        ("# nothing", 1, "not exactly one YAML document"),
        ("a: [1", 1, "it is no YAML"),
        ("a: b: c", 1, "it is no YAML"),
        ("\tx: 1", 1, "it is no YAML"),
        ("a: \x00", None, "it is no YAML"),
        (r'a: "\ud83d\ude00"', 1, "half a surrogate pair"),
        (r'a: "\UFFFFFFFF"', None, "an escape or a version that does not exist"),
        (r'a: "\U00110000"', None, "an escape or a version that does not exist"),
        ("%YAML 1." + "9" * 5000 + "\n---\na: 1", None, "an escape or a version that does not exist"),
        ("[" * 65 + "]" * 65, 1, "nests deeper than 64"),
    ],
)
def test_what_is_more_than_json_is_refused(text, line, detail):
    """One refusal with its line; nothing is taken for what it was not written as."""
    with pytest.raises(ConfigurationError) as caught:
        read_yaml(text.encode())
    assert caught.value.code == "config.yaml"
    assert detail in caught.value.detail
    assert line is None or caught.value.where.line == line


def test_aliases_cost_nothing():
    """The list that doubles itself nine times over is refused at its first anchor."""
    bomb = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
    with pytest.raises(ConfigurationError, match="anchors"):
        read_yaml(bomb.encode())


def test_octets_that_are_no_text():
    """Invalid UTF-8 is told with its line, a file that is too large with the limit."""
    with pytest.raises(ConfigurationError, match="line 2: the list is not UTF-8"):
        read_yaml(b"a: 1\nb: \xff\n")
    with pytest.raises(ConfigurationError, match=f"more than {LARGEST} bytes"):
        read_yaml(b"#" * (LARGEST + 1))
    assert read_yaml(b"a: b #" + b"x" * (LARGEST - 6)) == {"a": "b"}


_texts = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp", "Cn")))
_scalars = st.none() | st.booleans() | st.integers(0, 10**17) | _texts
_values = st.recursive(_scalars, lambda inner: st.lists(inner) | st.dictionaries(_texts, inner), max_leaves=20)


@given(_values)
def test_every_value_written_by_another_program_reads_back(value):
    """What PyYAML writes of JSON's types, and JSON itself where YAML can hold it, is read as it was."""
    written = yaml.safe_dump(value, allow_unicode=True)
    if "&" not in written or not _shared(written):
        assert read_yaml(written.encode("utf-8", "surrogatepass")) == value
    assert read_yaml(json.dumps(value, ensure_ascii=False).encode()) == value


def _shared(written):
    """Whether a text has an anchor that the writer made."""
    return any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(written))


@given(st.text(alphabet="ab:-[]{}&*!#|>'\"%@`? \n\t,~1.\x00\u2028\ufeff", max_size=40))
def test_no_text_does_anything_but_read_or_be_refused(text):
    """Whatever stands in a list, the answer is a value or one coded refusal."""
    with contextlib.suppress(ConfigurationError):
        read_yaml(text.encode())
