"""Frames to and fro at the host's end of a Cedar: numbers, seals, and which reply belongs to what (cedar.md §2)."""

from __future__ import annotations

from dataclasses import dataclass

from protocols.cedar import frames, wire
from protocols.cedar.datasheet import BULK_OUT, END_WITHIN, PAYLOAD_MAX, TIMEOUT
from protocols.cedar.frames import Frame, Transfers
from protocols.cedar.window import Asked, Window
from protocols.errors import DecodeError, ErrorKind, Untrue
from protocols.handshake import Securing
from protocols.link import Tally
from protocols.message import Response
from protocols.piece import Piece
from protocols.seal import overhead


@dataclass(frozen=True)
class Reply:
    """A reply that was awaited. `asked` is None for one to the handshake; `size` that of its plain payload."""

    asked: Asked | None
    response: Response
    size: int


class Exchange:
    """Commands out, replies in. `auth`: the command of the handshake that is out or about to leave."""

    def __init__(self, seq: int, securing: Securing, tally: Tally) -> None:
        self.window = Window(seq)
        self.transfers = Transfers()
        self.auth: Asked | None = None
        self._securing, self._tally = securing, tally

    @property
    def room(self) -> int:
        """Bytes of payload that fit into a frame."""
        return PAYLOAD_MAX - overhead(self._securing.level)

    def waiting(self, *, all: bool) -> bool:
        """Whether a frame could leave now; without `all` only those of the handshake."""
        return (self.auth is not None and not self.auth.tries) or (all and self.window.free)

    def output(self, now: float, *, all: bool) -> list[Piece]:
        """What leaves now."""
        out = []
        if self.auth is not None and not self.auth.tries:
            out.append(self._frame(self.window.number(self.auth, now)))
        while all and self.window.free:
            asked = self.window.next(now)
            self._tally.resends += asked.tries > 1
            out.append(self._frame(asked))
        return out

    def _frame(self, asked: Asked) -> Piece:
        frame = wire.request_frame(asked.request, asked.seq)
        session = self._securing.session
        if session is not None and frame.code not in wire.PLAIN_ALWAYS:
            frame = frames.seal(frame, session.outgoing)
        return Piece(BULK_OUT, frames.encode(frame))

    def late_at(self) -> float | None:
        """When the first reply is late."""
        times = [self.window.late_at()]
        times += [self.auth.at + TIMEOUT] if self.auth is not None and self.auth.tries else []
        return min((at for at in times if at is not None), default=None)

    def end_at(self, heard_at: float) -> float | None:
        """When a transfer that holds a whole frame counts as over although its end is missing."""
        return heard_at + END_WITHIN if self.transfers.whole else None

    def reply(self, frame: Frame) -> Reply:
        """The reply in a frame. Raises Untrue, FrameError for what is no reply, DecodeError for what is not awaited
        (kind `type`) or does not fit.
        """
        kind = wire.check(frame, reply=True)
        self._tally.frames_in += 1
        auth = self.auth is not None and self.auth.answered_by(frame)
        asked = self.auth if auth else self.window.answered(frame)
        if asked is None:
            raise DecodeError(ErrorKind.TYPE)
        plain = self._opened(frame)
        response = wire.read_reply(kind, plain, asked.request.id)
        if auth:
            self.auth = None
            return Reply(None, response, len(plain.payload))
        self.window.done(asked)
        return Reply(asked, response, len(plain.payload))

    def _opened(self, frame: Frame) -> Frame:
        session = self._securing.session
        if session is not None and wire.ends_session(frame):
            raise Untrue(None)
        if not wire.sealed_rightly(frame, self._securing.level):
            raise Untrue(ErrorKind.SEALED)
        if session is None or not frame.level:
            return frame
        try:
            return frames.unseal(frame, session.incoming)
        except DecodeError as error:
            raise Untrue(error.kind) from None

    def reset(self) -> None:
        """A flush: what was half received and the handshake are over, what has no reply is to be sent again."""
        self.transfers.clear()
        self.window.again()
        self.auth = None
