"""The table in a terminal: a live picture where stdout is one, plain lines of steps where it is not.

Fed from the public view alone, so it shows no card that does not lie face up.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console
from rich.live import Live

from shoectl.devices.station import Station
from shoectl.frames import Frames
from shoectl.table.runner import Runner
from shoectl.terminal_picture import Frame, picture
from shoectl.wording import cards_text, place_name, sentence

log = logging.getLogger("shoectl.terminal")

FRAMES_PER_S: Final = 8.0
View = Mapping[str, Any]


class Terminal:
    """A face for stdout; `title` names the table. Give `run` to the daemon's task group."""

    def __init__(self, runner: Runner[Any], stations: Mapping[str, Station], title: str) -> None:
        self.runner = runner
        self._frames = Frames(runner, stations, title)

    async def run(self) -> None:
        """Show the table until cancelled. An output that is gone or full ends this face, and not the table."""
        try:
            if sys.stdout.isatty():
                await self._live()
            else:
                await self._lines()
        except OSError as error:
            log.warning("stdout cannot be written (%s); the table goes on without it", error.strerror or error)

    async def _live(self) -> None:
        changed = asyncio.Event()
        self.runner.listen(changed.set)
        console = Console()
        with Live(console=console, screen=True, auto_refresh=False, transient=True) as live:
            while True:
                changed.clear()
                live.update(picture(self._frames.now(), console.size.width, console.size.height), refresh=True)
                await asyncio.sleep(1 / FRAMES_PER_S)
                await changed.wait()

    async def _lines(self) -> None:
        changed = asyncio.Event()
        self.runner.listen(changed.set)
        printer = Lines()
        while True:
            changed.clear()
            for line in printer.news(self._frames.now()):
                print(line, flush=True)
            await changed.wait()


class Lines:
    """The same as lines: each step once, when it was asked, with its paragraph; holds; what each round came to."""

    def __init__(self) -> None:
        self.round = 0
        self.number = 0  # the last step printed
        self.hold = ""
        self.conditions: dict[str, str] = {}
        self.decided: dict[str, int] = {}  # decisions printed, by seat
        self.shown: dict[str, str] = {}  # cards that lay face up in the round that is being printed

    def news(self, frame: Frame) -> list[str]:
        """The lines since the last call."""
        view = frame.view
        lines = self._devices(frame)
        if view["round"] != self.round:
            past = view["past"]
            if past and past["round"] == self.round:
                lines += self._steps(past["record"])
                lines += self._result(past)
            self.round, self.number, self.shown, self.decided = view["round"], 0, {}, {}
            lines.append(f"round {self.round}")
        lines += self._decisions(view["decided"])
        lines += self._steps([*view["record"], *_open_one(view)])
        self.shown |= {
            place: cards_text(cards)
            for place, cards in (*view["places"].items(), *view["shown"].items())
            if any(card["up"] for card in cards)
        }
        held = view["hold"]["text"] if view["hold"] else ""
        if held != self.hold:
            self.hold = held
            lines.append(f"  held: {held}" if held else "  the hold is over")
        return lines

    def _steps(self, record: list[Any]) -> list[str]:
        fresh = [one for one in record if one["number"] > self.number]
        self.number = max((one["number"] for one in fresh), default=self.number)
        return [f"  {_step_line(one['step'])}" for one in fresh]

    def _decisions(self, decided: Mapping[str, list[str]]) -> list[str]:
        fresh = [
            f"    seat {seat}: {choice}"
            for seat, made in decided.items()
            for choice in made[self.decided.get(seat, 0) :]
        ]
        self.decided = {seat: len(made) for seat, made in decided.items()}
        return fresh

    def _result(self, past: View) -> list[str]:
        shown = [f"  {place_name(place):10} {cards}" for place, cards in self.shown.items()]
        net = "  ".join(f"seat {seat} {gain:+d}" for seat, gain in past["net"].items())
        return [*shown, f"  net        {net or 'nothing was wagered'}"]

    def _devices(self, frame: Frame) -> list[str]:
        fresh = {name: text for name, (_, text) in frame.conditions.items() if self.conditions.get(name) != text}
        self.conditions |= fresh
        return [f"{name}: {text}" for name, text in fresh.items()]


def _open_one(view: View) -> list[Any]:
    step = view["step"]
    return [{"number": step["ref"]["step"], "step": step}] if step else []


def _step_line(step: View) -> str:
    text = f"deal {len(step['to'])} cards" if step["do"] == "deal" else sentence(step)
    return f"{text}  [{step['rule']}]"
