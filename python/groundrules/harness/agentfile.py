"""An agent from a file of ``schemas/agent.json``: its specification, and how it is run (agent.file)."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from groundrules import strictjson
from groundrules.documents import validate
from groundrules.errors import ConfigurationError, ReadError, Where
from groundrules.files import STANDARD_INPUT, read_bytes
from groundrules.harness.inprocess import InProcessAgent
from groundrules.harness.outcomes import diagnosis_of
from groundrules.harness.sandbox import Sandbox
from groundrules.harness.specification import AgentSpec
from groundrules.harness.stdio import Limits, StdioAgent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundrules.harness.inprocess import Function
    from groundrules.harness.task import Agent
    from groundrules.strictjson import JSON


def load_agent(file: str, *, sandboxed: bool = False, hidden: Sequence[Path] = ()) -> Agent:
    """The agent that a file states.

    Args:
        file: of ``schemas/agent.json``; what it names is looked for from its folder.
        sandboxed: run it in a sandbox.
        hidden: folders that it does not see there.

    Raises:
        UsageError: the file cannot be read.
        ReadError: it is no strict JSON text.
        ConfigurationError: ``config.*``: the specification is refused, or the agent cannot be run so.
    """
    try:
        document = _document(strictjson.loads(read_bytes(file)))
        folder = Path() if file == STANDARD_INPUT else Path(file).parent
        spec, run = AgentSpec.from_document(document), document["run"]
        assert isinstance(run, dict)  # noqa: S101 - by its schema
        return _agent(spec, run, folder, sandboxed=sandboxed, hidden=hidden)
    except (ReadError, ConfigurationError) as error:
        raise error.in_file(file) from None


def _document(document: JSON) -> dict[str, JSON]:
    for finding in validate(document, "agent"):
        where = Where(pointer=finding.pointer)
        raise ConfigurationError("config.agent", finding.detail, where=where, remedy="see schemas/agent.json")
    assert isinstance(document, dict)  # noqa: S101 - by its schema
    return document


def _agent(spec: AgentSpec, run: dict[str, JSON], folder: Path, *, sandboxed: bool, hidden: Sequence[Path]) -> Agent:
    match run:
        case {"kind": "python", "function": str(function)}:
            if sandboxed:
                remedy = "run it over stdio, or without a sandbox"
                raise ConfigurationError("config.sandbox", "an agent in this process has no sandbox", remedy=remedy)
            return InProcessAgent(spec, _function(folder, function), **_limits(run))  # type: ignore[arg-type]  # by the schema
        case {"kind": "stdio", "command": [*command]}:
            names = run.get("environment", [])
            assert isinstance(names, list)  # noqa: S101 - by the schema
            return StdioAgent(
                spec,
                [str(word) for word in command],
                folder=folder,
                environment=[str(name) for name in names],
                limits=Limits(**_limits(run)),  # type: ignore[arg-type]  # by the schema
                sandbox=Sandbox(tuple(hidden), network=run.get("network") is True) if sandboxed else None,
            )
    raise AssertionError(run)  # pragma: no cover - by the schema


def _limits(run: dict[str, JSON]) -> dict[str, JSON]:
    """The limits that are stated, by the names of their arguments; 1e9 is an integer in JSON and none in Python."""
    stated = {ours: run[theirs] for theirs, ours in _LIMITS.items() if theirs in run}
    return {name: int(value) if name != "seconds" else value for name, value in stated.items()}  # type: ignore[arg-type]  # by the schema


_LIMITS = {"seconds": "seconds", "output": "octets", "memory": "memory"}


def _function(folder: Path, stated: str) -> Function:
    """A function of a file, which is loaded as a module of its own."""
    name, _, function = stated.rpartition(":")
    path = folder / name
    where = Where(pointer="/run/function")
    if not os.path.isfile(path):  # noqa: PTH113 - it takes any name without an error
        raise ConfigurationError("config.agent", "there is no such file", where=where, remedy="name it from the folder")
    module_spec = importlib.util.spec_from_file_location(f"groundrules_agent_{len(sys.modules)}_{path.stem}", path)
    assert module_spec is not None and module_spec.loader is not None  # noqa: S101, PT018 - it ends in .py
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[module_spec.name] = module  # classes of it look for their module there
    sys.path.append(os.fspath(folder.absolute()))
    try:
        module_spec.loader.exec_module(module)
        found: Function = getattr(module, function)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - the file is the deployment's code
        detail = f"the agent cannot be loaded: {diagnosis_of(error)}"
        raise ConfigurationError("config.agent", detail, where=where, remedy="mend the file") from None
    return found
