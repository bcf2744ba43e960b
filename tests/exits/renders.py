"""All that a table's faces can make without waiting: pages, JSON, metrics, topics, the terminal's picture."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from rich.console import Console

from shoectl.console.devices import devices
from shoectl.console.face import Caller, Face
from shoectl.console.health import health
from shoectl.devices.station import Station
from shoectl.frames import Frames
from shoectl.mqtt import contents
from shoectl.mqtt.topics import Topics
from shoectl.service import standing
from shoectl.table.runner import Runner
from shoectl.terminal_picture import picture

SIZES = {1: (160, 50), 6: (80, 24)}  # by the last digits of the change: drawing takes longer than all the rest


class Renders:
    """Of one daemon. Made twice at the same moment they are the same, byte for byte."""

    def __init__(
        self, app: FastAPI, runner: Runner[Any], stations: Mapping[str, Station], callers: list[Caller], topics: Topics
    ) -> None:
        self.face: Face = app.state.face
        self._metrics = app.state.metrics
        self._runner, self._stations, self._callers, self._topics = runner, stations, callers, topics
        self.frames = Frames(runner, stations, "Table 7")

    def made(self) -> dict[str, str]:
        """Each by the name of its exit."""
        return {**self._console(), **self._pages(), **self._bus(), **self._terminal()}

    def _console(self) -> dict[str, str]:
        face = self.face
        views = {caller.person.role: json.dumps(face.view(caller.person)) for caller in self._callers}
        return {
            "steps": json.dumps(face.desk.steps()),
            "stream": face.stream.event(),
            "metrics": self._metrics.text().decode(),
            "health": json.dumps(health(face)),
            "devices": json.dumps(devices(self._stations, face.history)),
            **{f"view, {role}": text for role, text in views.items()},
        }

    def _pages(self) -> dict[str, str]:
        face, made = self.face, {}
        for caller in self._callers:
            for name in ("dealer", "pit"):
                values = face.values(name, caller)
                made[f"page {name}, {caller.person.role}"] = face.templates.page(name, values)
                made[f"parts {name}, {caller.person.role}"] = face.templates.parts(name, values)
        return made

    def _bus(self) -> dict[str, str]:
        now = contents.retained(self._topics, self._runner, self._stations, "0" * 16)
        made = {f"topic {topic.removeprefix(self._topics.base)}": json.dumps(one) for topic, one in now.items()}
        return {**made, "links": repr(contents.links(self._stations))}

    def _terminal(self) -> dict[str, str]:
        frame = self.frames.now()
        made = {"frame": json.dumps(vars(frame)), "status": standing.standing(self._runner, self._stations)}
        if size := SIZES.get(self._runner.version % 8):
            screen = io.StringIO()
            Console(file=screen, width=size[0], height=size[1]).print(picture(frame, *size))
            made["picture"] = screen.getvalue()
        return made
