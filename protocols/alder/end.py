"""What both ends of an Alder's line do alike: frames, window, clock. What happens is looked up in `states.py`."""

from __future__ import annotations

from abc import abstractmethod

from protocols.alder import sealing, wire
from protocols.alder.datasheet import BITS_PER_BYTE, KEEP_ALIVE, RNR_LONGEST, SILENCE, TIMEOUTS
from protocols.alder.states import TABLES, Action, Input, State
from protocols.alder.window import Window
from protocols.alder.wire import AlderFramer, Frame, Kind
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.link import Dropped, Heard, Link, LinkEvent, Received, Side
from protocols.message import Message, Request
from protocols.seal import Session
from protocols.vocabulary import Resume

REASONS = {
    Input.RSTACK: "the device restarted or reset the link",
    Input.ERROR: "the device gave the link up",
    Input.BAD_NR: "an acknowledgement for what was never sent",
    Input.SEALED: "a message that does not belong to the session",
    Input.GAVE_UP: "no acknowledgement after all repeats",
    Input.HELD: "the other side took no messages for too long",
    Input.SILENCE: "nothing heard for 6 s",
}
_KINDS = {Kind.RST: Input.RST, Kind.RSTACK: Input.RSTACK, Kind.ERROR: Input.ERROR}


class AlderEnd(Link):
    """One end of the line between a host and an Alder. `baud` tells how long bytes take to leave."""

    def __init__(self, baud: int) -> None:
        super().__init__()
        self.state = State.CLOSED
        self._other = Side.DEVICE if self.side is Side.HOST else Side.HOST
        self._table = TABLES[self.side]
        self._byte_time = BITS_PER_BYTE / baud
        self._framer = AlderFramer()
        self._window = Window()
        self._control: list[Frame] = []
        self._told: Resume | None = None
        self._line_free = self._heard = self._sent = 0.0
        self._silent = False

    # Link

    def open(self, now: float) -> None:
        """See Link."""
        self._step(Input.OPEN, now)

    def receive(self, data: bytes, now: float) -> list[LinkEvent]:
        """See Link. What comes between a request to reset and its answer belongs to the past and is not counted."""
        self._tally.bytes_in += len(data)
        for item in self._framer.feed(data, now):
            if isinstance(item, FrameError):
                self._drop(item.kind)
            else:
                self._frame(item, now)
        return self._take_events()

    def send(self, message: Message, now: float) -> None:
        """See Link. Pushes Event and Progress too."""
        if not self.up:
            raise LocalError("the link is down")
        if isinstance(message, Request) is not (self.side is Side.HOST):
            raise LocalError(f"the {self.side} does not send {type(message).__name__}")
        self._queue(wire.encode_payload(message))

    def output(self, now: float) -> bytes:
        """See Link."""
        frames, self._control = self._control, []
        if self._stands:
            frames += self._window.frames(now)
            if not frames and now >= self._sent + KEEP_ALIVE:
                frames.append(self._window.answer())
        if not frames:
            return b""
        data = b"".join(map(wire.encode, frames))
        self._line_free = max(now, self._line_free) + len(data) * self._byte_time
        self._sent = self._line_free
        self._window.left(self._line_free)
        self._tally.bytes_out += len(data)
        self._tally.frames_out += len(frames)
        self._tally.resends += sum(frame.retx for frame in frames)
        return data

    def tick(self, now: float) -> list[LinkEvent]:
        """See Link."""
        if self._stands:
            if self._window.expire(now) and self._window.timeouts >= TIMEOUTS:
                self._step(Input.GAVE_UP, now)
            elif self._window.held_since is not None and now >= self._window.held_since + RNR_LONGEST:
                self._step(Input.HELD, now)
            elif now >= self._heard + SILENCE and not self._silent:
                self._step(Input.SILENCE, now)
        return self._take_events()

    def deadline(self) -> float | None:
        """See Link."""
        if self._control:
            return 0.0
        if not self._stands:
            return None
        times = [self._sent + KEEP_ALIVE]
        if not self._silent:
            times.append(self._heard + SILENCE)
        if self._window.held_since is not None:
            times.append(self._window.held_since + RNR_LONGEST)
        transfer = self._window.deadline()
        return min(times) if transfer is None else min(transfer, *times)

    @property
    def up(self) -> bool:
        """See Link."""
        return self.state is State.UP

    @property
    def room(self) -> int:
        """See Link."""
        return sealing.room(self.level)

    @property
    def _stands(self) -> bool:
        """Whether DATA passes."""
        return self.state in (State.UP, State.SECURING)

    @property
    @abstractmethod
    def _session(self) -> Session | None:
        """The session that stands."""

    def stop(self, stopped: bool) -> None:
        """Say RNR in place of RR until told otherwise: this side cannot take more messages for a while."""
        self._window.stopped = stopped
        if self._stands:
            self._control.append(self._window.answer())

    # what came in

    def _frame(self, frame: Frame, now: float) -> None:
        try:
            wire.check(frame, self._other)
        except FrameError as error:
            self._drop(error.kind)
            return
        self._tally.frames_in += 1
        self._tally.repeats += frame.retx
        self._heard = now
        if self._silent:
            self._silent = False
            self._events.append(Heard())
        happened = _KINDS.get(frame.kind, Input.TRANSFER)
        if happened is Input.TRANSFER and self._stands and not self._window.fits(frame.nr):
            happened = Input.BAD_NR
        self._step(happened, now, frame)

    def _drop(self, kind: ErrorKind, seq: int | None = None) -> None:
        if self.state is not State.RESETTING:
            self._tally.dropped += 1
            self._events.append(Dropped(kind, seq))

    def _transfer(self, frame: Frame, now: float) -> None:
        self._window.acknowledge(frame.nr)
        match frame.kind:
            case Kind.RR:
                self._window.release()
            case Kind.REJ:
                self._window.release()
                self._window.go_back()
            case Kind.RNR:
                self._window.hold(now)
            case _:
                if self._window.take(frame.ns, now):
                    self._payload(frame.payload, now)

    def _payload(self, payload: bytes, now: float) -> None:
        """What DATA brought: first whether the session lets it pass."""
        try:
            plain = sealing.opened(self._session, payload)
        except DecodeError as error:
            self._untrue(error.kind, now)
            return
        if not self._admits(plain):
            return
        try:
            message = wire.decode_payload(plain, self._other)
        except DecodeError as error:
            self._drop(error.kind, error.seq)
            self._malformed(plain, error.kind)
            return
        self._take(message, now)

    def _admits(self, payload: bytes) -> bool:
        """Whether a payload is looked at without a session, where none stands."""
        return True

    def _malformed(self, payload: bytes, kind: ErrorKind) -> None:
        """A payload that does not fit its type."""
        return None

    def _untrue(self, kind: ErrorKind, now: float) -> None:
        """Sealed where it must not be, plain where it must not be, or a seal that does not fit: the link goes."""
        self._drop(kind)
        self._step(Input.SEALED, now)

    def _take(self, message: Message, now: float) -> None:
        """A message came in, once and in order."""
        self._events.append(Received(message))

    def _queue(self, payload: bytes) -> None:
        self._window.queue.append(sealing.closed(self._session, payload))

    # what is done about it

    def _step(self, happened: Input, now: float, frame: Frame | None = None) -> None:
        action, self.state = self._table[self.state][happened]
        match action:
            case Action.IGNORE:
                return
            case Action.TRANSFER if frame:
                self._transfer(frame, now)
            case _:
                self._act(action, happened, now, frame)

    @abstractmethod
    def _act(self, action: Action, happened: Input, now: float, frame: Frame | None) -> None:
        """What only this side does."""
