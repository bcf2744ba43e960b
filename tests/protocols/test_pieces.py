"""Pieces: how a pipe of bytes carries what a bus carries, and how a bus cuts a transfer into packets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.errors import FrameError
from protocols.piece import Piece, PieceFramer, Tail, packets, pieces

PIECE = st.builds(Piece, st.integers(0, 255), st.binary(max_size=700), st.sampled_from(Tail))


@given(st.lists(PIECE, max_size=6), st.lists(st.integers(0, 2000), max_size=8))
def test_pieces_come_out_as_they_went_in_however_the_pipe_cuts_them(sent: list[Piece], cuts: list[int]) -> None:
    data = b"".join(piece.encode() for piece in sent)
    framer, heard, at = PieceFramer(), [], 0
    for cut in sorted(cuts):
        heard += framer.feed(data[at:cut], 0.0)
        at = max(at, cut)
    assert heard + framer.feed(data[at:], 0.0) == sent == pieces(data)
    assert framer.flush() == []


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_bytes_that_are_no_pieces_give_pieces_or_errors_and_never_raise(parts: list[bytes]) -> None:
    framer = PieceFramer()
    for part in parts:
        for item in framer.feed(part, 0.0):
            assert isinstance(item, (Piece, FrameError))
    assert len(framer.flush()) <= 1


@pytest.mark.parametrize("size", [8, 64, 512])
@given(data=st.binary(max_size=1100))
def test_a_transfer_is_full_packets_and_a_short_one_that_may_be_empty(size: int, data: bytes) -> None:
    cut = packets(Piece(1, data), size)
    assert b"".join(packet.data for packet in cut) == data
    assert [len(packet.data) for packet in cut[:-1]] == [size] * (len(cut) - 1)
    assert len(cut[-1].data) == len(data) % size
    assert [packet.tail for packet in cut] == [Tail.MORE] * (len(cut) - 1) + [Tail.END]


def test_what_is_no_whole_transfer_is_not_cut() -> None:
    for tail in (Tail.MORE, Tail.STALL, Tail.BABBLE):
        assert packets(Piece(1, bytes(100), tail), 64) == [Piece(1, bytes(100), tail)]
