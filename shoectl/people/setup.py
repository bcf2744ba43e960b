"""The people of a table, by its configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from argon2 import PasswordHasher

from shoectl.config_sections import Config
from shoectl.people.pins import hash_pin, new_pin
from shoectl.people.register import Record, Register, register_path
from shoectl.people.signin import LINK_S, SignIn

# PINs of a simulated table are made anew at each start and stand in no file, so nobody has their hashes to try
LIGHT: Final = PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1)


@dataclass(frozen=True)
class WaysIn:
    """How to sign in, for whoever started the daemon: in whole `lines`, with `{address}` for that of the pages, and in
    as few words as the head of a picture has room for.
    """

    lines: tuple[str, ...] = ()
    short: str = ""


def people_of(config: Config, *, simulated: bool) -> tuple[SignIn, WaysIn]:
    """Who may sign in, and how that is told. Raises BadInput.

    A simulated table without a register of its own has a dealer and a floorperson, with PINs of that run, and a link
    that signs the dealer in once; he signs for the floor too.
    """
    idle_s = 60.0 * (config.console.idle_minutes if config.console else 15)
    if simulated and config.people.file is None:
        return _made_up(config.people.dealer, config.people.floor, idle_s)
    path = register_path(config)
    register = Register(path)
    lines = () if register.people() else (f"nobody can sign in yet: shoectl people add … --file {path}",)
    return SignIn(register, idle_s=idle_s), WaysIn(lines)


def _made_up(dealer: int, floor: int, idle_s: float) -> tuple[SignIn, WaysIn]:
    pins = {dealer: new_pin(dealer), floor: new_pin(floor)}
    people = [
        Record(number=dealer, name="Dealer", role="dealer", pin=hash_pin(pins[dealer], LIGHT)),
        Record(number=floor, name="Floor", role="floor", pin=hash_pin(pins[floor], LIGHT)),
    ]
    signin = SignIn(Register(people=people), idle_s=idle_s, also_floor=floor, hasher=LIGHT)
    minutes = round(LINK_S / 60)
    lines = (
        f"sign in once, within {minutes} minutes: {{address}}/signin?link={signin.make_link(dealer)}",
        f"or with number and PIN: dealer {dealer} {pins[dealer]}, floor {floor} {pins[floor]}",
    )
    return signin, WaysIn(lines, f"{dealer} PIN {pins[dealer]}")
