"""The device's end of a Cedar's plug (cedar.md §1, §2, §6).

Give `resume` (see protocols.link.Link) before `open`; it is called in the moment of a flush. Each command comes up as
`Received`, and the firmware answers by `send`, in any order; what nobody waits for any more is dropped. A question
has the number of its frame for an id. Requests on endpoint 0 come up as `GET_RESUME` and `GET_IDENT` and are answered
alike (the link fills in the cause). The firmware sends a `Hint` with the doorbell's fields whenever one of them
changes; the link fills in the credit and rings each second. Unknown types, bodies that do not fit and a fifth command
are answered by the link itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from protocols.cedar import frames, wire
from protocols.cedar.datasheet import BULK_IN, BULK_OUT, CREDITS, DOORBELL_EVERY, DOORBELL_IN
from protocols.cedar.frames import Frame, Transfers
from protocols.codec import build
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.link import Dropped, Heard, Link, LinkCounters, LinkEvent, Received, Side, Silent, Tally, Up
from protocols.message import Hint, Message, Request, Response
from protocols.piece import CONTROL_IN, CONTROL_OUT, Piece, PieceFramer, Tail
from protocols.vocabulary import Result, Resume, ResumeCause


@dataclass(frozen=True)
class _Asked:
    """A command without a reply: what the firmware was told, and the frame's numbers."""

    request: Request
    seq: int
    cmd_id: int


