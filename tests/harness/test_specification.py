"""What a deployment says of an agent, and what is refused of it."""

import functools
import importlib
import json
import os
import subprocess
import sys

import pytest
from agents import EXAMPLES, SCHEMA, ask, good, run, spec

import groundrules.harness
from groundrules import ConfigurationError, ReadError, UsageError
from groundrules.documents import validate
from groundrules.harness import AgentSpec, Conductor, InProcessAgent, Limits, RunStore, StdioAgent, load_agent

REFERENCE = "https://w3id.org/groundrules/schemas/grounding-reference.json"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"grounding_mode": ""}, "config.agent-mode"),
        ({"grounding_mode": "trust"}, "config.agent-mode"),
        ({"agent_id": ""}, "config.agent"),
        ({"version": 1}, "config.agent"),
        ({"accepts": frozenset()}, "config.agent"),
        ({"accepts": frozenset({""})}, "config.agent"),
        ({"input_canonicalisation": "dd-json-document-v1"}, "config.agent"),
        ({"span_profile": "other"}, "config.agent"),
        ({"clock_skew_us": -1}, "config.agent"),
        ({"clock_skew_us": True}, "config.agent"),
    ],
)
def test_a_specification_that_nothing_can_be_held_to_is_refused(changes, code):
    """No mode and no default; ids, classes and names that exist."""
    stated = {
        "agent_id": "a",
        "version": "1",
        "grounding_mode": "none",
        "accepts": frozenset({"Question"}),
        "payload_class": "Answer",
        "payload_schema": SCHEMA,
    }
    AgentSpec(**stated)
    with pytest.raises(ConfigurationError) as caught:
        AgentSpec(**(stated | changes))
    assert caught.value.code == code
    assert "\n" not in str(caught.value)


NESTED = {"answer": {"$id": "c.json", **SCHEMA}, "anything": {"$id": "sub/c.json"}}
LOOSE = {"$id": "sub/", "$ref": "c.json"}
RECURSIVE = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#"}}}
SCHEMAS = [
    ("config.payload-not-grounded", SCHEMA | {"required": ["schema_class"]}),
    ("config.payload-not-grounded", {"type": "object"}),
    ("config.payload-not-grounded", {"anyOf": [SCHEMA, SCHEMA]}),
    ("config.payload-class", SCHEMA | {"required": ["grounded_on"]}),
    ("config.payload-class", SCHEMA | {"properties": {}}),
    ("config.payload-class", SCHEMA | {"properties": {"schema_class": {"const": "Other"}}}),
    ("config.payload-class", SCHEMA | {"properties": {"schema_class": {"enum": ["Answer", "Other"]}}}),
    ("config.payload-class", SCHEMA | {"properties": {"schema_class": True}}),
    ("config.payload-class", SCHEMA | {"type": ["object", "null"]}),
    ("config.payload-class", {name: value for name, value in SCHEMA.items() if name != "type"}),
    ("config.payload-not-grounded", RECURSIVE),
    ("config.payload-schema", SCHEMA | {"type": "thing"}),
    ("config.payload-schema", SCHEMA | {"pattern": "["}),
    ("config.payload-schema", SCHEMA | {"properties": {"x": {"minimum": "1"}}}),
    ("config.payload-schema", SCHEMA | {"$ref": "https://example.org/other.json"}),
    ("config.payload-schema", SCHEMA | {"properties": {"x": {"$ref": "#/$defs/none"}}}),
    ("config.payload-schema", SCHEMA | {"$schema": "http://json-schema.org/draft-07/schema#"}),
    ("config.payload-schema", SCHEMA | {"x": (1,)}),
    ("config.payload-schema", SCHEMA | {"$defs": {"x": {"$ref": "#/required"}}}),
    ("config.payload-schema", SCHEMA | {"$ref": "#/required/0"}),
    ("config.payload-schema", SCHEMA | {"$ref": "#/required/x"}),
    ("config.payload-schema", SCHEMA | {"$ref": "#/more", "more": {"type": "thing"}}),
    ("config.payload-schema", SCHEMA | {"$ref": "#/more", "more": {"$ref": "#/none"}}),
    ("config.payload-not-grounded", {"$id": "https://example.org/r.json", "allOf": [LOOSE], "$defs": NESTED}),
]


