"""Dogwood: light card-reading shoe, a HID device with reports of 64 bytes (dogwood.md).

How a transport feeds the link (the form of a piece is in `protocols/piece.py`; descriptors in `datasheet.USB`). Each
report is one piece of tail END, 64 bytes with the report id first, just as hidraw reads and writes them.

Host to device, from `link.output`:

- ep 01: an output report (ids 10, 11), to be written as it is.
- ep 00: the setup bytes of GET_REPORT for a feature report, whose id is byte 2. Fetch it (HIDIOCGFEATURE) and give back
  exactly one piece of ep 80: the report, id first, or tail STALL where it was refused or timed out.

Device to host, into `link.receive`: ep 81, an input report (ids 01 to 04) as it was read, of whatever size.

A lost device is a lost transport: make a new link. At the device's end the directions are swapped; the server of the
bus calls `link.unplugged` on detach and bus reset, and answers standard requests and SET_IDLE by itself.
"""

from __future__ import annotations

from protocols.dogwood import datasheet, vector, wire
from protocols.dogwood.link import make_link
from protocols.dogwood.status import standing
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
        Verb.RESUME: "WINDOW",
        Verb.RESULT: "RESULT",
        Verb.FAULTS: "FAULTS",
        Verb.ACK_EVENTS: "ACK",
        Verb.CLEAR_FAULT: "CLEAR_FAULT",
        Verb.LOAD: "LOAD",
        Verb.ARM: "ARM",
        Verb.SHUT: "DISARM",
        Verb.LAMP: "LAMP",
        Verb.RESOLVE: "REREAD",
        Verb.COUNT: "COUNT_NOW",
        Verb.RETIRE: "RETIRE",
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
    standing=standing,
    type_codes={each.name: each.code for each in wire.CATALOGUE.types},
)
