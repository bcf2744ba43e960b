"""Who may command what: an observer looks, a dealer answers for the dealer, a floorperson for the floor.

The broker's rights (its ACL) say which systems may write commands at all; a command then names the person, and the
people's register says what he may do. Without a register the persons are the operators of the table's state. Nobody
answers for a seat from here: players are at the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

from shoectl.config_sections import Config
from shoectl.errors import ShoectlError
from shoectl.mqtt.commands import Answer, Command, CommandRefused, Held, List
from shoectl.people.numbers import operator_number
from shoectl.people.register import Register, register_path
from shoectl.table.desk import default_by, ref_of, says
from shoectl.table.runner import Runner

LOOKING: Final = ("observer", "dealer", "floor")
ACTING: Final = ("dealer", "floor")


class Persons(Protocol):
    """A register of people."""

    def role_of(self, by: str) -> str | None:
        """`observer`, `dealer` or `floor`; None for somebody unknown. Raises ShoectlError where nobody can tell."""
        ...


@dataclass(frozen=True)
class Operators:
    """The persons of a table without a register: those of its state, by name or number."""

    runner: Runner[Any]

    def role_of(self, by: str) -> str | None:
        """The name under which the state has this operator, as `dealer`."""
        operators: dict[str, int] = dict(self.runner.state.operators)
        return next((name for name, number in operators.items() if by in (name, str(number))), None)


@dataclass(frozen=True)
class OfRegister:
    """The persons of the register, by operator number."""

    register: Register

    def role_of(self, by: str) -> str | None:
        """The role of somebody. Raises BadInput where the register cannot be read."""
        found = self.register.find(operator_number(by))
        return found.role if found else None


def register_of(config: Config) -> Persons | None:
    """The register of a table, if there is one: the operators are asked where it is neither named nor there.

    Raises BadInput where it cannot be read.
    """
    path = register_path(config)
    if not config.people.file and not path.exists():
        return None
    register = Register(path)
    register.people()
    return OfRegister(register)


def check(command: Command, runner: Runner[Any], persons: Persons) -> None:
    """Whether these persons may say this now. Raises CommandRefused; StepClosed where the step is not open."""
    for by in command.persons:
        role, allowed = _role(command, persons, by), _allowed(command, runner)
        if role not in allowed:
            is_one = f"is {role}" if role else "is not known here"
            text = f"{by} {is_one}; this is for {' or '.join(allowed)}"
            raise CommandRefused("unauthorised", text, id=command.id)


def _role(command: Command, persons: Persons, by: str) -> str | None:
    """Where files lie here, and what is wrong with them, is nothing for the bus."""
    try:
        return persons.role_of(by)
    except ShoectlError:
        text = "the table's register of people cannot be read; `shoectl check` at the table says why"
        raise CommandRefused("not allowed", text, id=command.id) from None


def _allowed(command: Command, runner: Runner[Any]) -> tuple[str, ...]:
    match command:
        case List():
            return LOOKING
        case Answer(step=name):
            return (default_by(runner.at(ref_of(name)).step.do),)
        case Held(how=how) if says(how) == "floor":
            return ("floor",)
        case _:
            return ACTING
