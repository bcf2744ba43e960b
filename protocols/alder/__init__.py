"""Alder: single-deck batch shuffler on a serial line (alder.md)."""

from __future__ import annotations

from protocols.alder import datasheet, vector, wire
from protocols.alder.link import make_link
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
        Verb.SHUFFLE: "SHUFFLE_START",
        Verb.ABORT: "ABORT",
        Verb.PRESENT: "PRESENT",
        Verb.RETRACT: "RETRACT",
        Verb.CONFIRM_DECK: "CONFIRM_DECK",
        Verb.RETIRE_DECK: "RETIRE_DECK",
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
    line={"baud": datasheet.BAUD, "bauds": datasheet.BAUDS, "half_duplex": False, "usb": datasheet.USB},
    type_codes={each.name: each.code for each in wire.CATALOGUE.types},
)
