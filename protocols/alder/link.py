"""Alder's link, either side. What happens is looked up in `states.py`; here is what is done about it.

Device side: give `resume` (see protocols.link.Link) before `open`. After `Up` the firmware sends all retained events
from the oldest on, each once; a reset has dropped whatever was still queued. Requests of unknown type and bodies that
do not fit are answered by the link itself, the rest comes up as `Received`.

Host side: requests go out as the window lets them, in order. After `Down` those without an answer are forgotten: the
code above asks the device what became of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from protocols.alder import wire
from protocols.alder.datasheet import BAUD, BITS_PER_BYTE, KEEP_ALIVE, RESET_AGAIN, RNR_LONGEST, SILENCE, TIMEOUTS
from protocols.alder.states import TABLES, Action, Input, State
from protocols.alder.window import Window
from protocols.alder.wire import AlderFramer, Frame, Kind
from protocols.codec import RESUME, build, parse
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.link import Down, Dropped, Heard, Link, LinkCounters, LinkEvent, Received, Side, Silent, Tally, Up
from protocols.message import Message, Request, Response
from protocols.vocabulary import Result, Resume, ResumeCause

_REASONS = {
    Input.RSTACK: "the device restarted or reset the link",
    Input.ERROR: "the device gave the link up",
    Input.BAD_NR: "an acknowledgement for what was never sent",
    Input.SEALED: "a sealed message outside a session",
    Input.GAVE_UP: "no acknowledgement after all repeats",
    Input.HELD: "the other side took no messages for too long",
    Input.SILENCE: "nothing heard for 6 s",
}
_ERRORS = {
    Input.GAVE_UP: (2, ResumeCause.GAVE_UP),
    Input.BAD_NR: (3, ResumeCause.PROTOCOL),
    Input.HELD: (3, ResumeCause.PROTOCOL),
    Input.SEALED: (4, ResumeCause.SECURITY),
}
_LINK_IS_DOWN = 1
_KINDS = {Kind.RST: Input.RST, Kind.RSTACK: Input.RSTACK, Kind.ERROR: Input.ERROR}


class AlderLink(Link):
    """One end of the line between a host and an Alder. `baud` tells how long bytes take to leave."""

    def __init__(self, side: Side, *, baud: int = BAUD, resume: Callable[[], Resume] | None = None) -> None:
        self.side = side
        self.state = State.CLOSED
        if resume is not None:
            self.resume = resume
        self._other = Side.DEVICE if side is Side.HOST else Side.HOST
        self._table = TABLES[side]
        self._byte_time = BITS_PER_BYTE / baud
        self._framer = AlderFramer()
        self._window = Window()
        self._tally = Tally()
        self._control: list[Frame] = []
        self._events: list[LinkEvent] = []
        self._asked: list[tuple[str, int]] = []
        self._cause = ResumeCause.RESTARTED
        self._line_free = self._heard = self._sent = self._reset_at = 0.0
        self._lost_at = -RESET_AGAIN
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
        self._window.queue.append(wire.encode_payload(message))
        if isinstance(message, Request):
            self._asked.append((message.type, message.id))

    def output(self, now: float) -> bytes:
        """See Link."""
        frames, self._control = self._control, []
        if self.up:
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
        if self.up:
            if self._window.expire(now) and self._window.timeouts >= TIMEOUTS:
                self._step(Input.GAVE_UP, now)
            elif self._window.held_since is not None and now >= self._window.held_since + RNR_LONGEST:
                self._step(Input.HELD, now)
            elif now >= self._heard + SILENCE and not self._silent:
                self._step(Input.SILENCE, now)
        if self.state is State.RESETTING and now >= self._reset_at + RESET_AGAIN:
            self._step(Input.AGAIN, now)
        return self._take_events()

    def deadline(self) -> float | None:
        """See Link."""
        if self._control:
            return 0.0
        if self.state is State.RESETTING:
            return self._reset_at + RESET_AGAIN
        if not self.up:
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
    def counters(self) -> LinkCounters:
        """See Link."""
        return self._tally.counters()

    def stop(self, stopped: bool) -> None:
        """Say RNR in place of RR until told otherwise: this side cannot take more messages for a while."""
        self._window.stopped = stopped
        if self.up:
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
        if happened is Input.TRANSFER and self.up and not self._window.fits(frame.nr):
            happened = Input.BAD_NR
        self._step(happened, now, frame)

    def _drop(self, kind: ErrorKind, seq: int | None = None) -> None:
        if self.state is not State.RESETTING:
            self._tally.dropped += 1
            self._events.append(Dropped(kind, seq))

    def _take_events(self) -> list[LinkEvent]:
        events, self._events = self._events, []
        return events

    # what is done about it

    def _step(self, happened: Input, now: float, frame: Frame | None = None) -> None:
        action, self.state = self._table[self.state][happened]
        match action:
            case Action.IGNORE:
                return
            case Action.RESET:
                self._reset(now)
            case Action.LOSE:
                self._events.append(Down(_REASONS[happened]))
                self._lose(now)
            case Action.COME_UP if frame:
                self._come_up(Resume.of(parse(RESUME, frame.payload)), now)
            case Action.ANNOUNCE:
                self._control.append(self._stand(ResumeCause.RESTARTED)[1])
            case Action.ACCEPT:
                self._accept(now)
            case Action.REFUSE:
                self._control.append(Frame(Kind.ERROR, payload=bytes([_LINK_IS_DOWN])))
            case Action.FAIL:
                self._fail(happened)
            case Action.FALL_SILENT:
                self._silent = True
                self._events.append(Silent(int(SILENCE * 1000)))
            case Action.TRANSFER if frame:
                self._transfer(frame, now)

    def _reset(self, now: float) -> None:
        self._forget()
        self._reset_at = now
        self._control = [Frame(Kind.RST)]

    def _lose(self, now: float) -> None:
        """A link that goes as soon as it is up is not reset again at the pace of the line: the next RST waits."""
        again = now < self._lost_at + RESET_AGAIN
        self._lost_at = now
        self._reset(now)
        if again:
            self._control.clear()

    def _forget(self) -> None:
        self._window.reset()
        self._asked.clear()

    def _come_up(self, resume: Resume, now: float) -> None:
        self._forget()
        self._tally.resets += 1
        self._heard = self._sent = now
        self._events.append(Up(resume))

    def _accept(self, now: float) -> None:
        self._forget()
        self._tally.resets += 1
        self._sent = now
        resume, answer = self._stand(self._cause)
        self._cause = ResumeCause.HOST_ASKED
        self._control = [answer]
        self._events.append(Up(resume))

    def _stand(self, cause: ResumeCause) -> tuple[Resume, Frame]:
        resume = replace(self.resume(), cause=int(cause))
        return resume, Frame(Kind.RSTACK, payload=build(RESUME, resume.body, "resume block"))

    def _fail(self, happened: Input) -> None:
        reason, self._cause = _ERRORS[happened]
        self._window.reset()
        self._control = [Frame(Kind.ERROR, payload=bytes([reason]))]
        self._events.append(Down(_REASONS[happened]))

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
        try:
            message = wire.decode_payload(payload, self._other)
        except DecodeError as error:
            self._drop(error.kind, error.seq)
            self._malformed(payload, error.kind, now)
            return
        if isinstance(message, Response):
            asked = (message.type, message.id)
            if asked not in self._asked:
                self._drop(ErrorKind.TYPE)
                return
            self._asked.remove(asked)
        self._events.append(Received(message))

    def _malformed(self, payload: bytes, kind: ErrorKind, now: float) -> None:
        if kind is ErrorKind.SEALED:
            self._step(Input.SEALED, now)
        elif self.side is Side.DEVICE and len(payload) >= wire.HEAD_SIZE and 0 < payload[0] < wire.EVENT:
            result = Result.E_UNSUPPORTED if kind is ErrorKind.TYPE else Result.E_PARAM
            self._window.queue.append(bytes([payload[0] | wire.ANSWER, payload[1], payload[2], result]))
