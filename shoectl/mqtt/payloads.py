"""What the table says on the bus: one type a topic. The schemas in docs/schemas are made of these (schemas.py).

`revision` rises within each retained topic, through restarts of the daemon too: of two messages the one with the higher
revision is the newer one. A device's state and the round stand only while `status` says online.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Hex32 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Number = Annotated[int, Field(ge=0)]
Seq = Annotated[int, Field(ge=1)]
JournalName = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
Face = Annotated[str, Field(pattern=r"^[2-9TJQKA][shdc]$")]


class Said(BaseModel):
    """A message: nothing unknown in it."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Status(Said):
    """Topic `status`, retained: birth (`online`), will (`offline`, `lost`) and clean stop (`offline`, `stopped`).

    `instance` is another one at each start of the daemon.
    """

    revision: Number
    state: Literal["online", "offline"]
    reason: Literal["", "lost", "stopped"] = ""
    instance: str
    version: str


class CardSeen(Said):
    """A card on the table: whether it lies face up, and its face then."""

    up: bool
    card: Face | None = None


class View(BaseModel):
    """What everybody may see of the round (as `shoectl/table/visibility.py` lets it out)."""

    model_config = ConfigDict(extra="allow", frozen=True)

    viewer: Literal["public"]
    entry: Number
    round: Number
    step: dict[str, Any] | None
    record: list[dict[str, Any]]
    past: dict[str, Any] | None
    places: dict[str, list[CardSeen]]
    shown: dict[str, list[CardSeen]]
    rack: Number
    wagers: dict[str, dict[str, int]]
    decided: dict[str, list[str]]
    net: dict[str, int]
    hold: dict[str, Any] | None
    journal: str


class Round(Said):
    """Topic `round`, retained. `seq` and `link` are the newest entry of the journal that is on disk: kept elsewhere,
    they prove later that the journal was not shortened.
    """

    revision: Number
    journal: JournalName
    seq: Number
    link: Hex32
    view: View


class Count(Said):
    """Topic `count`, retained. `rounds_left` is None where a device counts; `due`: no round before a count."""

    revision: Number
    rounds_since_count: Number
    rounds_left: Number | None
    due: bool


class Device(Said):
    """Topic `devices/PLACE`, retained: the device at a place, and how it is in one sentence."""

    revision: Number
    place: str
    family: str
    serial: str
    firmware: str
    online: bool
    condition: str
    reconnects: Number


class Event(Said):
    """Topic `events`: an entry of the journal. `seq` counts from 1 without a gap; one that comes twice is the same.

    link(seq) = SHA256(link(seq - 1) ‖ SHA256(salt ‖ "kind wall mono boot\\n" ‖ body)), the body as compact JSON in the
    order of its fields (docs/journal.md).
    """

    seq: Seq
    journal: JournalName
    kind: str
    wall: int
    mono: int
    boot: str
    salt: Hex32
    link: Hex32
    body: dict[str, Any]


class HiddenEvent(Said):
    """Topic `events`: an entry that holds a face. Its inner digest keeps the chain whole and is salted: it cannot be
    guessed from 52 faces.
    """

    seq: Seq
    journal: JournalName
    kind: Literal["hidden"]
    inner: Hex32
    link: Hex32


class Links(Said):
    """What the link of a place has counted since the daemon's start."""

    online: bool
    reconnects: Number
    resends: Number
    bad_crc: Number


class Telemetry(Said):
    """Topic `telemetry`, not retained: how the daemon is. Numbers that stand in this list, and no others.

    `waiting`: entries that the broker does not have yet. `refused`: commands by reason. `lag_ms`: the longest time that
    the event loop was busy with one thing since the last message.
    """

    uptime_s: Number
    rounds: Number
    entries: Number
    waiting: Number
    reconnects: Number
    done: Number
    refused: dict[str, Number]
    lag_ms: Number
    memory_kb: Number
    links: dict[str, Links]


class Reply(Said):
    """The answer to a command. `entry` is the journal's entry that it became, durable by then; `steps` and `view`
    answer `list`. `why` is the kind of a refusal, `error` says it in words, `rule` is the paragraph it offends.
    """

    id: str | None
    ok: bool
    entry: Seq | None = None
    steps: list[dict[str, Any]] | None = None
    view: View | None = None
    why: str | None = None
    error: str | None = None
    rule: str | None = None
