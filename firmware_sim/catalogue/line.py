"""What goes wrong on the wire. Frames are counted for each device; times are milliseconds of the line."""

from __future__ import annotations

from firmware_sim.catalogue.kind import BOTH, Key, Kind

_FRAME = Key("the n-th frame from device to host")
_FROM_HOST = Key("the n-th frame from host to device")
_AWAY = Key("milliseconds until the port is there again", 500)

LINE = (
    Kind("reply_lost", BOTH, "a frame to the host is lost", {"frame": _FRAME}),
    Kind(
        "late",
        BOTH,
        "a frame to the host is late, and those behind it wait",
        {"frame": _FRAME, "ms": Key("so many milliseconds", 200)},
    ),
    Kind("corrupt", BOTH, "one byte of a frame to the host is flipped", {"frame": _FRAME}),
    Kind(
        "split",
        BOTH,
        "a frame to the host comes in two pieces",
        {"frame": _FRAME, "ms": Key("milliseconds between them", 20)},
    ),
    Kind("merged", BOTH, "a frame to the host waits and comes in one piece with the next", {"frame": _FRAME}),
    Kind("frame_twice", BOTH, "a frame to the host comes twice", {"frame": _FRAME}),
    Kind("noise", BOTH, "rubbish bytes before a frame to the host", {"frame": _FRAME}),
    Kind(
        "mute",
        BOTH,
        "the device works and cannot be heard",
        {
            "frame": _FRAME,
            "frames": Key("so many frames are lost", 10),
            "ms": Key("instead: all frames for so many milliseconds"),
        },
    ),
    Kind(
        "babble",
        BOTH,
        "the device says rubbish instead of frames",
        {
            "frame": _FRAME,
            "frames": Key("so many frames are drowned", 4),
            "bytes": Key("bytes of rubbish for each", 500),
        },
    ),
    Kind("command_lost", BOTH, "a frame from the host is lost", {"frame": _FROM_HOST}),
    Kind("command_corrupt", BOTH, "one byte of a frame from the host is flipped", {"frame": _FROM_HOST}),
    Kind(
        "echo",
        BOTH,
        "frames from the host come back to it (for a whole run: the option of the line)",
        {"frame": _FROM_HOST, "frames": Key("so many", 10)},
    ),
    Kind(
        "stuck_flow",
        BOTH,
        "nobody takes what the host sends: it waits in the line",
        {"frame": _FROM_HOST, "ms": Key("so many milliseconds", 3000)},
    ),
    Kind("hang_up", BOTH, "the line drops after a frame to the host and comes back", {"frame": _FRAME, "ms": _AWAY}),
    Kind(
        "renamed",
        BOTH,
        "the line drops after a frame to the host and comes back as another node behind the same name",
        {"frame": _FRAME, "ms": _AWAY},
    ),
)
