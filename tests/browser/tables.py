"""Daemons of their own, with pages: a simulated table, or one that is dealt from the hand by whoever looks."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from argon2 import PasswordHasher
from playwright.sync_api import Page

from shoectl.people.pins import hash_pin
from shoectl.people.register import Record, write

COMMAND = [sys.executable, "-m", "shoectl"]
BEGINS_WITHIN_S = 30.0
SIGN_IN = re.compile(r"sign in once.*?(http\S+link=\S+)")
ADDRESS = re.compile(r"^console: (http\S+)$", re.MULTILINE)
DEALER, FLOOR, OBSERVER = ("4711", "274920"), ("815", "860315"), ("12", "593817")  # number and PIN
PERSONS = {"dealer": DEALER, "floor": FLOOR, "observer": OBSERVER}
QUICK = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)


@dataclass(frozen=True)
class Daemon:
    """One that runs: where its pages are, the link that signs in once ("" where there is none), its journal and id."""

    address: str
    link: str
    journal: Path
    pid: int

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Its line is as dead within the block: it is open, and nothing comes."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)

    def enter(self, page: Page) -> None:
        """Sign in by the link."""
        page.goto(self.link)
        page.wait_for_selector(".js #say")

    def sign_in(self, page: Page, number: str, pin: str, *, script: bool = True) -> None:
        """Sign in with number and PIN."""
        page.goto(f"{self.address}/signin")
        page.get_by_label("Operator number").fill(number)
        page.get_by_label("PIN").fill(pin)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_selector(".js #say" if script else "#say")


@contextmanager
def daemon(folder: Path, *arguments: str) -> Iterator[Daemon]:
    """`shoectl run` with these arguments, until the block is left."""
    folder.mkdir(parents=True, exist_ok=True)
    journal, told = folder / "table.journal", folder / "told"
    wish = [*COMMAND, "run", "--journal", str(journal), "--socket", str(folder / "s"), "--json", *arguments]
    place = {**os.environ, "XDG_STATE_HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}
    with told.open("w") as err, subprocess.Popen(wish, stderr=err, stdout=subprocess.DEVNULL, env=place) as process:
        try:
            yield _ready(process, told, journal)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(10)


def _ready(process: subprocess.Popen[bytes], told: Path, journal: Path) -> Daemon:
    end = time.monotonic() + BEGINS_WITHIN_S
    while time.monotonic() < end and process.poll() is None:
        text = told.read_text()
        link = SIGN_IN.search(text)
        if (address := ADDRESS.search(text)) and (link or "sim" not in text or "seed" not in text):
            return Daemon(address.group(1), link.group(1) if link else "", journal, process.pid)
        time.sleep(0.05)
    raise AssertionError(f"no page within {BEGINS_WITHIN_S:g} s: {told.read_text()}")


@contextmanager
def simulated(folder: Path, game: str, *arguments: str, seed: int = 7, speed: str = "max") -> Iterator[Daemon]:
    """A simulated table at whose page somebody deals."""
    wish = ["--sim", "--dealer", "console", "--game", game, "--seed", str(seed), "--speed", speed]
    with daemon(folder, *wish, *arguments) as running:
        yield running


CONFIG = """
[table]
name = "Table 7"
game = "{game}"
seats = {seats}
dealing = "hand"
[limits]
{limits}
[house]
count_every = 1
{house}
[people]
file = "{people}"
[console]
listen = "127.0.0.1:{port}"
"""
LIMITS = {
    "lunar-poker": "ante = [25, 500]\nsuper = [5, 25]",
    "four-card-poker": "ante = [10, 500]\naces_up = [5, 100]\nsix_card = [5, 100]",
    "five-card-hi-lo": "ante = [10, 500]\ntie = [5, 100]\npoker_bonus = [5, 100]",
    "cajun-stud": "ante = [10, 500]\npocket = [5, 100]\nall_six = [5, 100]",
}


@contextmanager
def by_hand(folder: Path, game: str = "lunar-poker", *, seats: int = 3, house: str = "") -> Iterator[Daemon]:
    """A table without a device and without simulated people: whoever is at the page answers every step."""
    folder.mkdir(parents=True, exist_ok=True)
    people, config = folder / "people.json", folder / "table.toml"
    write(people, [_record(number, pin, role) for role, (number, pin) in PERSONS.items()])
    filled = CONFIG.format(game=game, seats=seats, limits=LIMITS[game], house=house, people=people, port=_free_port())
    config.write_text(filled)
    with daemon(folder, "--config", str(config)) as running:
        yield running


def _record(number: str, pin: str, role: str) -> Record:
    return Record(number=int(number), name=role.title(), role=role, pin=hash_pin(pin, QUICK))  # type: ignore[arg-type]


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
