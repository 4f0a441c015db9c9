"""Agents to run: specifications, results, and a conductor to run them with."""

from pathlib import Path

from groundrules.harness import AgentSpec, Conductor, InProcessAgent, RunStore, request_for

EXAMPLES = Path(__file__).parents[1] / "examples"
COPIES = EXAMPLES / "copies.json"
SNAPSHOT = "snapshot:bells-2026-10-01"
TENOR = "bell:tarnhow/tenor"
INPUT = {"schema_class": "Question", "text": "Which bell is the oldest?"}
SCHEMA = {
    "type": "object",
    "required": ["schema_class", "grounded_on"],
    "properties": {"schema_class": {"const": "Answer"}},
}


def spec(mode="none", agent_id="answerer", **more):
    return AgentSpec(
        agent_id=agent_id,
        version="1",
        grounding_mode=mode,
        accepts=frozenset({"Question"}),
        payload_class="Answer",
        payload_schema=more.pop("payload_schema", SCHEMA),
        **more,
    )


def citation(item):
    return {name: item[name] for name in ("source_id", "content_hash")}


def answer(*items, **more):
    """A succeeded result that rests on evidence items."""
    return {
        "status": "succeeded",
        "statement": "Done.",
        "payload": {"schema_class": "Answer", "grounded_on": [citation(item) for item in items]},
        "evidence": [*items],
    } | more


def good(task):
    """An agent in mode ``none`` without fault."""
    return answer(task.input_item())


def conductor(folder, function=good, mode="none", **more):
    """A conductor of one agent in this process."""
    given = {name: more.pop(name) for name in ("seconds", "octets") if name in more}
    others = more.pop("agents", [])
    setting = {name: more.pop(name) for name in ("copies", "retrievers", "span_processors") if name in more}
    agents = [InProcessAgent(spec(mode, **more), function, **given), *others]
    return Conductor(agents, RunStore(folder), **setting)


def ask(agent_id="answerer", **more):
    return request_for(agent_id, more.pop("input", INPUT)) | more


def run(folder, function=good, mode="none", **more):
    """What comes of one run of an agent."""
    return conductor(folder, function, mode, **more).invoke(ask())
