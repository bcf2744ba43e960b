"""The golden frames of the families in pieces, over a bus: however it and its driver cut them, each is heard whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from firmware_sim.usb.descriptors import Plate
from protocols.cedar import frames
from protocols.cedar.frames import Transfers
from protocols.link import Side
from protocols.piece import Piece, Tail, pieces
from protocols.usb import FULL, HIGH
from shoectl.transports import usb_carriers
from tests.protocols.golden import Vector, vectors
from tests.transports.ends import UsbEnd, standing
from tests.transports.hosts import Host, tails, until

CEDAR = [v for v in vectors("vectors") if v.family == "cedar" and v.entry["decoded"]["ep"] == "bulk"]
DOGWOOD = [v for v in vectors("vectors") if v.family == "dogwood"]
FULL_SIZE, HIGH_SIZE = 64, 512
SPEEDS = {FULL: FULL_SIZE, HIGH: HIGH_SIZE}


def of(side: Side, of_family: Iterable[Vector]) -> list[bytes]:
    """What that side says."""
    found = [vector.data for vector in of_family if vector.sender is side]
    assert len(found) > 20
    return found


def at(speed: str) -> UsbEnd:
    """A Cedar that is attached at full or high speed."""
    end = UsbEnd("cedar")
    plug = end.plate.plug
    end.plate = Plate(replace(plug, configurations={speed: plug.configurations[speed]}), end.plate.strings)
    return end


def heard(said: Iterable[Piece], ep: int) -> list[frames.Frame]:
    """The frames of an endpoint; what is none is an error."""
    transfers, found = Transfers(), []
    for piece in said:
        item = transfers.take(piece) if piece.ep == ep else None
        assert item is None or isinstance(item, frames.Frame)
        found += [] if item is None else [item]
    return found


@pytest.mark.parametrize("packets", [1, 2, 3, 7, 64])
@pytest.mark.parametrize("speed", SPEEDS)
async def test_a_frame_of_a_cedar_is_heard_however_many_packets_a_read_takes(
    speed: str, packets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    size, said = SPEEDS[speed], of(Side.DEVICE, CEDAR)
    monkeypatch.setattr(usb_carriers, "AT_ONCE", size * packets)
    async with standing(end := at(speed)):
        host = await Host(end.url).open()
        for data in said:
            end.say(data)
        await until(lambda: tails(host).count(Tail.END) == len(said))
        assert heard(pieces(host.heard), 0x81) == [frames.decode(data) for data in said]
        reads = [-(-(len(data) + 1) // (size * packets)) for data in said]
        assert len(tails(host)) == sum(reads)
        assert host.losses == []
        await host.transport.close()


@pytest.mark.parametrize("speed", SPEEDS)
async def test_a_frame_for_a_cedar_ends_with_an_empty_packet_where_it_fills_its_packets(speed: str) -> None:
    """Those of the device, too: no host has something to say that fills a packet."""
    size, said, came = SPEEDS[speed], of(Side.HOST, CEDAR) + of(Side.DEVICE, CEDAR), list[Piece]()
    async with standing(end := at(speed)):
        end.function._heard = lambda data: came.extend(pieces(data))  # type: ignore[union-attr]
        host = await Host(end.url).open()
        for data in said:
            host.transport.write(end.wrapped(data))
        await until(lambda: [piece.tail for piece in came].count(Tail.END) == len(said))
        assert heard(came, 0x01) == [frames.decode(data) for data in said]
        full = [data for data in said if len(data) % size == 0]
        assert len(full) >= 2
        assert [piece.data for piece in came if piece.tail is Tail.MORE] == full
        assert came.count(Piece(0x01, b"")) == len(full)
        await host.transport.close()


async def test_each_report_of_a_dogwood_is_one_piece_whatever_empty_packets_come_between() -> None:
    """A report fills its packet: no empty one belongs to it, and one that comes all the same is nothing."""
    said = of(Side.DEVICE, DOGWOOD)
    async with standing(end := UsbEnd("dogwood")):
        host = await Host(end.url).open()
        pipe = end.device.into_host(0x81)
        for number, data in enumerate(said, 1):
            pipe.empty(number % 3)
            end.say(data)
            await until(lambda: len(tails(host)) == number)  # noqa: B023
        assert pieces(host.heard) == [Piece(0x81, data) for data in said]
        assert host.losses == []
        await host.transport.close()


async def test_each_report_for_a_dogwood_is_one_packet_and_no_empty_one() -> None:
    said, came = of(Side.HOST, DOGWOOD), list[Piece]()
    async with standing(end := UsbEnd("dogwood")):
        end.function._heard = lambda data: came.extend(pieces(data))  # type: ignore[union-attr]
        host = await Host(end.url).open()
        host.transport.write(b"".join(map(end.wrapped, said)))  # all at once
        await until(lambda: len(came) >= len(said))
        assert came == [Piece(0x01, data) for data in said]
        await host.transport.close()
