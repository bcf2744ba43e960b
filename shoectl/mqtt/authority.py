"""Who may command what: an observer looks, a dealer answers for the dealer, a floorperson for the floor.

The broker's rights (its ACL) say which systems may write commands at all; a command then names the person, and the
people's register says what he may do. Without a register the persons are the operators of the table's state. Nobody
answers for a seat from here: players are at the table.
"""

from __future__ import annotations

from typing import Any, Final

from shoectl.errors import ShoectlError
from shoectl.mqtt.commands import Answer, Command, CommandRefused, Held, List
from shoectl.people.persons import Persons, check_role
from shoectl.people.roles import Forbidden
from shoectl.table.desk import default_by, ref_of, says
from shoectl.table.runner import Runner

LOOKING: Final = ("observer", "dealer", "floor")
ACTING: Final = ("dealer", "floor")


def check(command: Command, runner: Runner[Any], persons: Persons) -> None:
    """Whether these persons may say this now. Raises CommandRefused; StepClosed where the step is not open."""
    for by in command.persons:
        allowed = _allowed(command, runner)
        try:
            check_role(persons, by, allowed)
        except Forbidden as refused:
            raise CommandRefused("unauthorised", str(refused), id=command.id) from None
        except ShoectlError:  # where files lie here, and what is wrong with them, is nothing for the bus
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