@pytest.mark.parametrize(("code", "schema"), SCHEMAS)
def test_a_payload_schema_that_lets_the_linter_see_nothing_is_refused(code, schema):
    """It says object, fixes the class, requires the references; and it is a schema whose references are here."""
    with pytest.raises(ConfigurationError) as caught:
        spec(payload_schema=schema)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "schema",
    [
        SCHEMA | {"properties": {"schema_class": {"enum": ["Answer"]}}},
        {"allOf": [SCHEMA]},
        {"$ref": "#/$defs/answer", "$defs": {"answer": SCHEMA}},
        {"allOf": [{"$ref": "#/$defs/answer"}, {"maxProperties": 5}], "$defs": {"answer": SCHEMA}},
        SCHEMA | {"properties": SCHEMA["properties"] | {"grounded_on": {"items": {"$ref": REFERENCE}}}},
        SCHEMA | {"$defs": {"tree": {"properties": {"left": {"$ref": "#/$defs/tree"}}}}},
        SCHEMA | {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.org/answer.json"},
        SCHEMA | {"allOf": [True]},
        SCHEMA | {"$ref": "#/more", "more": True},
        {
            "$id": "https://example.org/r.json",
            "allOf": [{"$id": "sub/", "$ref": "c.json"}],
            "$defs": {"answer": {"$id": "sub/c.json", **SCHEMA}, "anything": {"$id": "c.json"}},
        },
    ],
)
def test_a_payload_schema_may_be_put_together(tmp_path, schema):
    """What the root leads to through allOf and references counts, and so do the kit's own schemas."""
    assert run(tmp_path, payload_schema=schema).fault is None


def test_a_schema_that_never_ends_is_an_outcome(tmp_path):
    """A schema that refers to itself without taking a step holds no payload, and the run says so."""
    schema = SCHEMA | {"properties": SCHEMA["properties"] | {"grounded_on": {"$ref": "#/$defs/a"}}}
    schema["$defs"] = {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}
    finished = run(tmp_path, payload_schema=schema)
    assert finished.fault.code == "agent.payload-class"
    assert "without end" in str(finished.fault)


def test_the_specification_keeps_no_hold_on_the_schema(tmp_path):
    """Changing it afterwards changes nothing."""
    schema = json.loads(json.dumps(SCHEMA))
    agent = InProcessAgent(spec(payload_schema=schema), good)
    schema["required"].append("more")
    assert Conductor([agent], RunStore(tmp_path)).invoke(ask()).fault is None


