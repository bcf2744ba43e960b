"""What the faults of the devices that are nothing but USB devices are tried with: a shoe that mixes, and a light shoe
beside a shuffler. The faults of their plugs are in usb_scripts.py.

A Cedar's motions are its cycles: 1 the load, 2 the count, 3 the first deal, and so on to the discards and the next
count. Through its mouth (`dealing` manual) it is drawn from as any shoe.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.endtoend.scripts import Script, written

MIXING = "cedar"
LIGHT = "alder,dogwood"
MANUAL = "manual"

CARDS = """
cedar:jam | cedar:jam@cycle=2,card=5 | cedar:jam@cycle=3,card=8 | cedar:jam@cycle=3,card=8,tries=2
cedar:jam@cycle=5,card=3 | cedar:jam@zone=carousel,cycle=3,card=2 | cedar:jam@zone=buffer,cycle=3,card=4
cedar:jam@zone=output,cycle=3,card=6 | cedar:jam@card=3,times=2
cedar:double_feed | cedar:double_feed@cycle=5,card=4 | cedar:double_feed@cycle=1,thickness=120
cedar:card_damaged | cedar:card_damaged@cycle=3,card=3
cedar:missing | cedar:missing@cycle=5,card=3 | cedar:missing@cycle=9,card=3
cedar:extra | cedar:extra@cycle=5,card=3 | cedar:extra@cycle=9,card=3
cedar:duplicate | cedar:duplicate@cycle=5,card=3 | cedar:foreign | cedar:foreign@cycle=5,card=3
cedar:wrong_back | cedar:wrong_back@cycle=5,card=3 | cedar:face_up | cedar:face_up@cycle=5,card=3
cedar:unreadable | cedar:unreadable@cycle=5,card=3
cedar:duplicate cedar:residual | cedar:early_draw cedar:residual | cedar:packet_size | cedar:packet_size@by=-1,card=7
cedar:packet_size@card=1,cycle=3,by=2 | cedar:packet_left | cedar:packet_left@packet=3
cedar:early_draw
"""

AT_THE_MOUTH = """
cedar:misread | cedar:misread@draw=22 | cedar:early_draw | cedar:overdraw | cedar:overdraw@times=2
cedar:pushed_back | cedar:pushed_back@draw=1 | cedar:pushed_back@draw=22 | cedar:pushed_back@draw=7,times=3
cedar:jam@cycle=3,card=8 | cedar:door@cycle=3 | cedar:power_cut@event=20 | cedar:gap@event=14
cedar:missing@cycle=5,card=3 | cedar:wiped@event=20 | cedar:ring_full@event=12,records=5000
"""

MACHINE = """
cedar:door | cedar:door@shut=0 | cedar:door@cycle=2 | cedar:door@cycle=3,shut=0 | cedar:door@event=9,shut=0
cedar:service | cedar:service@cycle=3,shut=0 | cedar:tamper | cedar:tamper@shut=0 | cedar:flutter
cedar:flutter@cycle=3,edges=8 | cedar:motor_stall | cedar:motor_stall@stays=1 | cedar:motor_stall@cycle=3
cedar:sensor_blocked | cedar:sensor_blocked@cycle=3,stays=1 | cedar:sensor_weak | cedar:sensor_weak@lasts=0
cedar:overtemp | cedar:overtemp@lasts=0 | cedar:nvram_error | cedar:nvram_error@cycle=3,stays=1
cedar:clock | cedar:clock@lasts=0 | cedar:rng_health | cedar:rng_health@cycle=3,stays=1
cedar:fw_integrity | cedar:fw_integrity@cycle=3 | cedar:lying_count@in=-1 | cedar:lying_count@out=1
cedar:lying_count@rest=-1
"""

POWER = """
cedar:power_cut | cedar:power_cut@card=8,cycle=3 | cedar:power_cut@event=13 | cedar:power_cut@event=13,times=3
cedar:watchdog | cedar:watchdog@cycle=3 | cedar:torn_write@event=5 | cedar:torn_write@event=20
cedar:write_cut@write=60,how=before | cedar:write_cut | cedar:write_cut@write=200,how=after
cedar:gap@event=9 | cedar:gap@event=14 | cedar:gap@event=20 | cedar:event_twice@event=12
cedar:event_twice@event=12,bytes=other | cedar:unknown_event@event=12 | cedar:unknown_event@event=12,code=9F
cedar:ring_full@event=12,records=5000 | cedar:ring_full@event=12 | cedar:ring_small
cedar:wiped@event=3 | cedar:wiped@event=14 | cedar:wiped@event=30
cedar:other_unit@event=3 | cedar:other_unit@event=20
"""

OF_LIGHT = """
dogwood:missing | dogwood:missing@draw=40 | dogwood:missing@draw=1,load=3 | dogwood:extra
dogwood:extra@draw=45,load=2 | dogwood:duplicate | dogwood:duplicate@draw=50 | dogwood:foreign
dogwood:foreign@draw=15,load=2 | dogwood:wrong_back | dogwood:wrong_back@draw=15,load=2 | dogwood:face_up
dogwood:face_up@draw=15,load=2 | dogwood:unreadable@draw=4 | dogwood:unreadable
dogwood:unreadable@draw=15,load=2 | dogwood:unreadable@draw=4,times=3 | dogwood:misread
dogwood:misread@draw=15,load=2 | dogwood:misread@later=right | dogwood:misread@later=wrong
dogwood:residual | dogwood:residual@load=2
dogwood:early_draw | dogwood:early_draw@load=3 | dogwood:overdraw | dogwood:overdraw@load=2
dogwood:early_draw dogwood:overdraw | dogwood:pushed_back | dogwood:pushed_back@draw=1
dogwood:pushed_back@draw=15,load=2 | dogwood:pushed_back@draw=7,times=3 | dogwood:cut_card
dogwood:cut_card@draw=1 | dogwood:cut_card@draw=50,load=2
dogwood:lid | dogwood:lid@shut=0 | dogwood:lid@card=15,load=2,shut=0 | dogwood:service | dogwood:service@shut=0
dogwood:service@card=15,load=2 | dogwood:tamper | dogwood:tamper@shut=0 | dogwood:flutter
dogwood:flutter@edges=8,load=2 | dogwood:motor_stall | dogwood:motor_stall@stays=1 | dogwood:sensor_blocked
dogwood:sensor_blocked@stays=1 | dogwood:sensor_weak | dogwood:sensor_weak@lasts=0 | dogwood:overtemp
dogwood:overtemp@lasts=0 | dogwood:nvram_error | dogwood:nvram_error@stays=1 | dogwood:clock
dogwood:clock@lasts=0 | dogwood:rng_health | dogwood:rng_health@stays=1 | dogwood:fw_integrity
dogwood:fw_integrity@card=15,load=2
dogwood:power_cut@card=7 | dogwood:power_cut@card=1 | dogwood:power_cut@card=15,cycle=2 | dogwood:power_cut@event=12
dogwood:power_cut@card=7,times=3 | dogwood:watchdog | dogwood:watchdog@card=15,cycle=2
dogwood:torn_write@event=12 | dogwood:torn_write@event=30 | dogwood:write_cut@write=41,how=torn
dogwood:write_cut@write=40,how=before | dogwood:write_cut@write=42,how=after | dogwood:write_cut
dogwood:write_cut@write=100 | dogwood:gap@event=9 | dogwood:gap@event=20 | dogwood:gap@event=30
dogwood:event_twice@event=12 | dogwood:event_twice@event=12,bytes=other | dogwood:unknown_event@event=12
dogwood:unknown_event@event=12,code=9F | dogwood:ring_full@event=12,records=200 | dogwood:ring_full@event=12
dogwood:ring_full@event=20,records=200 | dogwood:ring_small | dogwood:wiped@event=20 | dogwood:wiped@event=3
dogwood:wiped@event=40 | dogwood:other_unit@event=20 | dogwood:other_unit@event=3
"""

LINE = (
    *("reply_lost", "late", "corrupt", "frame_twice", "mute", "command_lost", "command_corrupt", "hang_up"),
    "renamed",
)
AT_FRAME = {"cedar": (60, 150), "dogwood": (60, 120)}  # the first deal; what follows
LASTING = {
    MIXING: "cedar:mute@frame=60,ms=7000 | cedar:hang_up@frame=60,ms=6500",
    LIGHT: "dogwood:mute@frame=60,ms=7000 | dogwood:hang_up@frame=60,ms=6500",
}


def _of_lines() -> Iterator[Script]:
    for name in LINE:
        for devices, family in ((MIXING, "cedar"), (LIGHT, "dogwood")):
            yield from (Script((f"{family}:{name}@frame={frame}",), devices) for frame in AT_FRAME[family])
    for devices, text in LASTING.items():
        yield from written(text, devices)


ON_A_BUS: tuple[Script, ...] = (
    *written(CARDS, MIXING),
    *written(AT_THE_MOUTH, MIXING, MANUAL),
    *written(MACHINE, MIXING),
    *written(POWER, MIXING),
    *written(OF_LIGHT, LIGHT),
    *_of_lines(),
)
