"""The example agents, as their page says to run them: each ends as the page says, and its run verifies."""

import json
import shutil

import pytest
from agents import COPIES, EXAMPLES

from groundrules import load_copies, verify_run
from groundrules.harness import Conductor, RunStore, load_agent, request_for
from places import not_here

FILES = ["counter/agent", "orchestrator/agent", "librarian/agent", "librarian/inventing", "archivist/agent"]
ENDS = [
    ("counter", "counter", "succeeded", ("passed", "nothing-to-check")),
    ("orchestrator", "counter", "succeeded", ("passed", "nothing-to-check")),
    ("librarian", "librarian", "succeeded", ("passed", "verified")),
    ("inventing-librarian", "librarian", "failed", ("withheld", "nothing-to-check")),
    ("archivist", "librarian", "succeeded", ("passed", "verified")),
]


@pytest.mark.parametrize(("agent", "asked", "status", "words"), ENDS)
def test_an_example_ends_as_its_page_says(tmp_path, agent, asked, status, words):
    """All five stand in one deployment; what is asked is the file beside the agent."""
    if "librarian" in agent and shutil.which("node") is None:
        not_here("Node.js, for the librarian")
    agents = [load_agent(str(EXAMPLES / f"{name}.json")) for name in FILES]
    document = json.loads((EXAMPLES / asked / "input.json").read_bytes())
    with load_copies(COPIES) as copies:
        finished = Conductor(agents, RunStore(tmp_path), copies=copies).invoke(request_for(agent, document))
        told = verify_run(finished.folder, copies).words
    assert finished.fault is None
    assert finished.envelope["outcome"]["status"] == status
    assert (told["contract"], told["files"]) == ("valid", "agree")
    assert (told["grounding"], told["sources"]) == words


@pytest.mark.parametrize("agent", ["librarian", "archivist"])
def test_an_example_that_finds_nothing_abstains(tmp_path, agent):
    """A bell that is on no list is no answer and no failure."""
    if agent == "librarian" and shutil.which("node") is None:
        not_here("Node.js, for the librarian")
    question = {"schema_class": "BellQuestion", "bell": "bell:none"}
    with load_copies(COPIES) as copies:
        made = Conductor([load_agent(str(EXAMPLES / agent / "agent.json"))], RunStore(tmp_path), copies=copies)
        finished = made.invoke(request_for(agent, question))
        assert finished.envelope["outcome"]["status"] == "abstained"
        assert set(verify_run(finished.folder, copies).words.values()) == {
            "valid",
            "agree",
            "passed",
            "nothing-to-check",
        }
