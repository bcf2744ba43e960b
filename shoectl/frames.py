"""What a picture of a running table shows, made from the table: public, and the same for every terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from shoectl.devices.station import Station
from shoectl.table.runner import Runner
from shoectl.terminal_picture import Frame


class Frames:
    """The frames of one table. `title` names it; totals are counted from the first frame on."""

    def __init__(self, table: Runner[Any], stations: Mapping[str, Station], title: str) -> None:
        self._table, self._stations, self._title = table, stations, title
        self._totals: Counter[str] = Counter()
        self._counted = 0  # the last round that is in the totals

    def now(self) -> Frame:
        """All that the picture shows, as it is now."""
        view = self._table.view("public")
        past = view["past"]
        if past and past["round"] > self._counted:
            self._counted = past["round"]
            self._totals.update(past["net"])
        conditions = {name: (station.online, station.condition) for name, station in self._stations.items()}
        identities = {
            name: f"{station.family.name} {station.identity.serial if station.identity else ''}".strip()
            for name, station in self._stations.items()
        }
        totals = {seat: self._totals[seat] + view["net"].get(seat, 0) for seat in {*self._totals, *view["net"]}}
        return Frame(self._title, view, _shown(self._table.state.to_json()), conditions, identities, totals)


def _shown(state: Mapping[str, Any]) -> dict[str, Any]:
    """What a picture needs of a table's state."""
    decks = [{"number": deck["number"], "rounds": list(deck["rounds"])} for deck in state["decks"]]
    return {"seats": list(state["seats"]), "decks": decks, "turn": state["turn"]}
