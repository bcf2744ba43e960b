"""An Alder link whose other end is the test."""

from __future__ import annotations

from protocols.alder.end import AlderEnd
from protocols.alder.link import AlderDevice, AlderHost
from protocols.alder.vector import decode_frame, encode_frame
from protocols.link import LinkEvent, Side
from protocols.message import Request
from protocols.vocabulary import Resume

RESUME = Resume(1, 3, 1, 1, 1, 0)
ACK = Request("EVENT_ACK", 5, {"upto": 1})
STATUS = {"kind": "request", "type": "STATUS", "id": 9}
PROGRESS = {"kind": "progress", "cycle": 1, "state": 4, "done": 1, "total": 2}


def frame(link: str, **fields: object) -> bytes:
    return encode_frame({"link": link, **fields}, None)


def data(ns: int, nr: int, payload: dict[str, object], retx: int = 0) -> bytes:
    return frame("DATA", ns=ns, nr=nr, retx=retx, payload=payload)


def said(link: AlderEnd, now: float) -> list[str]:
    """What a link puts out, as short words: `DATA 3`, `RR 2`, `REJ 1`, `ERROR 3`."""
    words = []
    for part in link.output(now).split(b"\x7e"):
        if part:
            fields = decode_frame(b"\x7e" + part + b"\x7e", link.side)
            mark = "R" if fields.get("retx") else ""
            number = fields.get("ns", fields.get("nr", fields.get("reason", fields.get("cause", ""))))
            words.append(f"{fields['link']}{mark} {number}".strip())
    return words


def up(side: Side, now: float = 0.0) -> AlderEnd:
    link = AlderHost() if side is Side.HOST else AlderDevice(resume=lambda: RESUME)
    link.open(now)
    said(link, now)
    link.receive(frame("RSTACK", **RESUME.body) if side is Side.HOST else frame("RST"), now)
    said(link, now)
    assert link.up
    return link


def until(link: AlderEnd, end: float) -> list[tuple[float, str]]:
    """What a link says by itself until then, and when (rounded to 10 ms)."""
    words = []
    while (due := link.deadline()) is not None and due <= end:
        link.tick(due)
        words += [(round(due, 2), word) for word in said(link, due)]
    return words


def only(events: list[LinkEvent], kind: type) -> list[LinkEvent]:
    return [event for event in events if isinstance(event, kind)]
