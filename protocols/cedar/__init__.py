"""Cedar: continuous shuffler with shoe and packets, a USB device of its own class (cedar.md).

How a transport feeds the link (the form of a piece is in `protocols/piece.py`; endpoints and descriptors in
`datasheet.USB`). Host to device, from `link.output`:

- ep 00: the eight setup bytes of a vendor request. Carry it out and give back exactly one piece of ep 80: what the data
  stage brought (empty for FLUSH, once its status stage is over), or tail STALL where it was refused or timed out.
- ep 01: one bulk OUT transfer. Where its length is a multiple of the packet size an empty packet follows.

Device to host, into `link.receive`, as it comes:

- ep 81: what one read of bulk IN brought, an empty packet too. Tail MORE where full packets filled the read and the
  transfer goes on, END where a short packet ended it, STALL after a pipe error (clear the halt first), BABBLE after
  an overflow. Read ahead all the time: the link itself throws away what comes between a flush and quiet.
- ep 82: one interrupt transfer, whole.

A lost or re-enumerated device is a lost transport: make a new link. At the device's end the directions are swapped, the
server of the bus calls `link.unplugged` on detach and bus reset, and answers standard requests by itself.
"""

from __future__ import annotations

from protocols.cedar import datasheet, vector, wire
from protocols.cedar.link import make_link
from protocols.family import Family, Verb

FAMILY = Family(
    name=datasheet.NAME,
    code=datasheet.FAMILY_BYTE,
    caps=datasheet.CAPS,
    ring=datasheet.RING,
    id_max=datasheet.ID_MAX,
    verbs={
        Verb.IDENT: "IDENT",
        Verb.STATUS: "STATUS",
        Verb.METERS: "METERS",
        Verb.RESULT: "RESULT",
        Verb.FAULTS: "FAULTS",
        Verb.READ_EVENTS: "EVENT_READ",
        Verb.ACK_EVENTS: "EVENT_ACK",
        Verb.CLEAR_FAULT: "CLEAR_FAULT",
        Verb.LOAD: "LOAD_BEGIN",
        Verb.LOADED: "LOAD_END",
        Verb.FEED: "FEED_DISCARDS",
        Verb.DELIVER: "DELIVER",
        Verb.DELIVER_PLAN: "DELIVER_PLAN",
        Verb.ARM: "SHOE_ARM",
        Verb.SHUT: "STOP",
        Verb.COUNT: "INVENTORY",
        Verb.UNLOAD: "UNLOAD_ALL",
        Verb.PURGE: "PURGE_REJECT",
        Verb.HASH_START: "HASH_START",
        Verb.HASH_READ: "HASH_READ",
        Verb.CONFIG_GET: "CONFIG_GET",
        Verb.CONFIG_SET: "CONFIG_SET",
    },
    states=datasheet.STATES,
    zones=datasheet.ZONES,
    commands=wire.CATALOGUE.commands,
    motions=wire.CATALOGUE.motions,
    make_link=make_link,
    decode_frame=vector.decode_frame,
    encode_frame=vector.encode_frame,
    split_frames=vector.split_frames,
    request_bytes=wire.request_bytes,
    line={"usb": datasheet.USB},
    type_codes={each.name: each.code for each in wire.CATALOGUE.types},
    endpoints=vector.ENDPOINTS,
)
