"""What the routes share: the desk, who is signed in, how the rest of the table stands, the pages and the stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from shoectl.console.devices import devices
from shoectl.console.history import History
from shoectl.console.pages import dealer, pit
from shoectl.console.render import Templates
from shoectl.console.settings import Call, Counts, Settings, Standing
from shoectl.console.stream import Stream
from shoectl.devices.station import Station
from shoectl.people.roles import OBSERVER, Person
from shoectl.people.signin import SignIn
from shoectl.status import BusStatus, UpkeepStatus
from shoectl.table.desk import Desk


@dataclass(frozen=True)
class Caller:
    """Who asks. `token` has to come back with each change; a program that shows its own token needs none (""). `id` is
    the session's, "" for a program.
    """

    person: Person
    token: str = ""
    id: str = ""


class Face:
    """One table's web face."""

    def __init__(
        self,
        desk: Desk,
        stations: Mapping[str, Station],
        people: SignIn,
        settings: Settings,
        *,
        title: str,
        bus: Callable[[], BusStatus | None] = lambda: None,
        upkeep: Callable[[], UpkeepStatus | None] = lambda: None,
    ) -> None:
        self.desk, self.people, self.settings, self.title = desk, people, settings, title
        self.stations = stations
        self.bus, self.upkeep = bus, upkeep
        self.templates = Templates()
        self.stream = Stream(desk.runner)
        self.history = History(desk.runner)
        self.counts = Counts()
        self.called: Call | None = None

    def view(self, person: Person) -> dict[str, Any]:
        """What this person may see of the round."""
        return self.desk.runner.view("public" if person.role == OBSERVER else "dealer")

    def standing(self) -> Standing:
        """How the table stands beside its round."""
        return Standing(
            title=self.title,
            devices=devices(self.stations, self.history),
            pace=self.history.pace(),
            journal=self.desk.runner.condition,
            bus=self.bus(),
            upkeep=self.upkeep(),
            called=self.called,
            past=self.history.past(),
        )

    def common(self, caller: Caller | None, said: str = "") -> dict[str, Any]:
        """What every page is given (render.py)."""
        return {
            "title": self.title,
            "person": caller.person if caller else None,
            "token": caller.token if caller else "",
            "said": said,
            "idle_minutes": round(self.people.sessions.idle_s / 60),
            "simulated": self.settings.simulated,
        }

    def values(self, name: str, caller: Caller, said: str = "") -> dict[str, Any]:
        """What a page of the table is given: `dealer` or `pit`."""
        view, steps, state = self.view(caller.person), self.desk.steps(), self.desk.runner.state
        page = pit.page if name == "pit" else dealer.page
        shown = page(view, steps, state, caller.person, self.standing())
        return self.common(caller, said) | {"page": shown}

    def call_floor(self, person: Person) -> None:
        """A floorperson is wanted; one who says the same has come."""
        step = next((step["ref"] for step in self.desk.steps()), "")
        self.called = None if person.role == "floor" else Call(person.number, person.name, step)
        self.stream.wake()
