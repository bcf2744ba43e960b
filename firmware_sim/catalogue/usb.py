"""What goes wrong between a USB plug and its host: only where a device is served with `--usbip`.

Frames are counted as for the line: bytes of a serial line behind an adapter, pieces of a device that has nothing but
USB. Reports are those of an interrupt endpoint: a Dogwood's all, a Cedar's doorbells.
"""

from __future__ import annotations

from firmware_sim.catalogue.kind import Key, Kind

_ALL = ("alder", "birch", "cedar", "dogwood")
_PIECES = ("cedar", "dogwood")
_FRAME = Key("the n-th frame from device to host")
_REPORT = Key("the n-th report of an interrupt endpoint to the host")
_REPORTS = Key("so many one after the other", 1)

USB = (
    Kind(
        "stall",
        _ALL,
        "an endpoint stalls, before a frame to the host, until its halt is cleared",
        {
            "frame": _FRAME,
            "clears": Key("it has to be cleared so many times", 1),
            "way": Key("the endpoint to the host, or the one from it", "in", choices=("in", "out")),
        },
        plugged=True,
    ),
    Kind(
        "overflow",
        _ALL,
        "more comes than was asked for (USB calls it babble): the transfer fails, and a frame to the host is lost",
        {"frame": _FRAME, "transfers": Key("so many transfers fail", 1)},
        plugged=True,
    ),
    Kind(
        "short_read",
        _ALL,
        "a short packet ends a transfer to the host in the middle of a frame; the rest of a report is lost",
        {"frame": _FRAME, "bytes": Key("behind so many bytes", 1)},
        plugged=True,
    ),
    Kind(
        "report_lost",
        _PIECES,
        "a report on an interrupt endpoint is lost",
        {"report": _REPORT, "reports": _REPORTS},
        plugged=True,
    ),
    Kind(
        "report_twice",
        _PIECES,
        "a report on an interrupt endpoint comes twice",
        {"report": _REPORT, "reports": _REPORTS},
        plugged=True,
    ),
    Kind(
        "suspend",
        _ALL,
        "the bus sleeps behind a frame to the host, and wakes again",
        {"frame": _FRAME, "ms": Key("milliseconds of sleep", 3000)},
        plugged=True,
    ),
    Kind(
        "renumber",
        _ALL,
        "the device leaves the bus behind a frame to the host, and is there again at once under another number",
        {"frame": _FRAME, "ms": Key("milliseconds until then", 20)},
        plugged=True,
    ),
    Kind(
        "unplug",
        _ALL,
        "the plug is pulled in the middle of a frame to the host, and put in again",
        {
            "frame": Key("the first frame from the n-th on, from device to host, that has more bytes than arrive"),
            "bytes": Key("so many bytes of it arrive", 1),
            "ms": Key("milliseconds until then", 500),
        },
        plugged=True,
    ),
    Kind(
        "swap",
        _ALL,
        "the plug and that of another device on the bus change places",
        {
            "frame": _FRAME,
            "ms": Key("milliseconds until both are in again", 500),
            "back": Key("they change back so many milliseconds later, 0 never", 0, least=0),
        },
        plugged=True,
    ),
)
