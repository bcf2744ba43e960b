"""The host's end of a Cedar's plug (cedar.md §1, §2, §6, §7).

It flushes, reads dry and asks for the resume block by itself; reads events when a doorbell tells of new ones (and when
no doorbell comes at all); after a time-out it flushes and sends again what has no reply, so that the code above
hears of it only when that was in vain. Events come up as `Received`, each once per link; `read_events_after` says
where to begin, and nothing is read before.
"""

from __future__ import annotations

from protocols.cedar import frames, wire
from protocols.cedar.datasheet import (
    BULK_IN,
    BULK_OUT,
    CONTROL_WITHIN,
    DOORBELL_IN,
    DOORBELL_MISSED,
    DRY,
    END_WITHIN,
    FLAG_SESSION_NEEDED,
    PAYLOAD_MAX,
    TRIES,
)
from protocols.cedar.frames import Frame, Transfers
from protocols.cedar.states import HOST, Action, Input, State
from protocols.cedar.window import Asked, Window
from protocols.codec import parse
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.link import Down, Dropped, Link, LinkCounters, LinkEvent, Received, Side, Tally, Up
from protocols.message import Hint, Message, Request, Response
from protocols.piece import CONTROL_IN, CONTROL_OUT, Piece, PieceFramer, Tail
from protocols.reading import Reading
from protocols.vocabulary import Resume

AGAIN = 1.0
"""Seconds from a flush that failed to the next."""
_REASONS = {
    Input.CONTROL_FAILED: "the device refuses to be flushed",
    Input.GAVE_UP: "no answer",
    Input.UNREADABLE: "an answer that does not fit its command",
    Input.RESTARTED: "the device restarted",
}


