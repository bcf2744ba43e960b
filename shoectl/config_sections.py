"""The sections of a table's configuration, as they stand in its file (config.py reads and checks it)."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from shoectl.games.table_options import MOST_SEATS
from shoectl.plain_text import PRINTABLE, PRINTABLE_WORDS
from shoectl.secret import Secret

Dealing = Literal["shoe", "manual", "hand"]
Place = Literal["shuffler", "shoe"]
TOPIC: Final = r"^[A-Za-z0-9_.-]{1,60}$"
_WAGER: Final = r"^[a-z0-9_]+(:[a-z0-9]+)?$"
_CLIENT: Final = r"^[A-Za-z0-9_.-]{1,64}$"
_LISTEN: Final = r"^(\[[0-9a-f:]+\]|[A-Za-z0-9_.-]+):[0-9]{1,5}$"
_SPEED: Final = r"^(max|[0-9]+([.][0-9]+)?)$"
PATTERNS: Final = {
    TOPIC: "1 to 60 letters, digits, '_', '.' and '-'",
    _WAGER: "the name of a wager, as ante",
    _CLIENT: "1 to 64 letters, digits, '_', '.' and '-'",
    _LISTEN: "HOST:PORT, as 127.0.0.1:8080 or [::1]:8080",
    _SPEED: "a number above 0, as 4, or max",
    PRINTABLE: PRINTABLE_WORDS,
}
"""What a pattern allows, in words."""

Topic = Annotated[str, Field(pattern=TOPIC)]  # one level of an MQTT topic
Wager = Annotated[str, Field(pattern=_WAGER)]
Text = Annotated[str, Field(pattern=PRINTABLE)]
File = Annotated[Text, Field(min_length=1, max_length=4096)]  # from the folder that the program was started in
Amount = Annotated[int, Field(ge=1, le=10**9)]


class Section(BaseModel):
    """A table of the file: nothing unknown, nothing converted, nothing changed later."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Table(Section):
    """What is played where. `seats` are counted from the dealer's left; amounts are in the smallest unit of money."""

    name: Annotated[Text, Field(min_length=1, max_length=60)] = "table"
    site: Topic = "site"
    game: str = "lunar-poker"
    seats: Annotated[int, Field(ge=1, le=MOST_SEATS)] = 4
    dealing: Dealing | None = None
    journal: File | None = None
    socket: File | None = None


class Device(Section):
    """A device of the table: where its line is, which family it has to be, and (wanted) its serial number.

    `firmware` is the version that is approved here; a device with another one is refused. `level` is the least security
    level of its link (0 none, 1 authenticated, 2 encrypted too), `key` the secret of 1 and 2 (64 hexadecimal digits),
    `key_id` the number by which the device knows it.
    """

    url: Text
    family: str
    serial: Text | None = None
    firmware: Text | None = None
    level: Annotated[int, Field(ge=0, le=2)] = 0
    key: Secret | None = None
    key_id: Annotated[int, Field(ge=1, le=0xFFFF_FFFF)] = 1


class Deck(Section):
    """The colours of the backs: of the deck on the table, and of the second one where there are two. Shufflers know
    red, blue, green and black; any other word is another colour to them.
    """

    back: Annotated[Text, Field(min_length=1, max_length=12)] = "red"
    second: Annotated[Text, Field(max_length=12)] = ""


class People(Section):
    """The operator numbers that devices know these people by, and the register of those who may sign in."""

    dealer: Annotated[int, Field(ge=1, le=65535)] = 4711
    floor: Annotated[int, Field(ge=1, le=65535)] = 815
    file: File | None = None


class Bus(Section):
    """The MQTT broker. `site` and `table` name its topics: shoectl/v1/SITE/TABLE/…"""

    host: Annotated[Text, Field(min_length=1, max_length=253)]
    port: Annotated[int, Field(ge=1, le=65535)] = 8883
    tls: bool = True
    ca: File | None = None
    cert: File | None = None
    key: File | None = None
    username: Text | None = None
    password: Secret | None = None
    client_id: Annotated[str, Field(pattern=_CLIENT)] | None = None
    table: Topic | None = None


class Console(Section):
    """The web pages. Where they listen beyond loopback, TLS (`cert`, `key`) is needed."""

    listen: Annotated[str, Field(pattern=_LISTEN)] = "127.0.0.1:8080"
    cert: File | None = None
    key: File | None = None
    idle_minutes: Annotated[int, Field(ge=1, le=24 * 60)] = 15


class Upkeep(Section):
    """The journal's own care: copies of it (each day, so many days kept), and the room that a round needs."""

    backup: File | None = None
    keep_days: Annotated[int, Field(ge=1, le=3660)] = 30
    least_free_mb: Annotated[int, Field(ge=1, le=10**6)] = 64


class Simulated(Section):
    """A running simulator: its control socket and speed, and the seed of the people who are simulated here."""

    control: File
    seed: Annotated[int, Field(ge=0)] = 0
    dealer: Literal["simulated", "console"] = "simulated"
    speed: Annotated[str, Field(pattern=_SPEED)] = "1"


class Config(Section):
    """The whole file."""

    table: Table = Table()
    limits: dict[Wager, tuple[Amount, Amount]] = {}
    house: dict[str, str | int | bool | dict[str, Any]] = {}  # a table in it: the house's own paytable
    devices: dict[Place, Device] = {}
    deck: Deck = Deck()
    people: People = People()
    bus: Bus | None = None
    console: Console | None = None
    upkeep: Upkeep = Upkeep()
    simulated: Simulated | None = None
