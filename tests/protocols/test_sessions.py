"""Sessions of levels 1 and 2 on all families: handshake, what is sealed, what is refused, and how a session ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from protocols.alder import wire as alder
from protocols.birch import frames as birch
from protocols.cedar import frames as cedar
from protocols.errors import ErrorKind, LocalError
from protocols.handshake import BUSY_PAUSE, Guard, Pin
from protocols.link import AuthFailed, Down, Dropped, Link, LinkEvent, Received, Secured, Side, Up
from protocols.message import Event, Hint, Request, Response
from protocols.piece import Piece, pieces
from protocols.seal import Seal
from protocols.vocabulary import Identity, Resume
from tests.protocols.cables import Bench, Cable
from tests.protocols.forging import first_sealed_changed
from tests.protocols.golden import family, keys

KEY, KEY_ID = bytes(range(32)), 7
CASES = [("alder", 1), *((name, level) for name in ("birch", "cedar", "dogwood") for level in (1, 2))]
EACH = pytest.mark.parametrize(("name", "level"), CASES)
HINTS = {
    "cedar": {"state": 5, "flags": 0, "head_seq": 0, "tail_seq": 1, "fault": 0, "boot": 3},
    "dogwood": dict.fromkeys(("state", "lamp", "flags", "drawn", "remain", "boot", "epoch", "fault", "depth"), 0),
}


def entropy(seed: int) -> Callable[[int], bytes]:
    """Bytes that are the same in each run."""
    numbers: Iterator[int] = iter(range(seed, seed + 10_000))
    return lambda size: bytes((next(numbers) * 7 + 3) & 0xFF for _ in range(size))


@dataclass
class Firmware:
    """Answers OK, keeps a ring, pushes it where the family pushes; its identity is what the guard is told."""

    link: Link
    name: str
    level: int
    key: bytes | None = KEY
    boot: int = 3
    ring: list[Event] = field(default_factory=list)
    asked: list[Request] = field(default_factory=list)
    told: list[LinkEvent] = field(default_factory=list)
    min_level: int = 0
    lies: int = 0

    def __post_init__(self) -> None:
        self.link.resume = self.resume
        self.link.guard = Guard(self.identity, self.key, entropy(100))

    def resume(self) -> Resume:
        told = self.name in ("alder", "birch")  # the others are asked for it
        oldest = self.ring[0].seq if self.ring else 1
        return Resume(1, self.boot_told() if told else self.boot, 1, 0, oldest, len(self.ring))

    def boot_told(self) -> int:
        """The boot, or another one as long as there are lies left."""
        self.lies -= 1
        return self.boot if self.lies < 0 else 9

    def identity(self) -> Identity:
        code = family(self.name).code
        flags = 1 | self.min_level << 4
        return Identity(1, code, 2, flags, 0x1FFF, self.boot, 1, KEY_ID, "00" * 32, "m", "x", "SN1", "1")

    def record(self, now: float) -> None:
        event = Event(len(self.ring) + 1, self.boot, 5, 2, {"old": 1, "new": len(self.ring) % 5})
        self.ring.append(event)
        if self.name in ("alder", "dogwood") and self.link.up:
            self.link.send(event, now)
        self.hint(now)

    def hint(self, now: float) -> None:
        if self.name in HINTS:
            counted = {"head_seq": len(self.ring)} if self.name == "cedar" else {}
            self.link.send(Hint({**HINTS[self.name], "boot": self.boot, **counted}), now)

    def __call__(self, event: LinkEvent, now: float) -> None:
        self.told.append(event)
        match event:
            case Up() if self.name == "alder":
                for each in self.ring:
                    self.link.send(each, now)
            case Received(Request() as request):
                if request.type not in ("POLL", "READ_EVENTS", "EVENT_READ"):
                    self.asked.append(request)
                self.link.send(Response(request.type, request.id, 0, self.body(request)), now)
            case _:
                pass

    def body(self, request: Request) -> dict[str, Any]:
        match request.type:
            case "IDENT" | "GET_IDENT":
                return self.identity().body
            case "WINDOW" | "GET_RESUME":
                block = {**self.resume().body, "boot": self.boot_told()}
                return block if request.type == "WINDOW" else {**block, "last_cmd_id": 0}
            case "POLL":
                return {"ctr": len(self.ring), "state": 2, "flags": 0, "recent": ()}
            case "READ_EVENTS" | "EVENT_READ":
                return {"events": tuple(each for each in self.ring if each.seq >= request.body["from"])}
            case "CONFIG_GET":
                return {"value": request.body["key"]}
            case _:
                return {}


class Rig(Bench):
    """A pinned host and a guarded device. What travels is kept."""

    def __init__(self, name: str, level: int, *, pin: Pin | None = None, **firmware: Any) -> None:
        self.handshakes: list[int] = []
        device = family(name).make_link(Side.DEVICE)
        options = {} if level == 0 else {"pin": pin or Pin(level, KEY, KEY_ID), "entropy": self.nonce}
        host = family(name).make_link(Side.HOST, **options)
        host.read_events_after(0)
        self.firm = Firmware(device, name, level, **firmware)
        super().__init__(host, device, self.firm, Tap(), Tap())

    def nonce(self, size: int) -> bytes:
        self.handshakes.append(size)
        return bytes([len(self.handshakes)] * size)

    def ask(self, number: int) -> None:
        self.host.send(Request("CONFIG_GET", number, {"key": number}), self.now)
        self.run(5, until=lambda: number in self.answers())

    def answers(self) -> list[int]:
        return [answer.body["value"] for answer in self.responses() if answer.type == "CONFIG_GET" and answer.ok]

    def responses(self) -> list[Response]:
        messages = [event.message for event in self.at_host if isinstance(event, Received)]
        return [message for message in messages if isinstance(message, Response)]

    def events(self) -> list[int]:
        return [e.message.seq for e in self.at_host if isinstance(e, Received) and isinstance(e.message, Event)]

    def downs(self) -> list[str]:
        return [event.reason for event in self.at_host if isinstance(event, Down)]

    def failures(self) -> list[tuple[int, int]]:
        return [(event.reason, event.count) for event in self.firm.told if isinstance(event, AuthFailed)]

    def drops(self) -> list[ErrorKind]:
        return [event.kind for event in self.at_device if isinstance(event, Dropped)]


@dataclass
class Tap(Cable):
    """Keeps what passes, and changes what it is told to."""

    passed: list[bytes] = field(default_factory=list)
    turn: Callable[[bytes], bytes] | None = None

    def carry(self, data: bytes) -> list[bytes]:
        if self.turn is not None:
            data = self.turn(data)
        self.passed.append(data)
        return [data] if data else []


def once(name: str, tap: Tap) -> Callable[[bytes], bytes]:
    """Change the first sealed message that passes, and no other."""

    def turn(data: bytes) -> bytes:
        forged = first_sealed_changed(name, data)
        if forged != data:
            tap.turn = None
        return forged

    return turn


# a session that stands


@EACH
def test_the_host_has_its_session_before_it_is_up_and_everything_passes_through_it(name: str, level: int) -> None:
    rig = Rig(name, level, min_level=level)
    rig.up()
    assert (rig.host.level, rig.device.level) == (level, level)
    assert [event for event in rig.firm.told if isinstance(event, Secured)] == [Secured(level)]
    for number in (1, 2, 3):
        rig.ask(number)
    rig.firm.record(rig.now)
    rig.run(3, until=lambda: bool(rig.events()))
    assert rig.answers() == [1, 2, 3]
    assert rig.events() == [1]
    assert rig.downs() == []
    assert rig.drops() == []
    assert rig.failures() == []


@EACH
def test_at_level_2_no_body_can_be_read_on_the_wire(name: str, level: int) -> None:
    rig = Rig(name, level)
    rig.up()
    for cable in (rig.to_device, rig.to_host):
        cable.passed.clear()  # type: ignore[attr-defined]
    said = bytes.fromhex("22334455")
    rig.host.send(Request("CLEAR_FAULT", 5, {"fault_seq": int.from_bytes(said, "little"), "operator": 9}), rig.now)
    rig.run(1, until=lambda: any(request.type == "CLEAR_FAULT" for request in rig.firm.asked))
    wire = b"".join(rig.to_device.passed)  # type: ignore[attr-defined]
    assert (said in wire) is (level == 1)


@EACH
def test_a_device_that_insists_gives_nothing_to_a_host_without_a_session(name: str, level: int) -> None:
    rig = Rig(name, 0, min_level=level)
    rig.up()
    rig.firm.record(rig.now)
    rig.host.send(Request("CONFIG_GET", 1, {"key": 1}), rig.now)
    rig.run(5)
    assert rig.answers() == []
    assert rig.events() == []
    assert 6 in [response.result for response in rig.responses()]
    assert [request.type for request in rig.firm.asked if request.type not in ("WINDOW", "GET_RESUME", "IDENT")] == []


# a handshake that fails


def wrong_pins(level: int) -> list[tuple[Pin, str]]:
    return [
        (Pin(level, bytes(32), KEY_ID), "does not prove that it has key 7"),
        (Pin(level, KEY, 8), "has key 7 and not key 8"),
    ]


@EACH
def test_a_host_with_another_key_stops_and_never_shows_its_proof(name: str, level: int) -> None:
    for pin, why in wrong_pins(level):
        rig = Rig(name, level, pin=pin)
        rig.open()
        rig.run(30)
        assert not rig.host.up
        assert rig.host.deadline() is None
        assert why in rig.downs()[-1]
        assert rig.failures() == []
        assert not any(isinstance(event, Up) for event in rig.at_host)


@EACH
def test_a_device_without_a_key_or_that_asks_for_more_refuses_and_counts(name: str, level: int) -> None:
    rig = Rig(name, level, key=None)
    rig.open()
    rig.run(10)
    assert "refuses a session" in rig.downs()[-1]
    assert rig.failures() == [(4, 1)]
    if level == 1:
        higher = Rig(name, level, min_level=2)
        higher.open()
        higher.run(10)
        assert "asks for level 2, and 1 is configured" in higher.downs()[-1]
        assert higher.failures() == []  # it says what it asks for, so there is no need to try


@EACH
def test_a_forged_boot_breaks_the_proof_once_and_the_truth_mends_it(name: str, level: int) -> None:
    """Boot and epoch are those told before: where they have changed meanwhile there is one new try."""
    rig = Rig(name, level)
    rig.firm.lies = 2 if name == "alder" else 1  # an Alder tells its boot when it starts as well
    rig.open()
    rig.run(20, until=lambda: rig.host.up)
    assert rig.host.level == level
    assert rig.handshakes == [16, 16]


# how a session ends


@EACH
def test_what_was_changed_on_the_way_ends_the_session_and_another_one_is_made(name: str, level: int) -> None:
    rig = Rig(name, level)
    rig.up()
    rig.ask(1)
    tap = rig.to_device
    assert isinstance(tap, Tap)
    tap.turn = once(name, tap)
    rig.host.send(Request("CONFIG_GET", 2, {"key": 2}), rig.now)
    rig.run(8, until=lambda: rig.failures() != [] and rig.host.up and rig.device.level == level)
    assert rig.failures() == [(2, 1)]
    assert Secured(0) in rig.firm.told
    assert ErrorKind.MAC in rig.drops()
    rig.run(3, until=lambda: rig.host.up)
    rig.ask(3)
    assert 3 in rig.answers()


@EACH
def test_what_was_recorded_is_worth_nothing_a_second_time(name: str, level: int) -> None:
    rig = Rig(name, level)
    rig.up()
    tap = rig.to_device
    assert isinstance(tap, Tap)
    tap.passed.clear()
    rig.ask(1)
    recorded = next(data for data in tap.passed if first_sealed_changed(name, data) != data)
    rig.ask(2)
    rig.run(0.02)
    before = len(rig.firm.asked)
    events = rig.device.receive(recorded, rig.now)
    assert [event for event in events if isinstance(event, Received)] == []
    assert len(rig.firm.asked) == before
    if name in ("cedar", "dogwood"):  # the numbers and the toggle of the other links find it first
        assert [event.kind for event in events if isinstance(event, Dropped)] == [ErrorKind.REPLAY]
        assert AuthFailed(3, 1) in events
        assert rig.device.level == 0


@EACH
def test_a_restarted_device_is_met_with_a_new_session(name: str, level: int) -> None:
    rig = Rig(name, level, min_level=level)
    rig.up()
    again = family(name).make_link(Side.DEVICE)
    rig.firm = rig.firmware = Firmware(again, name, level, boot=4, min_level=level)
    rig.device = again
    again.open(rig.now)
    rig.firm.hint(rig.now)
    rig.run(20, until=lambda: rig.downs() != [] and rig.host.up)
    assert rig.host.up
    assert again.level == level
    rig.ask(4)
    assert rig.answers() == [4]


# the guard by itself


def guard(min_level: int = 0) -> Guard:
    who = Identity(1, 0x42, 2, min_level << 4, 0x1FFF, 3, 1, KEY_ID, "00" * 32, "m", "x", "SN1", "1")
    return Guard(lambda: who, KEY, entropy(5))


def first(level: int) -> Request:
    return Request("AUTH1", 1, {"level": level, "nonce_h": "00" * 16})


SECOND = Request("AUTH2", 2, {"proof_h": "00" * 16})


def test_common_14_3_wrong_proofs_are_answered_by_rests_and_counted() -> None:
    door, now = guard(), 0.0
    assert door.answer(SECOND, now) == (Response("AUTH2", 2, 6), [AuthFailed(1, 1)])
    for count in range(2, 5):
        assert door.answer(first(1), now)[0].result == 2
        now += BUSY_PAUSE
        assert door.answer(first(1), now)[0].ok
        assert door.answer(SECOND, now) == (Response("AUTH2", 2, 6), []), count
    now += BUSY_PAUSE
    door.answer(first(1), now)
    door.answer(SECOND, now)
    for rest, result in ((59.0, 2), (60.5, 0)):
        assert door.answer(first(1), now + rest)[0].result == result
    assert door.answer(SECOND, now + 61) == (Response("AUTH2", 2, 6), [AuthFailed(1, 6)])


def test_common_14_3_levels_that_are_no_levels_or_cannot_be_had() -> None:
    door = guard()
    assert [door.answer(first(level), 0.0)[0].result for level in (0, 3, 255)] == [4, 4, 4]
    weak = Guard(lambda: replace(door._identity(), caps=1 << 10), KEY)
    assert [weak.answer(first(level), 0.0)[0].result for level in (1, 2)] == [0, 10]
    assert guard(min_level=2).answer(first(1), 0.0) == (Response("AUTH1", 1, 6), [AuthFailed(4, 1)])


def test_counters_never_wrap() -> None:
    seal = Seal(keys("birch-2"), Side.HOST, 0xFFFF_FFFF)
    seal.close(b"", b"last")
    with pytest.raises(LocalError, match="counters"):
        seal.close(b"", b"one too many")


def test_a_pin_is_complete() -> None:
    for level, key, key_id in ((0, KEY, 1), (3, KEY, 1), (1, b"short", 1), (1, KEY, 0)):
        with pytest.raises(ValueError, match=r"level|key"):
            Pin(level, key, key_id)
    assert KEY.hex() not in repr(Pin(1, KEY, 1))


# common.md §6: the session is looked at before anything else


def unreadable(name: str) -> list[bytes]:
    """A command of unknown type and one whose body does not fit, as they travel without a session."""
    match name:
        case "alder":
            payloads = [b"\x3f\1\0", b"\x15\2\0"]
            sent = [alder.Frame(alder.Kind.DATA, ns=number, payload=each) for number, each in enumerate(payloads)]
            return [alder.encode(frame) for frame in sent]
        case "birch":
            return [birch.encode(birch.Frame(3, 1, False, toggle, code)) for code in (0x3F, 0x16) for toggle in (0, 1)]
        case "cedar":
            sent = [cedar.Frame(code, False, number, 9) for number, code in enumerate((0x13, 0x16))]
            return [Piece(0x01, cedar.encode(frame)).encode() for frame in sent]
        case _:
            bodies = (b"\x11\1\0\x7f", b"\x11\2\0\x05\1\0\x0f")
            return [Piece(0x01, body.ljust(64, b"\0")).encode() for body in bodies]


def refusals(name: str, rig: Rig) -> list[int]:
    """The results with which the device answers these."""
    told = []
    for data in unreadable(name):
        rig.now += 0.1
        rig.device.receive(data, rig.now)
        rig.now += 0.1
        out = rig.device.output(rig.now)
        told += [fields["result"] for fields in answers_in(name, out)]
    return told


def answers_in(name: str, out: bytes) -> list[dict[str, Any]]:
    kind = family(name)
    parts = [piece.data for piece in pieces(out)] if name in ("cedar", "dogwood") else kind.split_frames(out)
    found = []
    for part in parts:
        if name == "birch":
            found.append({"result": birch.decode(part).data[0]})
        elif name == "alder":
            frame = alder.decode(part[1:-1])
            found += [{"result": frame.payload[3]}] if frame.payload else []
        elif name == "cedar":
            found += [{"result": cedar.decode(part).payload[0]}] if part[:2] == b"\xc5\x5c" else []
        else:
            found += [{"result": part[4]}] if part[0] == 4 else []
    return found


@pytest.mark.parametrize("name", ["alder", "birch", "cedar", "dogwood"])
@pytest.mark.parametrize(("min_level", "results"), [(0, [10, 4]), (1, [6, 6])])
def test_common_6_without_the_session_that_it_needs_a_device_says_no_more_than_that(
    name: str, min_level: int, results: list[int]
) -> None:
    rig = Rig(name, 0, min_level=min_level)
    rig.up()
    rig.run(0.3)
    rig.device.output(rig.now)
    told = refusals(name, rig)
    assert told[-2:] == results if name != "birch" else set(told[1:]) == set(results)  # both toggles, one is a repeat
