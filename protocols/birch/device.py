"""The shoe's end of a Birch line (birch.md §3, §7).

Give `resume` (see protocols.link.Link) before `open`; it is called in the moment of SYNC, so the gate shuts inside it.
Each new command comes up as `Received`, and the firmware answers it by `send` at once or later; a command that was
repeated meanwhile, or repeats after the answer, are the link's own business. An answer that nobody waits for any more
(the host went on, or it was a broadcast) is dropped. In POLL answers the link sets the flag "restarted since SYNC".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from protocols.birch import frames, wire
from protocols.birch.datasheet import (
    ANSWER_AFTER,
    BAUD,
    BITS_PER_BYTE,
    BROADCAST,
    DATA_MAX,
    DEFAULT_ADDRESS,
    DEVICE_GAP,
    FLAG_RESTARTED,
    FLAG_SESSION_NEEDED,
    HOST,
    SILENCE,
)
from protocols.birch.frames import BirchFramer, Frame
from protocols.birch.states import DEVICE, DeviceAction, DeviceInput, DeviceState
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.link import Dropped, Heard, Link, LinkEvent, Received, Side, Silent, Up
from protocols.message import Body, Message, Request, Response
from protocols.seal import Session, overhead
from protocols.vocabulary import Result, Resume, ResumeCause


class BirchDevice(Link):
    """One shoe at `address`. `answer_after`: seconds from the last byte of a command to the first of its answer."""

    side = Side.DEVICE

    def __init__(
        self,
        *,
        address: int = DEFAULT_ADDRESS,
        baud: int = BAUD,
        answer_after: float = ANSWER_AFTER,
        resume: Callable[[], Resume] | None = None,
    ) -> None:
        super().__init__()
        self.address = address
        self.state = DeviceState.CLOSED
        if resume is not None:
            self.resume = resume
        self._byte_time = BITS_PER_BYTE / baud
        self._answer_after = answer_after
        self._framer = BirchFramer(gap=DEVICE_GAP)
        self._cause = ResumeCause.RESTARTED
        self._toggle: int | None = None
        self._pending: Request | None = None
        self._command = 0
        self._heard_at = 0.0
        self._last_answer = b""
        self._answer_at: float | None = None
        self._taken_at = 0.0
        self._silent = False

    def open(self, now: float) -> None:
        """See Link. The silence of the host counts from here."""
        self._taken_at = now
        self._step(DeviceInput.OPEN)

    def receive(self, data: bytes, now: float) -> list[LinkEvent]:
        """See Link. What is not for this address is not even counted."""
        self._tally.bytes_in += len(data)
        for item in self._framer.feed(data, now):
            if isinstance(item, FrameError):
                self._drop(item.kind)
            elif not item.answer and item.dst in (self.address, BROADCAST):
                self._tally.frames_in += 1
                self._frame(item, now)
        return self._take_events()

    def send(self, message: Message, now: float) -> None:
        """See Link. Only answers: a Birch pushes nothing."""
        if not isinstance(message, Response):
            raise LocalError(f"a Birch does not push {type(message).__name__}: it is read")
        if not self.up:
            raise LocalError("the link is not open")
        pending = self._pending
        if pending is None or (message.type, message.id) != (pending.type, pending.id):
            return
        if message.type == "POLL" and message.ok:
            message = replace(message, body=self._poll(message.body))
        self._answer(wire.encode_response(message)[1], now)

    def output(self, now: float) -> bytes:
        """See Link: the answer, once the bus had time to turn round."""
        if self._answer_at is None or now < self._answer_at:
            return b""
        self._answer_at = None
        self._tally.bytes_out += len(self._last_answer)
        self._tally.frames_out += 1
        return self._last_answer

    def tick(self, now: float) -> list[LinkEvent]:
        """See Link."""
        if self.up and not self._silent and now >= self._taken_at + SILENCE:
            self._step(DeviceInput.SILENCE)
        return self._take_events()

    def deadline(self) -> float | None:
        """See Link."""
        if not self.up:
            return None
        silence = None if self._silent else self._taken_at + SILENCE
        return min((at for at in (self._answer_at, silence) if at is not None), default=None)

    @property
    def up(self) -> bool:
        """Whether the device listens. An answer can be sent when something was asked."""
        return self.state is not DeviceState.CLOSED

    @property
    def room(self) -> int:
        """See Link."""
        return DATA_MAX - overhead(self.level)

    @property
    def _session(self) -> Session | None:
        return None if self.guard is None else self.guard.session

    @property
    def synced(self) -> bool:
        """Whether the host has synchronised since the start."""
        return self.state is DeviceState.SYNCED

    def _frame(self, frame: Frame, now: float) -> None:
        if frame.dst == BROADCAST:
            self._broadcast(frame, now)
            return
        self._heard_at = now
        sync = frame.code == wire.SYNC and not frame.data
        if not sync and frame.toggle == self._toggle:
            self._step(DeviceInput.REPEAT, now)
            return
        self._new(frame)
        try:
            data = wire.opened(self._session, frame)
        except DecodeError as error:
            self._untrue(error.kind, now)
            return
        self._alive(now)
        if sync:
            self._step(DeviceInput.SYNC, now)
        elif self.guard is not None and self.guard.missing and not wire.open_to_all(frame):
            self._answer(wire.SESSION_ENDED, now, plain=True)
        else:
            self._command_came(frame, data, now)

    def _broadcast(self, frame: Frame, now: float) -> None:
        try:
            self._step(DeviceInput.BROADCAST, now, wire.decode_request(frame))
        except DecodeError as error:
            self._drop(error.kind)

    def _command_came(self, frame: Frame, data: bytes, now: float) -> None:
        try:
            request = wire.read_request(wire.check(frame), data)
        except DecodeError as error:
            self._drop(error.kind)
            self._step(DeviceInput.MALFORMED, now, kind=error.kind)
            return
        if self.guard is not None and request.type in ("AUTH1", "AUTH2"):
            response, events = self.guard.answer(request, now)
            self._events += events
            self._answer(wire.encode_response(response)[1], now)
            return
        command = request.type in wire.CATALOGUE.commands
        self._step(DeviceInput.COMMAND if command else DeviceInput.QUERY, now, request)

    def _untrue(self, kind: ErrorKind, now: float) -> None:
        """A message that its session does not fit: the session is over, and the host is told so."""
        self._drop(kind)
        if self.guard is not None:
            self._events += self.guard.untrue(kind, now) + self.guard.end()
        self._cause = ResumeCause.SECURITY
        self._answer(wire.SESSION_ENDED, now, plain=True)

    def _new(self, frame: Frame) -> None:
        """A command with another toggle, or SYNC, is taken, whether it can be read or not."""
        self._toggle = frame.toggle
        self._command = frame.code
        self._pending = None
        self._answer_at = None
        self._last_answer = b""

    def _alive(self, now: float) -> None:
        """The host was heard."""
        self._taken_at = now
        if self._silent:
            self._silent = False
            self._events.append(Heard())

    def _step(
        self, happened: DeviceInput, now: float = 0.0, request: Request | None = None, kind: ErrorKind | None = None
    ) -> None:
        action, self.state = DEVICE[self.state][happened]
        match action:
            case DeviceAction.IGNORE | DeviceAction.START:
                return
            case DeviceAction.RESUME:
                self._resume(now)
            case DeviceAction.HAND_UP if request:
                if not request.broadcast:
                    self._pending = request
                self._events.append(Received(request))
            case DeviceAction.BUSY:
                self._answer(bytes([Result.E_BUSY]), now)
            case DeviceAction.REFUSE:
                result = Result.E_UNSUPPORTED if kind is ErrorKind.TYPE else Result.E_PARAM
                self._answer(bytes([result]), now)
            case DeviceAction.ANSWER_AGAIN:
                if self._last_answer:
                    self._tally.resends += 1
                    self._answer_at = now + self._answer_after
            case DeviceAction.FALL_SILENT:
                self._silent = True
                self._events.append(Silent(int(SILENCE * 1000)))

    def _resume(self, now: float) -> None:
        self._toggle = 0
        self._tally.resets += 1
        self._events += [] if self.guard is None else self.guard.end()
        resume = replace(self.resume(), cause=int(self._cause))
        self._cause = ResumeCause.HOST_ASKED
        self._answer(wire.encode_response(Response("SYNC", 0, Result.OK, resume.body))[1], now)
        self._events.append(Up(resume))

    def _answer(self, data: bytes, now: float, *, plain: bool = False) -> None:
        self._pending = None
        frame = Frame(HOST, self.address, True, self._toggle or 0, self._command, data)
        self._last_answer = frames.encode(wire.sealed(None if plain else self._session, frame))
        self._answer_at = max(now, self._heard_at + self._answer_after)

    def _poll(self, body: Body) -> Body:
        """What POLL says, with what the link knows; without a session that is needed it is a hint of that alone."""
        flags = body["flags"] | FLAG_RESTARTED * (self.state is DeviceState.RESTARTED)
        if self.guard is not None and self.guard.missing:
            return {**body, "ctr": 0, "flags": flags | FLAG_SESSION_NEEDED, "recent": ()}
        return {**body, "flags": flags}

    def _drop(self, kind: ErrorKind) -> None:
        self._tally.dropped += 1
        self._events.append(Dropped(kind))