class CedarHost(Link):
    """The host's link. `seq`: the number of its first frame. `doorbell` holds the fields of the last one."""

    side = Side.HOST

    def __init__(self, *, seq: int = 1) -> None:
        self.state = State.CLOSED
        self.doorbell: Hint | None = None
        self._ears = {CONTROL_IN: self._answered, BULK_IN: self._bulk, DOORBELL_IN: self._rang}
        self._tally = Tally()
        self._framer = PieceFramer()
        self._transfers = Transfers()
        self._window = Window(seq)
        self._reading = Reading("EVENT_READ", PAYLOAD_MAX)
        self._events: list[LinkEvent] = []
        self._control: str | None = None
        self._control_out = False
        self._resume: Resume | None = None
        self._control_at = self._flush_at = self._heard_at = self._bulk_at = self._doorbell_at = 0.0
        self._broken = 0

    # Link

    def open(self, now: float) -> None:
        """See Link."""
        self._step(Input.OPEN, now)

    def receive(self, data: bytes, now: float) -> list[LinkEvent]:
        """See Link. Takes pieces of endpoints 80, 81 and 82; what was said before a flush is thrown away uncounted."""
        self._tally.bytes_in += len(data)
        for item in self._framer.feed(data, now):
            if isinstance(item, FrameError):
                self._drop(item.kind)
                continue
            if item.ep in self._ears:
                self._ears[item.ep](item, now)
            else:
                self._drop(ErrorKind.TYPE)
        return self._take_events()

    def send(self, message: Message, now: float) -> None:
        """See Link."""
        if not isinstance(message, Request):
            raise LocalError(f"the host does not send {type(message).__name__}")
        if not self.up:
            raise LocalError("the link is down")
        wire.request_frame(message, 0)
        self._window.add(Asked(message))

    def output(self, now: float) -> bytes:
        """See Link. Pieces of endpoints 00 and 01, each a whole request or transfer."""
        out = []
        if self._control is not None and not self._control_out:
            self._control_out = True
            out.append(Piece(CONTROL_OUT, wire.setup(self._control)))
        if self.state is State.UP:
            if self._reading.due and not self._window.reads and not self._session_missing:
                self._window.add(Asked(self._reading.request(), own=True))
            while self._window.free:
                out.append(self._command(self._window.next(now)))
        data = b"".join(piece.encode() for piece in out)
        self._tally.bytes_out += len(data)
        self._tally.frames_out += len(out)
        return data

    def tick(self, now: float) -> list[LinkEvent]:
        """See Link."""
        if self._control is not None and self._control_out and now >= self._control_at + CONTROL_WITHIN:
            self._control = None
            self._step(Input.CONTROL_FAILED, now)
        elif self.state is State.FLUSHING and self._control is None and now >= self._flush_at:
            self._step(Input.AGAIN, now)
        elif self.state in (State.DRAINING, State.DRYING) and now >= self._heard_at + DRY:
            self._step(Input.DRY, now)
        if self.state is State.UP:
            self._watch(now)
        return self._take_events()

    def deadline(self) -> float | None:
        """See Link."""
        if self._control is not None:
            return self._control_at + CONTROL_WITHIN if self._control_out else 0.0
        match self.state:
            case State.FLUSHING:
                return self._flush_at
            case State.DRAINING | State.DRYING:
                return self._heard_at + DRY
            case State.UP:
                if self._window.free or (self._reading.due and not self._window.reads and not self._session_missing):
                    return 0.0
                times = [self._doorbell_at + DOORBELL_MISSED, self._window.late_at()]
                times += [self._bulk_at + END_WITHIN] if self._transfers.whole else []
                return min(at for at in times if at is not None)
            case _:
                return None

    @property
    def up(self) -> bool:
        """See Link."""
        return self.state in (State.UP, State.RECOVERING, State.DRYING)

    @property
    def counters(self) -> LinkCounters:
        """See Link."""
        return self._tally.counters()

    def read_events_after(self, seq: int) -> None:
        """See Link. Nothing is read before this was called; another epoch asks for a new call."""
        self._reading.begin(seq)

    @property
    def _session_missing(self) -> bool:
        """Whether the device said that it gives no events without a session."""
        return self.doorbell is not None and bool(self.doorbell.body["flags"] & FLAG_SESSION_NEEDED)

    # what goes out

    def _command(self, asked: Asked) -> Piece:
        self._tally.resends += asked.tries > 1
        return Piece(BULK_OUT, frames.encode(wire.request_frame(asked.request, asked.seq)))

    # what comes in

    def _answered(self, piece: Piece, now: float) -> None:
        """Endpoint 0: the request that is out was carried out, or refused."""
        name, self._control = self._control, None
        if name is None:
            return
        if piece.tail is not Tail.END:
            self._step(Input.CONTROL_FAILED, now)
        elif name == "GET_RESUME":
            self._told(piece.data, now)
        else:
            self._step(Input.CONTROL_DONE, now)

    def _told(self, data: bytes, now: float) -> None:
        try:
            body = parse(wire.RESUME, data)
        except DecodeError as error:
            self._drop(error.kind)
            self._step(Input.CONTROL_FAILED, now)
            return
        del body["last_cmd_id"]
        self._resume = Resume.of(body)
        self._step(Input.CONTROL_DONE, now)

    def _rang(self, piece: Piece, now: float) -> None:
        """A doorbell: it is only looked at while a resume block stands that it can be held against."""
        if not self.up or piece.tail is not Tail.END:
            return
        try:
            hint = Hint(wire.read_doorbell(piece.data))
        except (FrameError, DecodeError) as error:
            self._drop(error.kind)
            return
        self._doorbell_at, self.doorbell = now, hint
        if self._resume is not None and hint.body["boot"] != self._resume.boot:
            self._step(Input.RESTARTED, now)
            return
        self._reading.polled(hint.body["head_seq"])
        self._events.append(Received(hint))

    def _bulk(self, piece: Piece, now: float) -> None:
        self._heard_at = self._bulk_at = now
        if self.state is not State.UP:
            return
        item = self._transfers.take(piece)
        if isinstance(item, FrameError):
            self._drop(item.kind)
        elif item is not None:
            self._frame(item, now)
        babbled = isinstance(item, FrameError) and item.kind is ErrorKind.LONG
        if piece.tail in (Tail.STALL, Tail.BABBLE) or babbled:
            self._broke(now)

    def _broke(self, now: float) -> None:
        """Flush; the third time without an answer between counts as no answer at all."""
        self._broken += 1
        self._step(Input.GAVE_UP if self._broken >= TRIES else Input.BROKEN, now)

    def _frame(self, frame: Frame, now: float) -> None:
        try:
            kind = wire.check(frame, reply=True)
        except (FrameError, DecodeError) as error:
            self._drop(error.kind)
            return
        self._tally.frames_in += 1
        asked = self._window.answered(frame)
        if asked is None:
            self._drop(ErrorKind.TYPE)
            return
        try:
            if frame.level:
                raise DecodeError(ErrorKind.SEALED)
            response = wire.read_reply(kind, frame, asked.request.id)
        except DecodeError as error:
            self._drop(error.kind, error.seq)
            self._misread(asked, error.seq, now)
            return
        self._broken = 0
        self._window.done(asked)
        self._deliver(asked, response, len(frame.payload))

    def _deliver(self, asked: Asked, response: Response, size: int) -> None:
        if asked.own:
            self._events += map(Received, self._reading.read(response, size))
        else:
            self._events.append(Received(response))

    def _misread(self, asked: Asked, seq: int | None, now: float) -> None:
        """Once it is asked again as if there had been no answer; then events are read up to the bad one only."""
        if not asked.unreadable:
            asked.unreadable = True
            self._step(Input.LATE, now)
        elif asked.own:
            self._window.done(asked)
            self._reading.misread(seq)
        else:
            self._step(Input.UNREADABLE, now)

    def _watch(self, now: float) -> None:
        if self._transfers.whole and now >= self._bulk_at + END_WITHIN:
            item = self._transfers.end()
            if isinstance(item, Frame):
                self._frame(item, now)
            else:
                self._drop(item.kind)
        late = self._window.late_at()
        if late is not None and now >= late:
            self._step(Input.GAVE_UP if self._window.used_up() else Input.LATE, now)
        if now >= self._doorbell_at + DOORBELL_MISSED:
            self._doorbell_at = now
            self._reading.doubt()

    def _drop(self, kind: ErrorKind, seq: int | None = None) -> None:
        self._tally.dropped += 1
        if self.up:
            self._events.append(Dropped(kind, seq))

    def _take_events(self) -> list[LinkEvent]:
        events, self._events = self._events, []
        return events

    # what is done about it

    def _step(self, happened: Input, now: float) -> None:
        action, self.state = HOST[self.state][happened]
        match action:
            case Action.IGNORE:
                return
            case Action.FLUSH:
                self._flush(now)
            case Action.WAIT:
                self._flush_at = now + AGAIN
            case Action.DRAIN:
                self._heard_at = now
                self._transfers.clear()
            case Action.ASK:
                self._ask("GET_RESUME", now)
            case Action.COME_UP if self._resume:
                self._come_up(self._resume, now)
            case Action.RESEND:
                self._window.again()
            case Action.LOSE:
                self._lose(_REASONS[happened], now)

    def _ask(self, name: str, now: float) -> None:
        self._control, self._control_out, self._control_at = name, False, now

    def _flush(self, now: float) -> None:
        self._tally.resets += self.up
        self._ask("FLUSH", now)

    def _come_up(self, resume: Resume, now: float) -> None:
        self._window.forget()
        self._broken = 0
        self._doorbell_at, self.doorbell = now, None
        self._reading.link_up(resume.epoch)
        self._events.append(Up(resume))

    def _lose(self, reason: str, now: float) -> None:
        self._window.forget()
        self._transfers.clear()
        self._tally.resets += 1
        self._control = None
        self._flush_at = now + (AGAIN if reason == _REASONS[Input.GAVE_UP] else 0.0)
        self._events.append(Down(reason))
