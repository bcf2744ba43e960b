"""The host's end of a Cedar's plug (cedar.md §1, §2, §6, §7).

It flushes, reads dry, asks for the resume block and has its session, where one is wanted, by itself; reads events when
a doorbell tells of new ones (and when no doorbell comes at all); after a time-out it flushes and sends again what has
no reply, so that the code above hears of it only when that was in vain. Events come up as `Received`, each once per
link; `read_events_after` says where to begin, and nothing is read before.
"""

from __future__ import annotations

import secrets

from protocols.cedar import wire
from protocols.cedar.control import Control, Done
from protocols.cedar.datasheet import BULK_IN, DOORBELL_IN, DRY, TRIES
from protocols.cedar.exchange import Exchange, Reply
from protocols.cedar.frames import Frame
from protocols.cedar.news import News
from protocols.cedar.states import HOST, Action, Input, State
from protocols.cedar.window import Asked
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError, Untrue
from protocols.handshake import BUSY_PAUSE, Entropy, Pin, Securing
from protocols.link import Down, LinkEvent, Received, Side, Up
from protocols.message import Message, Request
from protocols.piece import CONTROL_IN, Piece, Tail
from protocols.plug import Plug
from protocols.vocabulary import Identity, Resume

_REASONS = {
    Input.CONTROL_FAILED: "the device refuses to be flushed",
    Input.GAVE_UP: "no answer",
    Input.REFUSED: "the device takes no session",
    Input.UNREADABLE: "an answer that does not fit its command",
    Input.RESTARTED: "the device restarted",
}
_PATIENT = (Input.GAVE_UP, Input.REFUSED)  # the next flush waits


