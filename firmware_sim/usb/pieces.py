"""A device that speaks in pieces (protocols/piece.py): each goes out at the endpoint that it names, as packets."""

from __future__ import annotations

import errno
from collections import deque
from collections.abc import Callable

from firmware_sim.usb.descriptors import Way
from firmware_sim.usb.device import Answer, Function, Setup
from protocols.piece import CONTROL_IN, CONTROL_OUT, Piece, PieceFramer, Tail, pieces

REPORTS_KEPT = 8
"""Of an interrupt endpoint that the host does not read; older ones are lost."""

HID_ACCEPTED = ((0x21, 0x0A), (0x21, 0x0B))
"""SET_IDLE and SET_PROTOCOL, which the system's driver sends to every HID device."""


class PieceFunction(Function):
    """`heard` gets the host's pieces, `gone` is told that a host left. Cedar and Dogwood are of this kind."""

    def __init__(self, heard: Callable[[bytes], object], gone: Callable[[], object]) -> None:
        self._heard = heard
        self._gone = gone
        self._framer = PieceFramer()
        self._answers: deque[Answer] = deque()

    def write(self, data: bytes) -> None:
        """Pieces of the device."""
        for piece in self._framer.feed(data, 0.0):
            if isinstance(piece, Piece):
                self._put(piece)

    def write_short(self, data: bytes, at: int) -> None:
        """A piece in two transfers, of which the first is over too soon. Of a report, or an answer, nothing follows."""
        for piece in pieces(data):
            self._put(Piece(piece.ep, piece.data[:at]))
            if piece.ep != CONTROL_IN and self.device.pipes[piece.ep].endpoint.way is not Way.INTERRUPT:
                self._put(Piece(piece.ep, piece.data[at:], piece.tail))

    def way_of(self, data: bytes) -> int:
        """The endpoint of a piece; for an answer to a request, the first that goes to the host."""
        return (
            data[0] if data[0] in self.device.pipes else next(each for each in self.device.pipes if each & CONTROL_IN)
        )

    def flow(self, taking: bool) -> None:
        """Take what the host sends, or answer nothing at its OUT endpoints."""
        self.device.hold((address for address in self.device.pipes if not address & CONTROL_IN), not taking)

    def control(self, setup: Setup, data: bytes, answer: Answer) -> None:
        """A request goes to the device; its next piece of endpoint 0 is the answer. It ends one that waits still."""
        if self.device.plate.plug.report and (setup.type, setup.request) in HID_ACCEPTED:
            answer(b"")
            return
        self._answers.clear()
        self._answers.append(answer)
        self._heard(Piece(CONTROL_OUT, setup.raw + data).encode())

    def received(self, address: int, data: bytes, ended: bool) -> None:
        """A transfer goes to the device. On an interrupt endpoint each is a whole report."""
        ended = ended or self.device.pipes[address].endpoint.way is Way.INTERRUPT
        self._heard(Piece(address, data, Tail.END if ended else Tail.MORE).encode())

    def detached(self) -> None:
        """Requests without an answer stay without one."""
        self._answers.clear()
        self._gone()

    def _put(self, piece: Piece) -> None:
        if piece.ep == CONTROL_IN:
            if self._answers:
                self._answers.popleft()(None if piece.tail is Tail.STALL else piece.data)
            return
        if not self.device.configuration:
            return
        pipe = self.device.into_host(piece.ep)
        match piece.tail:
            case Tail.STALL:
                pipe.halt()
            case Tail.BABBLE:
                pipe.fail(errno.EOVERFLOW)
            case _ if pipe.endpoint.way is Way.INTERRUPT:
                while len(pipe.packets) >= REPORTS_KEPT:
                    pipe.packets.popleft()
                pipe.send(piece.data, end=False)
            case tail:
                pipe.send(piece.data, end=tail is Tail.END)
