"""What a deployment says of an agent: who it is, its one grounding mode, what it takes and gives (agent.spec)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from groundrules.citations import INPUT_NAMES, MODES, is_name
from groundrules.errors import ConfigurationError, Where, show
from groundrules.harness.payloads import PayloadClass
from groundrules.trace.profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.strictjson import JSON


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent's specification. It is refused where a result of the agent could not be held to anything.

    Attributes:
        agent_id: who the agent is; a string of 1 to 2 000 characters.
        version: its version, likewise.
        grounding_mode: the one mode that its runs are held to; there is no default.
        accepts: the ``schema_class`` of every input it takes.
        payload_class: the ``schema_class`` of its payloads.
        payload_schema: JSON Schema (draft 2020-12) of its payloads; it fixes ``schema_class`` and requires
            ``grounded_on``.
        input_canonicalisation: the name under which its input is hashed.
        span_profile: the profile by which its spans are read.
        clock_skew_us: by how many microseconds its clock may differ from the conductor's.
    """

    agent_id: str
    version: str
    grounding_mode: str
    accepts: frozenset[str]
    payload_class: str
    payload_schema: Mapping[str, JSON] = field(repr=False)
    input_canonicalisation: str = INPUT_NAMES[0]
    span_profile: str = PROFILES[0]
    clock_skew_us: int = 0
    payload: PayloadClass = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse a specification that nothing could be held to.

        Raises:
            ConfigurationError: ``config.agent``, ``config.agent-mode``, ``config.payload-schema``,
                ``config.payload-class``, ``config.payload-not-grounded``.
        """
        for name, value in (("agent_id", self.agent_id), ("version", self.version)):
            if not is_name(value):
                raise _refused("config.agent", name, "it is no string of 1 to 2000 characters")
        if self.grounding_mode not in MODES:
            stated = f"{show(self.grounding_mode)} is none" if self.grounding_mode else "it states none"
            raise _refused("config.agent-mode", "grounding_mode", f"{stated} of {', '.join(MODES)}")
        if not self.accepts or not all(map(is_name, self.accepts)):
            raise _refused("config.agent", "accepts", "it names no class of input")
        if self.input_canonicalisation not in INPUT_NAMES:
            raise _refused("config.agent", "input_canonicalisation", f"it is none of {', '.join(INPUT_NAMES)}")
        if self.span_profile not in PROFILES:
            raise _refused("config.agent", "span_profile", f"it is none of {', '.join(PROFILES)}")
        if type(self.clock_skew_us) is not int or self.clock_skew_us < 0:
            raise _refused("config.agent", "clock_skew_us", "it is no number of microseconds")
        object.__setattr__(self, "payload", PayloadClass(self.payload_class, self.payload_schema))

    @classmethod
    def from_document(cls, document: Mapping[str, JSON]) -> Self:
        """The specification that a document of ``schemas/agent.json`` states, apart from how the agent is run.

        Raises:
            ConfigurationError: as the specification itself.
        """
        match document:
            case {
                "agent_id": str(agent_id),
                "version": str(version),
                "accepts": [*accepts],
                "payload": {"schema_class": str(payload_class), "schema": dict(schema)},
                **rest,
            }:
                skew = rest.get("clock_skew_us", 0)
                return cls(
                    agent_id=agent_id,
                    version=version,
                    grounding_mode=str(rest.get("grounding_mode", "")),
                    accepts=frozenset(map(str, accepts)),
                    payload_class=payload_class,
                    payload_schema=schema,
                    input_canonicalisation=str(rest.get("input_canonicalisation", INPUT_NAMES[0])),
                    span_profile=str(rest.get("span_profile", PROFILES[0])),
                    clock_skew_us=int(skew) if isinstance(skew, int | float) else 0,
                )
        raise AssertionError(document)  # pragma: no cover - by the schema


def _refused(code: str, member: str, detail: str) -> ConfigurationError:
    return ConfigurationError(
        code, detail, where=Where(pointer=f"/{member}"), remedy="see the chapter Harness and schemas/agent.json"
    )
