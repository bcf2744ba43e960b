"""Who somebody is that a face, or a command, speaks for: by the register of people, or the operators of a table.

The register counts wherever there is one; a table without one has its operators, each named as what he is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from shoectl.config import load
from shoectl.config_sections import Config
from shoectl.errors import BadInput
from shoectl.people.register import FILE, Register, register_path
from shoectl.people.roles import FLOOR, Forbidden


class Persons(Protocol):
    """All who may be spoken for."""

    def role_of(self, by: str) -> str | None:
        """`observer`, `dealer` or `floor`; None for somebody unknown. Raises ShoectlError where nobody can tell."""
        ...

    def with_role(self, role: str) -> list[str]:
        """Those who have a role, named for people. Raises ShoectlError where nobody can tell."""
        ...


@dataclass(frozen=True)
class Operators:
    """The persons of a table without a register: those of its state, by name or number. `now` gives them."""

    now: Callable[[], Mapping[str, int]]

    def role_of(self, by: str) -> str | None:
        """The name under which the state has this operator, as `dealer`."""
        return next((name for name, number in self.now().items() if by in (name, str(number))), None)

    def with_role(self, role: str) -> list[str]:
        """The operator of this name, with his number."""
        return [f"{name} ({number})" for name, number in self.now().items() if name == role]


def register_of(config: Config) -> Register | None:
    """The register of a table, if there is one: the operators are asked where it is neither named nor there.

    Raises BadInput where it cannot be read.
    """
    path = register_path(config)
    if not config.people.file and not path.exists():
        return None
    register = Register(path)
    register.people()
    return register


def of_journal(journal: Path, config: Path | None, operators: Mapping[str, int]) -> Persons:
    """The persons of a table that stands still, from its files: the register that its configuration names, else the one
    beside its journal, where both lie if nothing else is said; without one these operators. Raises BadInput.
    """
    beside = journal.with_name(FILE)
    register = None
    if config is not None:
        register = register_of(load(config))
    elif beside.exists():
        register = Register(beside)
    return register or Operators(lambda: operators)


def check_role(persons: Persons, by: str, allowed: Sequence[str]) -> None:
    """Whether this person has one of these roles. Raises Forbidden; ShoectlError where nobody can tell."""
    role = persons.role_of(by)
    if role not in allowed:
        is_one = f"is {role}" if role else "is not known here"
        raise Forbidden(f"{by[:40]} {is_one}; this is for {' or '.join(allowed)}")


def check_floor(persons: Persons, by: str) -> None:
    """Whether this is a floorperson, who alone gives a hold up and voids a round. Raises BadInput."""
    try:
        check_role(persons, by, (FLOOR,))
    except Forbidden as refused:
        allowed = ", ".join(persons.with_role(FLOOR)) or "nobody"
        raise BadInput(f"--by: {refused}, allowed are {allowed}") from None
