"""The file that names whom to ask: what it declares, and what is refused of it."""

import json

import pytest

from groundrules import ConfigurationError, ReadError, UsageError
from groundrules.resolvers import load_evaluators

ENTRY = {"id": "m", "url": "http://127.0.0.1:1/v1", "model": "m-1", "role": "juror", "qualification": "qualified"}


def write(folder, *entries):
    path = folder / "evaluators.json"
    path.write_text(json.dumps({"format": "evaluators/1", "evaluators": [*entries]}))
    return str(path)


def test_evaluators_are_declared_and_asked(tmp_path, monkeypatch):
    """A key comes from the environment, and stands in nothing that is declared."""
    monkeypatch.setenv("BELL_KEY", "k")
    more = ENTRY | {"id": "n", "key_variable": "BELL_KEY", "timeout": 5}
    made = load_evaluators(write(tmp_path, ENTRY, more))
    assert [*made.asked] == ["m", "n"]
    assert (made.asked["m"].key, made.asked["m"].timeout) == (None, 60.0)
    assert (made.asked["n"].key, made.asked["n"].timeout) == ("k", 5.0)
    assert made.declared[1] == {"id": "n", "model": "m-1", "role": "juror", "qualification": "qualified"}
    assert "k'" not in repr(made.asked["n"])


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ([], r"/evaluators\b"),
        ([ENTRY | {"role": "judge"}], "/evaluators/0/role"),
        ([ENTRY | {"key": "secret"}], "/evaluators/0"),
        ([ENTRY | {"timeout": 0}], "/evaluators/0/timeout"),
        ([ENTRY, ENTRY], "/evaluators/1/id.*stands twice"),
        ([ENTRY | {"url": "file:///etc/passwd"}], "neither http"),
        ([ENTRY | {"key_variable": "NO_SUCH_KEY"}], "/evaluators/0/key_variable.*is not set"),
    ],
)
def test_what_cannot_be_asked_is_refused(tmp_path, entries, told):
    """One line, with the file in it."""
    path = write(tmp_path, *entries)
    with pytest.raises(ConfigurationError, match=rf"{told}.*config\.evaluator") as caught:
        load_evaluators(path)
    assert str(caught.value).startswith(path)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_none_is_refused(tmp_path):
    """As every document is."""
    with pytest.raises(UsageError, match=r"usage\.no-file"):
        load_evaluators(str(tmp_path / "none.json"))
    (tmp_path / "odd.json").write_text("{")
    with pytest.raises(ReadError, match=r"odd\.json"):
        load_evaluators(str(tmp_path / "odd.json"))
