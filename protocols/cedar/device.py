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
from protocols.cedar.datasheet import (
    BULK_IN,
    BULK_OUT,
    CREDITS,
    DOORBELL_EVERY,
    DOORBELL_IN,
    FLAG_SESSION_ACTIVE,
    FLAG_SESSION_NEEDED,
    PAYLOAD_MAX,
)
from protocols.cedar.frames import Frame, Transfers
from protocols.codec import build
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.handshake import Guard
from protocols.link import LinkEvent, Received, Up
from protocols.message import Hint, Message, Request, Response
from protocols.piece import CONTROL_IN, CONTROL_OUT, Piece, Tail
from protocols.plug import DevicePlug
from protocols.seal import overhead
from protocols.vocabulary import Result, Resume, ResumeCause


@dataclass(frozen=True)
class _Asked:
    """A command without a reply: what the firmware was told, and the frame's numbers."""

    request: Request
    seq: int
    cmd_id: int


class CedarDevice(DevicePlug):
    """The device's link. It hears endpoints 00 and 01 and speaks on 80, 81 and 82."""

    def __init__(self, *, resume: Callable[[], Resume] | None = None) -> None:
        super().__init__({CONTROL_OUT: self._setup, BULK_OUT: self._bulk})
        if resume is not None:
            self.resume = resume
        self._transfers = Transfers()
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
        """See Link. A doorbell takes the place of one not yet given."""
        out, self._replies = self._replies, []
        if self._plugged and self._doorbell is not None:
            out.append(Piece(DOORBELL_IN, self._doorbell))
            self._doorbell = None
        return self._said(out)

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
    def room(self) -> int:
        """See Link."""
        return PAYLOAD_MAX - overhead(self.level)

    def _pulled(self) -> None:
        self._forget()
        self._replies.clear()

    # endpoint 0

    def _setup(self, piece: Piece, now: float) -> None:
        try:
            name, length = wire.read_setup(piece.data)
        except (FrameError, DecodeError) as error:
            self._drop(error.kind)
            self._replies.append(Piece(CONTROL_IN, tail=Tail.STALL))
            return
        if name == "FLUSH":
            self._flush(now)
            return
        self._control = (name, length)
        self._events.append(Received(Request(name)))

    def _flush(self, now: float) -> None:
        """Throw away what is half received, not yet taken or not yet sent; then say that it is done."""
        self._forget()
        self._end_session(now)
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
        flags = hint.body["flags"]
        if self.guard is not None:
            flags &= ~(FLAG_SESSION_ACTIVE | FLAG_SESSION_NEEDED)
            flags |= FLAG_SESSION_ACTIVE * bool(self.level) | FLAG_SESSION_NEEDED * self.guard.missing
        fields = {**hint.body, "flags": flags, "credit": CREDITS - len(self._asked), "pad": 0}
        self._doorbell = build(wire.DOORBELL, fields, "doorbell")

    # commands

    def _bulk(self, piece: Piece, now: float) -> None:
        item = self._transfers.take(piece)
        if isinstance(item, FrameError):
            self._drop(item.kind)
        elif item is not None:
            self._frame(item, now)

    def _frame(self, frame: Frame, now: float) -> None:
        """A frame: first whether the session lets it pass, then whether it is a command, and whether there is room."""
        if frame.reply:
            self._drop(ErrorKind.FLAGS)
            return
        plain = self._admitted(frame, now)
        if plain is None:
            return
        self._tally.frames_in += 1
        try:
            kind = wire.check(plain, reply=False)
            if len(self._asked) >= CREDITS:
                self._refuse(frame, Result.E_BUSY)
                return
            request = wire.read_request(kind, plain)
        except DecodeError as error:
            unknown = error.kind is ErrorKind.TYPE
            self._refuse(frame, Result.E_UNSUPPORTED if unknown else Result.E_PARAM, error.kind)
            return
        self._asked.append(_Asked(request, frame.seq, frame.cmd_id))
        if self.guard is not None and request.type in ("AUTH1", "AUTH2"):
            self._authenticate(self.guard, request, now)
        else:
            self._events.append(Received(request))

    def _refuse(self, frame: Frame, result: Result, kind: ErrorKind | None = None) -> None:
        if kind is not None:
            self._drop(kind)
        self._put(Frame(frame.code, True, frame.seq, frame.cmd_id, bytes([result])))

    # the session

    def _admitted(self, frame: Frame, now: float) -> Frame | None:
        """A frame as it is worked on, without its seal; None for one that was refused for want of a session."""
        session = None if self.guard is None else self.guard.session
        if not wire.sealed_rightly(frame, self.level):
            self._drop(ErrorKind.SEALED)
        elif session is not None and frame.level:
            try:
                return frames.unseal(frame, session.incoming)
            except DecodeError as error:
                self._drop(error.kind)
                self._events += self.guard.untrue(error.kind, now) if self.guard is not None else []
        elif frame.code in wire.PLAIN_ALWAYS or self.guard is None or not self.guard.missing:
            return frame
        if session is not None:
            self._cause = ResumeCause.SECURITY
            self._end_session(now)
        self._refuse(frame, Result.E_AUTH)
        return None

    def _end_session(self, now: float) -> None:
        """Replies to commands of a session never leave without its seal."""
        ended = [] if self.guard is None else self.guard.end()
        if ended:
            self._asked.clear()
            self._events += ended
            self._ring_again(now)

    def _authenticate(self, guard: Guard, request: Request, now: float) -> None:
        response, events = guard.answer(request, now)
        self._reply(response)
        self._events += events
        self._ring_again(now)

    def _ring_again(self, now: float) -> None:
        if self._hint is not None:
            self._ring(self._hint, now)

    def _reply(self, response: Response) -> None:
        key = (response.type, response.id)
        asked = next((each for each in self._asked if (each.request.type, each.request.id) == key), None)
        if asked is None:
            return
        frame = wire.reply_frame(response, asked.seq, asked.cmd_id)
        self._asked.remove(asked)
        self._put(frame)

    def _put(self, frame: Frame) -> None:
        session = None if self.guard is None else self.guard.session
        if session is not None and frame.code not in wire.PLAIN_ALWAYS:
            frame = frames.seal(frame, session.outgoing)
        self._replies.append(Piece(BULK_IN, frames.encode(frame)))
