"""What a case is made of: a name, the interface it is for, and the steps a client takes on one
connection."""

from dataclasses import dataclass, field
from typing import Literal

Interface = Literal["asgi", "wsgi"]


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait, so that what follows arrives in a later read of the server."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Read:
    """Read until nothing has come for `idle_s` seconds; what comes is one part of the
    transcript."""

    idle_s: float


@dataclass(frozen=True, slots=True)
class HalfClose:
    """Shut down the sending side only: the client still wants its answer (RFC 9112 section 9.6)."""


@dataclass(frozen=True, slots=True)
class Fin:
    """Close the connection; nothing is read afterwards."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Close the connection with a TCP reset; nothing is read afterwards."""


Step = bytes | Pause | Read | HalfClose | Fin | Reset


@dataclass(frozen=True, slots=True)
class Case:
    """One script. After the last step the player reads until the connection ends or falls
    silent."""

    name: str
    interface: Interface
    steps: tuple[Step, ...]
    unstable: str | None = None
    """Why the reference itself does not answer this the same way twice; such a case is only
    listed."""


@dataclass(slots=True)
class CaseTable:
    """Cases by name, in the order they were written down; a name is used once."""

    interface: Interface
    cases: dict[str, Case] = field(default_factory=dict)

    def add(self, name: str, *steps: Step, unstable: str | None = None) -> None:
        if name in self.cases:
            raise ValueError(f"two cases are named {name!r}")
        if not steps:
            raise ValueError(f"case {name!r} has no steps")
        self.cases[name] = Case(name, self.interface, steps, unstable)
