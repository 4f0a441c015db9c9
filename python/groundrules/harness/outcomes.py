"""What becomes of a run that does not succeed: problem types, and fixed texts that repeat no word of an agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from groundrules.catalogue import catalogue
from groundrules.citations import is_name
from groundrules.errors import bare

if TYPE_CHECKING:
    from groundrules.strictjson import JSON

INPUT_NOT_ACCEPTED: Final = "urn:groundrules:problem:input-not-accepted"
"""The agent does not take the class of the input."""
AGENT_ERROR: Final = "urn:groundrules:problem:agent-error"
"""The agent gave no result, or one that breaks the contract."""
SOURCE_CHANGED: Final = "urn:groundrules:problem:source-changed"
"""A copy is no longer the one that was pinned, so the result could not be checked."""

_TITLES = {
    INPUT_NOT_ACCEPTED: "Input not accepted",
    AGENT_ERROR: "Agent error",
    SOURCE_CHANGED: "Source changed",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a run failed.

    Attributes:
        code: ``agent.*``, of the catalogue; its title is what the envelope says.
        diagnosis: what an operator is told beyond that, one line with the agent's words escaped; it is not stored.
        codes: codes of the contract that the result broke.
        type: the problem type.
    """

    code: str
    diagnosis: str = ""
    codes: tuple[str, ...] = ()
    type: str = AGENT_ERROR

    @property
    def reason(self) -> str:
        """One clause: the code's title, and the codes it rests on."""
        entry = catalogue().code(self.code)
        title = "" if entry is None else entry.title
        return f"{title} ({', '.join(self.codes)})" if self.codes else title

    @property
    def outcome(self) -> dict[str, JSON]:
        """The outcome of the envelope."""
        return {"status": "failed", "statement": f"There is no result: {self.reason}."}

    @property
    def problem(self) -> dict[str, JSON]:
        """The problem of the envelope (RFC 9457)."""
        return {"type": self.type, "title": _TITLES[self.type], "detail": f"{self.reason} [{self.code}]"}

    def __str__(self) -> str:
        """One line for an operator."""
        told = f": {self.diagnosis}" if self.diagnosis else ""
        return f"{self.reason}{told} [{self.code}]"


class Faulty(Exception):  # noqa: N818 - it carries what it names
    """An agent's run cannot go on.

    Attributes:
        fault: why.
    """

    def __init__(self, code: str, diagnosis: str = "", *, codes: tuple[str, ...] = ()) -> None:
        super().__init__(code)
        self.fault = Fault(code, diagnosis, codes)


class Refused(Exception):  # noqa: N818 - it is an answer
    """The conductor does not do what an agent asked for. An agent may go on.

    Attributes:
        code: ``retrieve.*`` or ``delegate.*``.
        detail: one clause.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail

    def __str__(self) -> str:
        """One line."""
        return f"{self.detail} [{self.code}]"


def is_plain(text: object) -> bool:
    """Whether something is a string of 1 to 2 000 characters that a line of the trace can repeat."""
    return type(text) is str and is_name(text) and not any("\ud800" <= character <= "\udfff" for character in text)


def diagnosis_of(error: BaseException) -> str:
    """What an operator is told of an exception that an agent raised."""
    try:
        said = bare(" ".join(str(error).split()))
    except BaseException:  # noqa: BLE001 - its text is code of the agent's too
        said = ""
    name = bare(type(error).__name__)
    return f"{name}: {said}" if said else name