class CedarHost(Plug):
    """The host's link. `pin`: the session that it insists on. `seq`: the number of its first frame.

    It hears endpoints 80, 81 and 82 and speaks on 00 and 01; what was said before a flush is thrown away uncounted.
    """

    side = Side.HOST

    def __init__(self, *, pin: Pin | None = None, seq: int = 1, entropy: Entropy = secrets.token_bytes) -> None:
        super().__init__({CONTROL_IN: self._answered, BULK_IN: self._bulk, DOORBELL_IN: self._rang})
        self.state = State.CLOSED
        self._control = Control()
        self._securing: Securing = Securing(pin, entropy)
        self._exchange = Exchange(seq, self._securing, self._tally)
        self._news = News()
        self._who: Identity | None = None
        self._resume: Resume | None = None
        self._flush_at = self._heard_at = 0.0
        self._broken = 0

    # Link

    def open(self, now: float) -> None:
        """See Link."""
        self._step(Input.OPEN, now)

    def send(self, message: Message, now: float) -> None:
        """See Link."""
        if not isinstance(message, Request):
            raise LocalError(f"the host does not send {type(message).__name__}")
        if not self.up:
            raise LocalError("the link is down")
        wire.request_frame(message, 0)
        self._exchange.window.add(Asked(message))

    def output(self, now: float) -> bytes:
        """See Link. Each piece is a whole request or transfer."""
        out = [self._control.next(now)] if self._control.waiting else []
        if self._reads:
            self._exchange.window.add(Asked(self._news.reading.request(), own=True))
        return self._said(out + self._exchange.output(now, all=self.state is State.UP))

    def tick(self, now: float) -> list[LinkEvent]:
        """See Link."""
        late = self._control.late_at()
        if late is not None and now >= late:
            self._step(Input.CONTROL_FAILED, now)
        elif self.state is State.FLUSHING and self._control.quiet and now >= self._flush_at:
            self._step(Input.AGAIN, now)
        elif self.state in (State.DRAINING, State.DRYING) and now >= self._heard_at + DRY:
            self._step(Input.DRY, now)
        if self.state in (State.UP, State.SECURING, State.RESECURING):
            self._watch(now)
        return self._take_events()

    def deadline(self) -> float | None:
        """See Link."""
        if self._control.waiting:
            return 0.0
        match self.state:
            case State.FLUSHING if self._control.quiet:
                return self._flush_at
            case State.DRAINING | State.DRYING:
                return self._heard_at + DRY
            case State.UP | State.SECURING | State.RESECURING:
                return self._due()
            case _:
                return self._control.late_at()

    def _due(self) -> float | None:
        """When something is due while frames go to and fro."""
        up = self.state is State.UP
        if self._reads or self._exchange.waiting(all=up):
            return 0.0
        news = self._news.missed_at if up else None
        times = (self._exchange.late_at(), self._exchange.end_at(self._heard_at), news)
        return min((at for at in times if at is not None), default=None)

    @property
    def up(self) -> bool:
        """See Link."""
        return self.state in (State.UP, State.RECOVERING, State.DRYING, State.RESECURING)

    @property
    def room(self) -> int:
        """See Link."""
        return self._exchange.room

    def read_events_after(self, seq: int) -> None:
        """See Link. Nothing is read before this was called; another epoch asks for a new call."""
        self._news.reading.begin(seq)

    @property
    def _reads(self) -> bool:
        """Whether events are to be read now."""
        return self.state is State.UP and self._news.due(self.level) and not self._exchange.window.reads

    # what comes in

    def _answered(self, piece: Piece, now: float) -> None:
        """Endpoint 0: the request that is out was carried out, or refused."""
        match self._control.answered(piece):
            case None:
                return
            case DecodeError(kind=kind):
                self._drop(kind)
                self._step(Input.CONTROL_FAILED, now)
            case Identity() as who:
                self._who = who
            case Resume() as resume:
                self._resume = resume
                self._step(Input.TOLD, now)
            case Done.FLUSHED:
                self._step(Input.CONTROL_DONE, now)
            case Done.REFUSED:
                self._step(Input.CONTROL_FAILED, now)

    def _rang(self, piece: Piece, now: float) -> None:
        """A doorbell: it is only looked at while a resume block stands that it can be held against."""
        if not self.up or piece.tail is not Tail.END:
            return
        try:
            hint = self._news.rang(piece.data, now)
        except (FrameError, DecodeError) as error:
            self._drop(error.kind)
            return
        self._events.append(Received(hint))
        if self._resume is not None and hint.body["boot"] != self._resume.boot:
            self._step(Input.RESTARTED, now)

    def _bulk(self, piece: Piece, now: float) -> None:
        self._heard_at = now
        if self.state not in (State.UP, State.SECURING, State.RESECURING):
            return
        self._took(self._exchange.transfers.take(piece), now)
        if piece.tail in (Tail.STALL, Tail.BABBLE):
            self._broke(now)

    def _took(self, item: Frame | FrameError | None, now: float) -> None:
        """A frame came together, or what came was none."""
        if isinstance(item, FrameError):
            self._drop(item.kind)
            if item.kind is ErrorKind.LONG:
                self._broke(now)
        elif item is not None:
            self._frame(item, now)

    def _broke(self, now: float) -> None:
        """Flush; the third time without an answer between counts as no answer at all."""
        self._broken += 1
        self._step(Input.GAVE_UP if self._broken >= TRIES else Input.BROKEN, now)

    def _frame(self, frame: Frame, now: float) -> None:
        try:
            self._deliver(self._exchange.reply(frame), now)
        except Untrue as error:
            if error.kind is not None:
                self._drop(error.kind)
            self._broke(now)
        except FrameError as error:
            self._drop(error.kind)
        except DecodeError as error:
            self._drop(error.kind, error.seq)
            asked = self._exchange.window.answered(frame)
            if asked is not None:
                self._misread(asked, error.seq, now)

    def _deliver(self, reply: Reply, now: float) -> None:
        if reply.asked is None:
            self._secure(self._securing.answered(reply.response), now)
            return
        self._broken = 0
        if reply.asked.own:
            self._events += map(Received, self._news.reading.read(reply.response, reply.size))
        else:
            self._events.append(Received(reply.response))

    def _misread(self, asked: Asked, seq: int | None, now: float) -> None:
        """Once it is asked again, as if nothing had come; then events are read up to the bad one only."""
        if not asked.unreadable:
            asked.unreadable = True
            self._step(Input.LATE, now)
        elif asked.own:
            self._exchange.window.done(asked)
            self._news.reading.misread(seq)
        else:
            self._step(Input.UNREADABLE, now)

    def _watch(self, now: float) -> None:
        end = self._exchange.end_at(self._heard_at)
        if end is not None and now >= end:
            self._took(self._exchange.transfers.end(), now)
        late = self._exchange.late_at()
        if late is not None and now >= late:
            self._broken += self.state is State.RESECURING
            in_vain = self._broken >= TRIES or self._exchange.window.used_up()
            self._step(Input.GAVE_UP if in_vain else Input.LATE, now)
        if self.state is State.UP and now >= self._news.missed_at:
            self._news.missed(now)

    # the session

    def _secure(self, request: Request | None, now: float) -> None:
        """The next request of the handshake, or its end."""
        if request is not None:
            self._exchange.auth = Asked(request)
        elif self._securing.done:
            self._news.reading.room = self.room
            self._step(Input.SECURED, now)
        else:
            self._step(Input.DENIED if self._securing.stopped else Input.REFUSED, now)

    # what is done about it

    def _step(self, happened: Input, now: float) -> None:
        action, self.state = HOST[self.state][happened]
        match action:
            case Action.IGNORE | Action.RESEND:
                return
            case Action.FLUSH:
                self._tally.resets += self.up
                self._reset()
                self._control.ask("FLUSH")
            case Action.WAIT:
                self._reset()
                self._flush_at = now + BUSY_PAUSE
            case Action.DRAIN:
                self._heard_at = now
            case Action.ASK:
                self._control.ask(*([] if self._securing.pin is None else ["GET_IDENT"]), "GET_RESUME")
            case Action.SECURE if self._resume:
                self._secure(self._securing.begin(self._resume, self._who), now)
            case Action.COME_UP if self._resume:
                self._come_up(self._resume, now)
            case Action.LOSE:
                self._lose(_REASONS[happened], now + (BUSY_PAUSE if happened in _PATIENT else 0.0))
            case Action.STOP:
                self._lose(self._securing.stopped, now)

    def _reset(self) -> None:
        """What was half received is worth nothing, what has no reply waits again, and no session outlives a flush."""
        self._control.ask()
        self._exchange.reset()
        self._securing.end()

    def _come_up(self, resume: Resume, now: float) -> None:
        self._exchange.window.forget()
        self._broken = 0
        self._news.link_up(resume.epoch, self.room, now)
        self._events.append(Up(resume))

    def _lose(self, reason: str, flush_at: float) -> None:
        self._reset()
        self._exchange.window.forget()
        self._tally.resets += 1
        self._flush_at = flush_at
        self._events.append(Down(reason))
