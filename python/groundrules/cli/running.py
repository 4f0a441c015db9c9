"""``request`` and ``run``: make a request, run an agent on it, store what came of it."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundrules.cli.render import AsJson, Exit, InputFile, print_json, print_line
from groundrules.cli.sources import CopiesFile
from groundrules.documents import departures
from groundrules.errors import (
    CanonicalError,
    GroundrulesError,
    ReadError,
    RequestError,
    UsageError,
    Where,
    show,
)
from groundrules.files import read_bytes
from groundrules.runs.writing import page
from groundrules.sources import NO_COPIES, load_copies
from groundrules.strictjson import JSON, loads, pointer
from groundrules.verdict import GroundingStatus, SourceStatus

if TYPE_CHECKING:
    from groundrules.harness import Finished

StoreFolder = Annotated[
    Path, typer.Option("--store", metavar="DIR", help="The folder of stored runs.", show_default=True)
]
AgentFiles = Annotated[
    list[str], typer.Option("--agent", metavar="SPEC.json", help="An agent that can be run; repeat for more.")
]


def request(
    file: InputFile,
    agent: Annotated[str, typer.Option("--agent", metavar="SPEC.json", help="The agent that is asked.")],
    conversation: Annotated[
        str | None, typer.Option("--conversation", metavar="ID", help="The conversation it belongs to.")
    ] = None,
) -> int:
    """Print a request for an agent, with a fresh invocation id, around an input."""
    from groundrules.harness import request_for  # noqa: PLC0415 - most commands need no harness

    stated = _read(agent)
    agent_id = stated.get("agent_id") if isinstance(stated, dict) else None
    if not isinstance(agent_id, str):
        where = Where(file=agent, pointer="/agent_id")
        raise UsageError("usage.wrong-type", "it states no agent id", where=where, remedy="see schemas/agent.json")
    made = request_for(agent_id, _read(file))
    if conversation is not None:
        made["conversation_id"] = conversation
    try:
        page(made)
    except CanonicalError as error:
        raise UsageError("usage.arguments", f"no request is made of this: {error.detail}") from None
    for path, detail in departures(made, "request"):
        where = Where(pointer=pointer(path))
        raise RequestError("request.malformed", detail, where=where, remedy="see schemas/request.json")
    print_line(json.dumps(made, indent=2))
    return Exit.GOOD


def run(
    file: Annotated[str, typer.Argument(metavar="REQUEST", help="A request, or - for standard input.")],
    agents: AgentFiles,
    copies: CopiesFile = None,
    store: StoreFolder = Path("runs"),
    sandbox: Annotated[bool, typer.Option("--sandbox", help="Run commands in Bubblewrap.")] = False,
    as_json: AsJson = False,
) -> int:
    """Run an agent on a request: record, judge, withhold what fails, store the run. Passing proves no retrieval."""
    from groundrules.harness import Conductor, RunStore, load_agent  # noqa: PLC0415 - most commands need no harness

    asked = _read(file)
    with load_copies(copies) if copies is not None else contextlib.nullcontext(NO_COPIES) as held:
        kept = RunStore(store)
        if sandbox:
            kept.prepare()  # what is hidden has to be there
        loaded = [load_agent(agent, sandboxed=sandbox, hidden=(store,)) for agent in agents]
        conductor = Conductor(loaded, kept, copies=held)
        try:
            with contextlib.redirect_stdout(sys.stderr):  # standard output is for what is told of the run
                finished = conductor.invoke(asked)
        except GroundrulesError as error:
            raise error.in_file(file) if error.stage == "request" else error from None
    if as_json:
        print_json(_data(finished))
    else:
        for line in _lines(finished):
            print_line(line)
    return _exit_code(finished)


def _read(file: str) -> JSON:
    try:
        return loads(read_bytes(file))
    except ReadError as error:
        raise error.in_file(file) from None


def _outcome(finished: Finished) -> dict[str, JSON]:
    outcome = finished.envelope["outcome"]
    assert isinstance(outcome, dict)  # noqa: S101 - the contract holds for what was stored
    return outcome


def _lines(finished: Finished) -> list[str]:
    outcome = _outcome(finished)
    return [
        f"run: {finished.folder.name} stored in {show(str(finished.folder.parent))} (isolation: {finished.isolation})",
        f"outcome: {outcome['status']}: {show(str(outcome['statement']))}",
        *([] if finished.fault is None else [f"  {finished.fault}"]),
        *finished.grounding.lines(),
        *finished.sources.lines(),
        f"index head: {finished.head}",
    ]


def _data(finished: Finished) -> dict[str, JSON]:
    return {
        "format": "run/1",
        "folder": str(finished.folder),
        "isolation": finished.isolation,
        "envelope": finished.envelope,
        "fault": None if finished.fault is None else str(finished.fault),
        "grounding": finished.grounding.as_dict(),
        "sources": finished.sources.as_dict(),
        "head": finished.head,
    }


def _exit_code(finished: Finished) -> Exit:
    """By the table of exit codes (conformance.exit-codes)."""
    if finished.grounding.status is GroundingStatus.FAILED or finished.sources.status is SourceStatus.FAILED:
        return Exit.FAILED
    if _outcome(finished)["status"] == "failed":
        return Exit.FAILED
    is_unresolved = finished.sources.profile.require_resolved and bool(finished.sources.unresolved)
    return Exit.UNCHECKED if is_unresolved else Exit.GOOD
