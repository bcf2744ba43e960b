"""Checks of a node: whether it is there, whose it is, who has it. Nothing is opened."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from shoectl.discovery.attached import descriptor
from shoectl.discovery.finding import Finding, Subject
from shoectl.discovery.rules import INSTALL, Rules, has_udev
from shoectl.discovery.survey import held_by
from shoectl.discovery.system import System, User
from shoectl.transports import TransportError
from shoectl.transports.hid_reports import check_reports, types

LOCKS = ("/run/lock", "/var/lock")


def node(system: System, subject: Subject) -> Iterator[Finding]:
    """Whether the node is there."""
    path = subject.path
    if subject.scheme not in ("serial", "hid") or system.there(path):
        return
    if system.path(path).is_symlink():
        gone = system.resolved(path)
        yield subject.finding("dangling-name", f"{path} points to {gone}, which is not there", "plug the device in")
    elif system.listed(folder := path.rpartition("/")[0]):
        there = [f"{folder}/{name}" for name in system.listed(folder) if _alike(name, path.rpartition("/")[2])]
        others = f" (there is {', '.join(there[:4])})" if there else ""
        yield subject.finding("no-node", f"{path} is not there{others}", "plug the device in, or correct the URL")
    else:
        do = f"plug the device in; install the udev rules ({INSTALL})" if "shoectl" in path else "correct the URL"
        yield subject.finding("no-node", f"{path} is not there, nor is its folder", do)


def _alike(name: str, wanted: str) -> bool:
    return (
        name.rstrip("0123456789") == wanted.rstrip("0123456789") or name.partition("-")[0] == wanted.partition("-")[0]
    )


def permission(system: System, subject: Subject) -> Iterator[Finding]:
    """Whether the user may open it."""
    told = _status(system, subject)
    user = system.user
    if told is None or may_open(user, told):
        return
    owner, mode = system.group(told.st_gid), stat.S_IMODE(told.st_mode)
    groups = ", ".join(sorted(system.group(gid).name for gid in user.groups)) or "none"
    what = f"{subject.port.node} may not be opened by {user.name}: group {owner.name}, mode {mode:04o}; "
    what += f"groups of {user.name}: {groups}"
    if mode & 0o060 != 0o060 or owner.name == "root":
        do = f"install the udev rules, which give it to a group: {INSTALL} {user.name}"
    elif user.name in owner.members:
        do = f"log in again: {user.name} is in {owner.name}, but not in this session"
    else:
        do = f"usermod -aG {owner.name} {user.name}, then log in again"
    yield subject.finding("no-permission", what, do)


def may_open(user: User, told: os.stat_result) -> bool:
    """Whether a user may read and write a file, by its owner, group and mode."""
    if user.uid == 0:
        return True
    if user.uid == told.st_uid:
        return told.st_mode & 0o600 == 0o600
    if told.st_gid in user.groups:
        return told.st_mode & 0o060 == 0o060
    return told.st_mode & 0o006 == 0o006


def rights(system: System, subject: Subject) -> Iterator[Finding]:
    """Whether the rules know the device, and gave its node the group and mode that they say."""
    told, device = _status(system, subject), subject.port.usb
    rules = Rules.of(system)
    if told is None or device is None or not rules.lines:
        return
    if not rules.about(device):
        do = "give it lines of its own, as those of 0403:6001 (udev/README.md)"
        yield subject.finding("rules-lack", f"the udev rules do not know {device.ids}", do)
        return
    wanted = rules.rights(device)
    found = system.group(told.st_gid).name, stat.S_IMODE(told.st_mode)
    if wanted and found != wanted:
        what = (
            f"{subject.port.node} has group {found[0]}, mode {found[1]:04o}; the rules say {wanted[0]}, {wanted[1]:04o}"
        )
        do = "udevadm control --reload; udevadm trigger; or look for a later rule that changes it"
        yield subject.finding("wrong-rights", what, do)


def rules_there(system: System, subject: Subject) -> Iterator[Finding]:
    """Whether there are rules at all."""
    if subject.port.usb and subject.here and has_udev(system) and not Rules.of(system).lines:
        what = "the udev rules are not installed: no stable name, no rights, no rest from other programs"
        yield subject.finding("no-rules", what, f"{INSTALL} {system.user.name}")


def busy(system: System, subject: Subject) -> Iterator[Finding]:
    """Whether another program has it."""
    if holder := held_by(system, subject.port):
        do = "stop that program (a table that runs has its devices)"
        yield subject.finding("busy", f"{subject.port.node} is in use by {holder}", do)


def lock_file(system: System, subject: Subject) -> Iterator[Finding]:
    """Whether a lock file of the old kind is left: other programs keep off the port for it, or one of them has it."""
    name = subject.port.node.rpartition("/")[2]
    for folder in dict.fromkeys(map(system.resolved, LOCKS)):
        path = f"{folder}/LCK..{name}"
        if not name or not system.there(path):
            continue
        pid = system.text(path).partition(" ")[0]
        if pid.isdecimal() and system.alive(int(pid)):
            what = f"{path} says that {subject.port.node} is in use by {system.process(int(pid))}"
            yield subject.finding("busy", what, "stop that program")
        else:
            what = f"{path} was left by {f'pid {pid}' if pid.isdecimal() else 'a program'}, which is gone"
            yield subject.finding("stale-lock", what, f"rm {path}")


def reports(system: System, subject: Subject) -> Iterator[Finding]:
    """Whether a HID node is a reader that types, or another device behind the ids of a family."""
    if subject.scheme != "hid" or not (told := descriptor(system, subject.port.node)):
        return
    device = subject.port.usb
    if types(told):
        what = f"{subject.port.node} is in keyboard mode: it would type what it reads"
        yield subject.finding("keyboard-mode", what, "set the reader to HID reports (its manual says how)")
        return
    try:
        check_reports(subject.port.node, told, device.vendor if device else 0, device.product if device else 0)
    except TransportError as error:
        yield subject.finding("wrong-reports", error.reason, error.do)


def _status(system: System, subject: Subject) -> os.stat_result | None:
    if not subject.here or not subject.port.node:
        return None
    try:
        return system.path(subject.port.node).stat()
    except OSError:
        return None