def test_a_coroutine_is_no_agent():
    """What has to be awaited, and what cannot be called, is refused before it runs."""

    async def later(_task):
        return None

    class Later:
        async def __call__(self, _task):
            return None

    for function in (later, Later(), functools.partial(later), None, 3):
        with pytest.raises(ConfigurationError, match=r"config\.agent\b"):
            InProcessAgent(spec(), function)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/*.json")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_examples_satisfy_their_schema(path):
    """What the documentation shows can be used."""
    document = json.loads(path.read_bytes())
    if document.get("format") == "agent/1":
        assert validate(document, "agent") == []
        assert load_agent(str(path)).spec.agent_id == document["agent_id"]
    elif "format" in document:
        assert validate(document, document["format"].partition("/")[0]) == []
    else:
        assert document["schema_class"]


def stated(**changes):
    document = json.loads((EXAMPLES / "counter" / "agent.json").read_bytes())
    return document | changes


def write(folder, document):
    path = folder / "agent.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return str(path)


def python(function, **more):
    return {"kind": "python", "function": function} | more


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"grounding_mode": None}, "config.agent"),
        ({"grounding_mode": "trust"}, "config.agent-mode"),
        ({"more": 1}, "config.agent"),
        ({"run": {"kind": "shell"}}, "config.agent"),
        ({"run": python("counter.py")}, "config.agent"),
        ({"run": python("none.py:count")}, "config.agent"),
        ({"run": python("a\n.py:count")}, "config.agent"),
        ({"run": python("good.py:none")}, "config.agent"),
        ({"run": python("good.py:word")}, "config.agent"),
        ({"run": python("raises.py:count")}, "config.agent"),
        ({"run": python("leaves.py:count")}, "config.agent"),
        ({"run": python("broken.py:count")}, "config.agent"),
        ({"run": python("stops.py:count")}, "config.agent"),
        ({"run": python("x" * 300 + ".py:count")}, "config.agent"),
        ({"run": python("good.py:count", seconds=0)}, "config.agent"),
        ({"run": {"kind": "stdio", "command": []}}, "config.agent"),
        ({"run": {"kind": "stdio", "command": ["a\0"]}}, "config.agent"),
        ({"run": {"kind": "stdio", "command": ["a"], "environment": ["A=B"]}}, "config.agent"),
        ({"run": {"kind": "stdio", "command": ["a"], "memory": 0.5}}, "config.agent"),
        ({"payload": {"schema_class": "WordCount", "schema": {}}}, "config.payload-not-grounded"),
    ],
)
def test_a_file_that_states_no_agent_is_refused(tmp_path, changes, code):
    """One line, with the file in it."""
    for name, text in {
        "good": "word = 3\ndef count(task): ...\n",
        "raises": "raise ValueError('no')\n",
        "leaves": "raise SystemExit\n",
        "stops": "class Stop(BaseException): ...\nraise Stop\n",
        "broken": "def (\n",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    path = write(tmp_path, stated(**changes))
    with pytest.raises(ConfigurationError) as caught:
        load_agent(path)
    assert caught.value.code == code
    assert str(caught.value).startswith(path)
    assert "\n" not in str(caught.value)


def test_a_file_without_a_mode_has_a_code_of_its_own(tmp_path):
    """There is no default."""
    document = stated()
    del document["grounding_mode"]
    with pytest.raises(ConfigurationError, match=r"states none of .*config\.agent-mode"):
        load_agent(write(tmp_path, document))


def test_a_file_that_is_no_json_is_refused(tmp_path):
    """As every document is."""
    with pytest.raises(ReadError, match=r"read\.duplicate-name"):
        load_agent(write(tmp_path, '{"format": "agent/1", "format": "agent/1"}'))
    with pytest.raises(UsageError, match=r"usage\.no-file"):
        load_agent(str(tmp_path / "none.json"))


def test_a_file_states_limits_and_profile(tmp_path):
    """What it says reaches the agent: time in this process, time and output of another."""
    (tmp_path / "slow.py").write_text("import time\ndef count(task): time.sleep(9)\n")
    slow = load_agent(write(tmp_path, stated(run=python("slow.py:count", seconds=0.1), clock_skew_us=5)))
    assert slow.spec.clock_skew_us == 5
    request = ask("counter", input={"schema_class": "Text", "text": ""})
    assert Conductor([slow], RunStore(tmp_path / "a")).invoke(request).fault.code == "agent.timed-out"
    command = {"kind": "stdio", "command": [sys.executable, "-c", "print('x' * 99)"], "output": 9.0, "memory": 9e9}
    loud = load_agent(write(tmp_path, stated(run=command, span_profile="genai")))
    assert isinstance(loud, StdioAgent)
    assert Conductor([loud], RunStore(tmp_path / "b")).invoke(request).fault.code == "agent.output-limit"


def test_an_agent_in_this_process_has_no_sandbox():
    """It is refused, not run without."""
    with pytest.raises(ConfigurationError, match=r"config\.sandbox"):
        load_agent(str(EXAMPLES / "counter" / "agent.json"), sandboxed=True)


def test_a_module_finds_its_neighbours(tmp_path):
    """A file may import others that stand beside it."""
    (tmp_path / "neighbour_of_ours.py").write_text("WORDS = 3\n")
    (tmp_path / "ours.py").write_text("from neighbour_of_ours import WORDS\ndef count(task): return WORDS\n")
    assert load_agent(write(tmp_path, stated(run=python("ours.py:count")))).spec.version == "1.0"


def test_the_harness_says_which_extra_it_needs():
    """Without OpenTelemetry there is one error, which names the extra; the core does without."""
    code = (
        "import sys; sys.modules['opentelemetry.sdk.trace'] = None\n"
        "import groundrules\n"
        "try:\n    import groundrules.harness\n"
        "except groundrules.UsageError as error:\n    print(error)\n"
        "from groundrules.cli import run\nsys.exit(run(['run', '-', '--agent', 'x']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, input="{}")
    assert done.returncode == 2
    assert "groundrules[harness]" in done.stdout
    assert "usage.missing-extra" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_extra_is_looked_for_when_the_harness_is_imported(monkeypatch):
    """The same in this process."""
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(UsageError, match=r"usage\.missing-extra"):
        importlib.reload(groundrules.harness)


def test_an_interrupt_while_an_agent_is_loaded_stops_the_start(tmp_path):
    """It is the operator's, not the file's."""
    (tmp_path / "waits.py").write_text("raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        load_agent(write(tmp_path, stated(run=python("waits.py:count"))))


def test_a_file_may_define_data_classes(tmp_path):
    """Which look for their module by its name; two files of one name are two modules."""
    text = "from __future__ import annotations\nimport dataclasses\n\n@dataclasses.dataclass\nclass Words:\n"
    text += "    number: int = %d\n\ndef count(task):\n    raise ValueError(Words().number)\n"
    agents = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "words.py").write_text(text % number)
        agents.append(load_agent(write(folder, stated(run=python("words.py:count"), agent_id=f"a{number}"))))
    made = Conductor(agents, RunStore(tmp_path / "runs"))
    asked = {"schema_class": "Text", "text": ""}
    assert ["ValueError: 1" in str(made.invoke(ask("a1", input=asked)).fault)] == [True]
    assert ["ValueError: 2" in str(made.invoke(ask("a2", input=asked)).fault)] == [True]


@pytest.mark.parametrize(
    "limits", [{"seconds": 0}, {"seconds": float("inf")}, {"octets": -1}, {"memory": float("nan")}]
)
def test_a_limit_that_limits_nothing_is_refused(limits):
    """A clock cannot wait for ever, and nothing fits into no room."""
    with pytest.raises(ConfigurationError, match=r"config\.agent\b"):
        Limits(**limits)


def test_an_environment_that_tracing_refuses_is_one_error():
    """A limit that is no number; found when the harness is imported."""
    code = "from groundrules.cli import run; import sys; sys.exit(run(['run', '-', '--agent', 'x']))"
    environment = os.environ | {"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "many"}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=False, input="{}", env=environment)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT" in done.stderr
    assert "[config.tracing]" in done.stderr


def test_what_tracing_refuses_is_looked_at_when_the_harness_is_imported(monkeypatch):
    """The same in this process."""

    class Refuses:
        def find_spec(self, name, *_):
            if name == "opentelemetry.sdk.trace":
                raise ValueError("no\nnumber")

    monkeypatch.delitem(sys.modules, "opentelemetry.sdk.trace")
    monkeypatch.setattr(sys, "meta_path", [Refuses(), *sys.meta_path])
    with pytest.raises(ConfigurationError, match=r"no number.*config\.tracing"):
        importlib.reload(groundrules.harness)
