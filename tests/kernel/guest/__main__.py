"""All cases, in the guest, as root; each world's devices are used by an unprivileged user. One JSON line a case."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from protocols.family import Verb, families
from tests.kernel.guest import cases
from tests.kernel.guest.hub import Hub
from tests.kernel.guest.world import DEALER, Person, World, world

ONLY = Path("/opt/shoectl/only")
SPEED = "10"  # where plugs are pulled: a shuffle takes two seconds then
DRIVERS = {"alder": "cdc_acm", "adapter": "ftdi_sio", "dogwood": "hidraw", "cedar": "libusb"}


def say(**told: object) -> None:
    """To the host."""
    print(json.dumps(told), flush=True)


class Trials:
    """Runs cases by name; `only` leaves out those without that word."""

    def __init__(self) -> None:
        self.only = ONLY.read_text().strip()

    def wanted(self, name: str) -> bool:
        return self.only in name

    def run(self, name: str, case: Callable[[], str | None], *, always: bool = False) -> None:
        """One case."""
        if not always and not self.wanted(name):
            return
        began = time.monotonic()
        try:
            ok, said = True, case() or ""
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            ok, said = False, f"{type(error).__name__}: {error}\n{last.name}, line {last.lineno}"
        say(case=name, ok=ok, seconds=time.monotonic() - began, said=said)


def at(here: World, device: str) -> str:
    """A device and how it is reached, for people."""
    return f"{device} ({DRIVERS[here.kind(device)]})"


def each_device(trials: Trials, here: World) -> None:
    """Names and rights."""
    for device in here.devices:
        for case in (
            cases.names_rights_and_peace_are_as_the_rules_say,
            cases.somebody_outside_the_group_is_refused,
        ):
            name = f"{at(here, device)}: {case.__name__.replace('_', ' ')}"
            trials.run(name, lambda case=case, device=device: case(here, device))  # type: ignore[misc]


def conformance(trials: Trials, here: World) -> None:
    """The suite that runs over all media, on this one: by one process, device after device."""
    wanted = [device for device in here.devices if trials.wanted(f"{at(here, device)}: conformance")]
    words = [
        json.dumps((device, here.url(device), here.devices[device]["serial"], str(here.control))) for device in wanted
    ]
    if not words:
        return
    child = Person(DEALER).start("-m", "tests.kernel.guest.rig", *words)
    assert child.stdout is not None
    for line in child.stdout:
        told = json.loads(line)
        name = f"{at(here, told['family'])}: conformance: {told['check'].replace('_', ' ')}"
        say(case=name, ok=told["ok"], seconds=told["seconds"], said=told["said"])
    _, said = child.communicate()
    if child.returncode:
        say(case=f"conformance of {', '.join(wanted)}", ok=False, seconds=0.0, said=said[-1000:])


def place_of(device: str) -> str:
    """Where it sits at a table."""
    return "shuffler" if Verb.SHUFFLE in families()[device].verbs else "shoe"


def table(trials: Trials, here: World) -> None:
    """Rounds with all devices of a world."""
    places = {place_of(device): device for device in here.devices}
    name = " + ".join(at(here, device) for device in here.devices)
    case = cases.rounds_are_played_and_the_journal_equals_the_truth
    trials.run(f"{name}: {cases.ROUNDS} {case.__name__.replace('_', ' ')}", lambda: case(here, places))


def plug(trials: Trials, here: World, device: str) -> None:
    """A plug pulled while cards move: in a shuffle where the device shuffles, else in a deal."""
    places = {place_of(each): each for each in here.devices}
    if set(cases.SHUFFLING) & set(families()[device].states.values()):
        pulled = cases.unplugged_in_a_shuffle_and_back_under_another_node_the_round_goes_on
    else:
        pulled = cases.unplugged_in_a_deal_the_round_goes_on
    trials.run(f"{at(here, device)}: {pulled.__name__.replace('_', ' ')}", lambda: pulled(here, places, device))


TABLES = (("alder", "birch"), ("alder?plug=ftdi", "dogwood"), ("cedar",))
PULLED = (("alder",), ("alder", "dogwood"), ("cedar",))  # of these tables, while cards move


def main() -> None:
    """Everything. Two things have to be so before anything can be tried."""
    trials = Trials()
    for first in (cases.the_kernel_has_its_drivers, cases.the_installer_makes_the_group_and_lets_a_user_in):
        trials.run(first.__name__.replace("_", " "), first, always=True)
    hub = Hub()
    for devices in TABLES:
        with world(hub, *devices) as here:
            say(note=f"a table of {', '.join(at(here, device) for device in here.devices)}")
            each_device(trials, here)
            table(trials, here)
            conformance(trials, here)
    for devices, pulled in zip(TABLES, PULLED, strict=True):
        for device in pulled:
            with world(hub, *devices, speed=SPEED) as here:
                plug(trials, here, device)


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        say(case="the guest", ok=False, seconds=0.0, said=traceback.format_exc())
    say(end=True)
    subprocess.run(["sync"], check=False)
    sys.exit(0)
