"""Birch: card-reading dealing shoe on a shared half-duplex line (birch.md)."""

from __future__ import annotations

from protocols.birch import datasheet, vector, wire
from protocols.birch.link import make_link
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
        Verb.READ_EVENTS: "READ_EVENTS",
        Verb.ACK_EVENTS: "ACK_EVENTS",
        Verb.CLEAR_FAULT: "CLEAR_FAULT",
        Verb.LOAD: "LOAD_BEGIN",
        Verb.LOADED: "LOAD_END",
        Verb.ARM: "ARM",
        Verb.SHUT: "DISARM",
        Verb.RESOLVE: "REREAD_OK",
        Verb.CLOSE_SHOE: "SHOE_CLOSE",
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
    line={
        "baud": datasheet.BAUD,
        "bauds": (datasheet.BAUD,),
        "half_duplex": True,
        "addresses": datasheet.DEVICES,
        "address": datasheet.DEFAULT_ADDRESS,
    },
    type_codes={each.name: each.code for each in wire.CATALOGUE.types},
)
