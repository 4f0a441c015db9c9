"""The sandbox of an agent: Bubblewrap, with namespaces of its own and files it cannot write (agent.isolation)."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundrules.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_PROGRAM = "bwrap"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What an agent is kept from.

    Attributes:
        hidden: folders that it does not see: the store, above all.
        network: whether it may use the network.
    """

    hidden: tuple[Path, ...] = ()
    network: bool = False

    @property
    def name(self) -> str:
        """What the run states as its isolation."""
        return "bubblewrap" if not self.network else "bubblewrap, with network"


def wrapped(command: Sequence[str], folder: Path, sandbox: Sandbox) -> list[str]:
    """A command that runs another in a sandbox.

    Args:
        command: what is to be run.
        folder: where; the agent sees it, read-only, wherever it is.
        sandbox: what it is kept from.

    Raises:
        ConfigurationError: ``config.sandbox``: Bubblewrap is not there, or cannot make a sandbox on this machine.
    """
    hidden = [path.resolve() for path in sandbox.hidden]
    if any(folder.resolve().is_relative_to(path) for path in hidden):
        raise ConfigurationError(
            "config.sandbox",
            "the agent's folder lies in the store, which is hidden from it",
            remedy="use another store",
        )
    program = shutil.which(_PROGRAM)
    if program is None:
        raise _unusable("Bubblewrap (bwrap) is not installed")
    base = [program, "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/"]
    base += ["--share-net"] if sandbox.network else []
    base += ["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--ro-bind", str(folder), str(folder)]  # noqa: S108
    for path in hidden:
        base += ["--tmpfs", str(path)]
    base += ["--chdir", str(folder), "--"]
    tried = subprocess.run([*base, "true"], capture_output=True, check=False, timeout=30)
    if tried.returncode:
        said = tried.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise _unusable(f"Bubblewrap makes no sandbox here: {said}")
    return [*base, *command]


def _unusable(detail: str) -> ConfigurationError:
    return ConfigurationError("config.sandbox", detail, remedy="install it, allow user namespaces, or run without")
