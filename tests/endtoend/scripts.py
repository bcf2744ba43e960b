"""What the faults of the simulator are tried with: each fault on each device that can have it, and its variants.

A script is one or more faults (as `--fault` takes them, with a blank between) at a table of certain devices. Cycle 1 of
a shuffler is over before the first deal; from cycle 2 on it shuffles the one deck while the other one is dealt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firmware_sim.faults import parse

PLAIN = "alder,birch"
READER = "alder?composition=true,birch"
BACKS = "alder?backs=true,birch"


@dataclass(frozen=True)
class Script:
    """The faults of a run, the devices that it has, and how they deal, where they could in two ways."""

    faults: tuple[str, ...]
    devices: str = PLAIN
    dealing: str = ""

    def __str__(self) -> str:
        table = "" if self.devices == PLAIN else f" at {self.devices}"
        return " ".join(self.faults) + table + (f", {self.dealing}" if self.dealing else "")

    @property
    def kinds(self) -> Iterator[tuple[str, str]]:
        """Name and family of each of its faults."""
        for fault in self.faults:
            parsed = parse(fault)
            yield parsed.kind.name, str(parsed.family)


CARDS = """
alder:jam@card=31,tries=1 | alder:jam@card=31,tries=2 | alder:jam@card=52,tries=3,cycle=2 | alder:jam@card=31
alder:jam@card=1,cycle=2 | alder:jam@card=31,times=2
alder:double_feed | alder:double_feed@card=20,thickness=120 | alder:double_feed@card=1,cycle=2
alder:card_damaged | alder:card_damaged@card=52,cycle=2
alder:missing@card=20 | alder:missing@card=52,cycle=2
birch:missing | birch:missing@draw=40 | birch:missing@draw=1,load=3
alder:extra@card=5 | alder:extra@card=31,cycle=2 | birch:extra | birch:extra@draw=45,load=2
alder:duplicate | alder:duplicate@card=3,cycle=2 | birch:duplicate | birch:duplicate@draw=50 | birch:duplicate@load=3
alder:foreign | alder:foreign@card=3,cycle=2 | birch:foreign | birch:foreign@draw=22,load=2
alder:wrong_back | alder:wrong_back@card=3,cycle=2 | birch:wrong_back | birch:wrong_back@draw=22,load=2
alder:face_up | alder:face_up@card=3,cycle=2 | birch:face_up | birch:face_up@draw=22,load=2
birch:face_up@draw=3 birch:face_up@draw=9
birch:unreadable@draw=4 | birch:unreadable | birch:unreadable@draw=22,load=2 | birch:unreadable@draw=4,times=3
birch:misread | birch:misread@draw=22,load=2 | birch:misread@later=right | birch:misread@later=wrong
birch:misread@draw=3,later=right,after=4
alder:residual | alder:residual@zone=path | alder:residual@zone=output,cycle=2 | birch:residual | birch:residual@load=2
birch:early_draw | birch:early_draw@load=3 | birch:overdraw | birch:overdraw@load=2 | birch:early_draw birch:overdraw
birch:pushed_back | birch:pushed_back@draw=1 | birch:pushed_back@draw=22,load=2
birch:cut_card | birch:cut_card@draw=1 | birch:cut_card@draw=50,load=2
"""

READING = """
alder:duplicate | alder:foreign | alder:wrong_back | alder:face_up | alder:unreadable | alder:misread | alder:missing
alder:extra | alder:duplicate@card=3,cycle=2 | alder:unreadable@card=3,cycle=2 | alder:misread@card=3,cycle=2
"""

SEEING_BACKS = """
alder:wrong_back | alder:wrong_back@card=1,cycle=2
"""

MACHINE = """
alder:door | alder:door@shut=0 | alder:door@cycle=2 | alder:door@shut=0,cycle=2 | alder:door@event=9,shut=0
birch:lid | birch:lid@shut=0 | birch:lid@card=22,load=2,shut=0
alder:service | alder:service@shut=0 | alder:service@cycle=2,shut=0
birch:service | birch:service@shut=0 | birch:service@card=22,load=2
alder:tamper | alder:tamper@shut=0 | birch:tamper | birch:tamper@shut=0
alder:flutter | alder:flutter@edges=8,cycle=2 | birch:flutter | birch:flutter@edges=8,load=2
alder:motor_stall | alder:motor_stall@stays=1 | alder:motor_stall@cycle=2,stays=1
birch:motor_stall | birch:motor_stall@stays=1 | birch:motor_stall@card=22,load=2
alder:sensor_blocked | alder:sensor_blocked@stays=1 | alder:sensor_blocked@cycle=2,stays=1
birch:sensor_blocked | birch:sensor_blocked@stays=1 | birch:sensor_blocked@card=22,load=2
alder:sensor_weak | alder:sensor_weak@lasts=0 | birch:sensor_weak | birch:sensor_weak@lasts=0
alder:overtemp | alder:overtemp@lasts=0 | birch:overtemp | birch:overtemp@lasts=0
alder:nvram_error | alder:nvram_error@stays=1 | birch:nvram_error | birch:nvram_error@stays=1
alder:clock | alder:clock@lasts=0 | birch:clock | birch:clock@lasts=0
alder:rng_health | alder:rng_health@stays=1 | birch:rng_health | birch:rng_health@stays=1
alder:fw_integrity | alder:fw_integrity@cycle=2 | birch:fw_integrity | birch:fw_integrity@card=22,load=2
alder:sort | alder:sort@cycle=2 | alder:unmixed | alder:stuck_shelf | alder:stuck_shelf@times=0
alder:lying_count@out=-1 | alder:lying_count@out=1 | alder:lying_count@in=-1 | alder:lying_count@in=1,cycle=2
birch:lying_count@rest=-1 | birch:lying_count@rest=1,cycle=2
alder:no_count@times=0 | alder:panel | alder:panel@cycle=2
"""

POWER = """
alder:power_cut@card=31 | alder:power_cut@card=1,cycle=2 | alder:power_cut@event=13
birch:power_cut@card=7 | birch:power_cut@card=1 | birch:power_cut@card=22,cycle=2 | birch:power_cut@event=12
birch:power_cut@card=7,times=3
alder:watchdog | alder:watchdog@card=52,cycle=2 | birch:watchdog | birch:watchdog@card=22,cycle=2
alder:torn_write@event=5 | alder:torn_write@event=13 | birch:torn_write@event=12 | birch:torn_write@event=30
alder:write_cut@write=60,how=before | alder:write_cut | alder:write_cut@write=90,how=after
birch:write_cut@write=41,how=torn | birch:write_cut@write=40,how=before | birch:write_cut@write=42,how=after
birch:write_cut | birch:write_cut@write=100
alder:gap@event=3 | alder:gap@event=8 | alder:gap@event=20 | birch:gap@event=9 | birch:gap@event=20 | birch:gap@event=33
alder:event_twice@event=8 | alder:event_twice@event=8,bytes=other
birch:event_twice@event=12 | birch:event_twice@event=12,bytes=other
alder:unknown_event@event=8 | alder:unknown_event@event=8,code=9F
birch:unknown_event@event=12 | birch:unknown_event@event=12,code=9F
alder:ring_full@event=9,records=400 | alder:ring_full@event=9 | alder:ring_full@event=20,records=400
birch:ring_full@event=12,records=1000 | birch:ring_full@event=12 | birch:ring_full@event=20,records=1000
alder:ring_small | birch:ring_small
alder:wiped@event=9 | alder:wiped@event=3 | alder:wiped@event=20
birch:wiped@event=20 | birch:wiped@event=3 | birch:wiped@event=45
alder:other_unit@event=9 | alder:other_unit@event=3 | alder:other_unit@event=20
birch:other_unit@event=20 | birch:other_unit@event=3
"""

LINE = (
    *("reply_lost", "late", "corrupt", "split", "merged", "frame_twice", "noise", "mute", "babble", "command_lost"),
    *("command_corrupt", "echo", "stuck_flow", "hang_up", "renamed"),
)
AT_FRAME = {"alder": (9, 21), "birch": (40, 90)}  # the first shuffle and what follows; the first loading and deal
LASTING = "alder:mute@frame=9,ms=7000 | birch:mute@frame=60,ms=7000 | birch:hang_up@frame=60,ms=6500"


def written(text: str, devices: str = PLAIN, dealing: str = "") -> Iterator[Script]:
    """Scripts as they stand in a text, with a bar or a line's end between them."""
    for words in text.replace("\n", "|").split("|"):
        if faults := tuple(words.split()):
            yield Script(faults, devices, dealing)


def _of_lines() -> Iterator[Script]:
    for name in LINE:
        for family, frames in AT_FRAME.items():
            yield from (Script((f"{family}:{name}@frame={frame}",)) for frame in frames)


SCRIPTS = (
    *written(CARDS),
    *written(READING, READER),
    *written(SEEING_BACKS, BACKS),
    *written(MACHINE),
    *written(POWER),
    *_of_lines(),
    *written(LASTING),
)


def _first() -> Iterator[Script]:
    """One script for each fault on each device that can have it."""
    found: set[tuple[str, str]] = set()
    for script in SCRIPTS:
        if set(script.kinds) - found:
            found |= set(script.kinds)
            yield script


FIRST = tuple(_first())
VARIANTS = tuple(script for script in SCRIPTS if script not in FIRST)