class CedarDevice(Link):
    """The device's link. Nothing is rung before the host was heard, and nothing after the plug was pulled."""

    side = Side.DEVICE

    def __init__(self, *, resume: Callable[[], Resume] | None = None) -> None:
        if resume is not None:
            self.resume = resume
        self._open = False
        self._plugged = False
        self._ears = {CONTROL_OUT: self._setup, BULK_OUT: self._bulk}
        self._tally = Tally()
        self._framer = PieceFramer()
        self._transfers = Transfers()
        self._events: list[LinkEvent] = []
        self._cause = ResumeCause.RESTARTED
        self._asked: list[_Asked] = []
        self._control: tuple[str, int] | None = None
        self._replies: list[Piece] = []
        self._doorbell: bytes | None = None
        self._hint: Hint | None = None
        self._rung_at = 0.0

    # Link

    def open(self, now: float) -> None:
        """See Link. A USB device says nothing by itself when it starts."""
        self._open = True
        self._rung_at = now

    def receive(self, data: bytes, now: float) -> list[LinkEvent]:
        """See Link. Takes pieces of endpoints 00 and 01."""
        self._tally.bytes_in += len(data)
        for item in self._framer.feed(data, now):
            if isinstance(item, FrameError):
                self._drop(item.kind)
            elif item.ep not in self._ears:
                self._drop(ErrorKind.TYPE)
            elif self._open:
                self._plug()
                self._ears[item.ep](item, now)
        return self._take_events()

    def send(self, message: Message, now: float) -> None:
        """See Link. Replies and doorbells: a Cedar pushes no events."""
        if not self._open:
            raise LocalError("the link is not open")
        match message:
            case Response(type="GET_RESUME" | "GET_IDENT"):
                self._told(message)
            case Response():
                self._reply(message)
            case Hint():
                self._ring(message, now)
            case _:
                raise LocalError(f"a Cedar does not push {type(message).__name__}: it is read")

    def output(self, now: float) -> bytes:
        """See Link. Pieces of endpoints 80, 81 and 82; a doorbell takes the place of one not yet given."""
        out, self._replies = self._replies, []
        if self._plugged and self._doorbell is not None:
            out.append(Piece(DOORBELL_IN, self._doorbell))
            self._doorbell = None
        data = b"".join(piece.encode() for piece in out)
        self._tally.bytes_out += len(data)
        self._tally.frames_out += len(out)
        return data

    def tick(self, now: float) -> list[LinkEvent]:
        """See Link."""
        if self._hint is not None and now >= self._rung_at + DOORBELL_EVERY:
            self._ring(self._hint, now)
        return self._take_events()

    def deadline(self) -> float | None:
        """See Link."""
        if self._replies or (self._plugged and self._doorbell is not None):
            return 0.0
        return self._rung_at + DOORBELL_EVERY if self._plugged and self._hint is not None else None

    @property
    def up(self) -> bool:
        """Whether the device has power and listens."""
        return self._open

    @property
    def counters(self) -> LinkCounters:
        """See Link."""
        return self._tally.counters()

    def unplugged(self, now: float) -> list[LinkEvent]:
        """See Link. `Silent` tells the firmware, with 0 ms; `Heard` follows with the first thing that comes in."""
        self._forget()
        self._replies.clear()
        if self._plugged:
            self._plugged = False
            self._events.append(Silent(0))
        return self._take_events()

    def _plug(self) -> None:
        if not self._plugged:
            self._plugged = True
            self._events.append(Heard())

    # endpoint 0

    def _setup(self, piece: Piece, now: float) -> None:
        try:
            name, length = wire.read_setup(piece.data)
        except (FrameError, DecodeError) as error:
            self._drop(error.kind)
            self._replies.append(Piece(CONTROL_IN, tail=Tail.STALL))
            return
        if name == "FLUSH":
            self._flush()
            return
        self._control = (name, length)
        self._events.append(Received(Request(name)))

    def _flush(self) -> None:
        """Throw away what is half received, not yet taken or not yet sent; then say that it is done."""
        self._forget()
        self._replies = [Piece(CONTROL_IN)]
        self._tally.resets += 1
        self._events.append(Up(replace(self.resume(), cause=int(self._cause))))

    def _forget(self) -> None:
        self._transfers.clear()
        self._asked.clear()
        self._control = None

    def _told(self, response: Response) -> None:
        if self._control is None or self._control[0] != response.type:
            return
        (name, length), self._control = self._control, None
        body = response.body
        if name == "GET_RESUME":
            body = {**body, "cause": int(self._cause)}
            self._cause = ResumeCause.HOST_ASKED
        data = build(wire.CONTROL.by_name[name].response, body, name)
        self._replies.append(Piece(CONTROL_IN, data[:length]))

    # the doorbell

    def _ring(self, hint: Hint, now: float) -> None:
        self._hint, self._rung_at = hint, now
        fields = {**hint.body, "credit": CREDITS - len(self._asked), "pad": 0}
        self._doorbell = build(wire.DOORBELL, fields, "doorbell")

    # commands

    def _bulk(self, piece: Piece, now: float) -> None:
        item = self._transfers.take(piece)
        if isinstance(item, FrameError):
            self._drop(item.kind)
        elif item is not None:
            self._frame(item)

    def _frame(self, frame: Frame) -> None:
        try:
            kind = wire.check(frame, reply=False)
        except FrameError as error:
            self._drop(error.kind)
            return
        except DecodeError as error:
            self._refuse(frame, Result.E_UNSUPPORTED, error.kind)
            return
        if frame.level:
            self._refuse(frame, Result.E_AUTH, ErrorKind.SEALED)
            return
        self._tally.frames_in += 1
        if len(self._asked) >= CREDITS:
            self._refuse(frame, Result.E_BUSY)
            return
        try:
            request = wire.read_request(kind, frame)
        except DecodeError as error:
            self._refuse(frame, Result.E_PARAM, error.kind)
            return
        self._asked.append(_Asked(request, frame.seq, frame.cmd_id))
        self._events.append(Received(request))

    def _refuse(self, frame: Frame, result: Result, kind: ErrorKind | None = None) -> None:
        if kind is not None:
            self._drop(kind)
        self._put(Frame(frame.code, True, frame.seq, frame.cmd_id, bytes([result])))

    def _reply(self, response: Response) -> None:
        key = (response.type, response.id)
        asked = next((each for each in self._asked if (each.request.type, each.request.id) == key), None)
        if asked is None:
            return
        frame = wire.reply_frame(response, asked.seq, asked.cmd_id)
        self._asked.remove(asked)
        self._put(frame)

    def _put(self, frame: Frame) -> None:
        self._replies.append(Piece(BULK_IN, frames.encode(frame)))

    def _drop(self, kind: ErrorKind) -> None:
        self._tally.dropped += 1
        self._events.append(Dropped(kind))

    def _take_events(self) -> list[LinkEvent]:
        events, self._events = self._events, []
        return events
