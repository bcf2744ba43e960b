"""Checks of the device itself: who answers, and whether a table would have it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import parse_qsl

from protocols.family import Family, families
from protocols.handshake import in_vain
from protocols.vocabulary import PROTO, Identity
from shoectl.devices.identity import family_name, refusal
from shoectl.discovery.ask import Answer, Try, addresses, ask, prove, rates, tries
from shoectl.discovery.finding import Finding, Subject
from shoectl.transports import InUse, TransportError

SERVICE, RESERVED = 1 << 2, 1 << 15  # common.md §2, §3
ON_BOARD = "/dev/ttyS"  # most machines have one, and nothing is behind it
CABLE = "check power, cable and plugs (crossed wires, A and B swapped, termination)"

Key = tuple[str, str]
"""A port, and an address on it."""


async def device(subject: Subject, taken: frozenset[Key], patience: float) -> tuple[list[Answer], list[Finding]]:
    """Ask as the configuration says; where nobody answers look who does. `taken`: the keys of the other places.

    Returns who answers where it is expected, and what is wrong.
    """
    tried = [Try(subject.family, (subject.port.url,))] if subject.family else tries(subject.port)
    try:
        for one in tried:
            if answers := await ask(one, patience=patience):
                wrong = [found for answer in answers for found in judged(subject, answer)]
                return answers, wrong or await _sealed(subject, one, patience)
        if subject.family is None:
            if subject.port.node.startswith(ON_BOARD):
                return [], []
            names = ", ".join(dict.fromkeys(one.family.name for one in tried))
            return [], [subject.finding("no-answer", f"nobody answers ({names})", CABLE)]
        return [], [await _elsewhere(subject, taken, patience)]
    except TransportError as error:
        reason = "busy" if isinstance(error, InUse) else "does-not-open"
        return [], [subject.finding(reason, error.reason, error.do or "check the port")]


async def _elsewhere(subject: Subject, taken: frozenset[Key], patience: float) -> Finding:
    """Nobody answers where somebody should: who does, at another rate or address, or of another family?"""
    family = subject.family
    assert family is not None
    at = f" at {_rate(subject)} bit/s" if "baud" in family.line and subject.port.rates else ""
    at += f", address {_address(subject)}" if _address(subject) else ""
    for one in sorted(tries(subject.port), key=lambda one: one.family.name != family.name):
        with contextlib.suppress(TransportError):  # a rate that the adapter does not have
            answers = [each for each in await ask(one, patience=patience) if key(each.url, each.family) not in taken]
            if answers:
                return _compared(subject, family, answers[0])
    return subject.finding("no-answer", f"no {family.name} answers{at}, nor anybody else", CABLE)


def _compared(subject: Subject, family: Family, answer: Answer) -> Finding:
    """In what the device that answers is another one than the one that is waited for."""
    who = f"{answer.identity.model} {answer.identity.serial}"
    if answer.family != family.name:
        do = "correct family or URL, or swap the plugs"
        return subject.finding("wrong-family", f"no {family.name} answers, but {who}, a {answer.family}", do)
    rate, address = option(answer.url, "baud"), option(answer.url, "address")
    if address != _address(subject):
        what = f"{who} answers at address {address}, nobody at {_address(subject)}"
        return subject.finding("wrong-address", what, f"correct the URL (address={address}), or the device's address")
    if rate != _rate(subject):
        what = f"{who} answers at {rate} bit/s, not at {_rate(subject)}"
        return subject.finding("wrong-rate", what, f"correct the URL (baud={rate}), or the device's rate")
    return subject.finding("no-answer", f"{who} answered only at the second try", CABLE)


def key(url: str, family: str) -> Key:
    """What tells two devices apart that may share a port: the port, and the address, where the family has some."""
    usual = addresses(families()[family])[0]
    return option(url, "plug") + url.partition("?")[0], option(url, "address") or str(usual or "")


def option(url: str, name: str) -> str:
    """An option of a URL, empty where it is not named."""
    return dict(parse_qsl(url.partition("?")[2])).get(name, "")


def _rate(subject: Subject) -> str:
    assert subject.family is not None
    return option(subject.port.url, "baud") or str(rates(subject.family)[0])


def _address(subject: Subject) -> str:
    assert subject.family is not None
    return option(subject.port.url, "address") or str(addresses(subject.family)[0] or "")


def judged(subject: Subject, answer: Answer) -> Iterator[Finding]:
    """What is wrong with a device that answers."""
    family = subject.family or families()[answer.family]
    subject = replace(subject, family=family)
    who = answer.identity
    said = f"{who.model} {who.serial}"
    first = next(
        (found for check in (_family, _serial, _firmware, _level) for found in check(subject, who, said)), None
    )
    level = subject.demand.level
    why = refusal(who, family, subject.serial, subject.port.url, subject.firmware, level)
    if first is not None:
        yield first
    elif why is not None:
        what, _, do = why.partition(": ")
        yield subject.finding("refused", what, do or "call service")
    if first is None or first.reason not in ("wrong-family", "wrong-serial", "wrong-firmware"):
        yield from _past(subject, who, said)
    if who.flags & SERVICE:
        yield subject.finding("service-mode", f"{said} is in service mode", "end service at the device")


def _family(subject: Subject, who: Identity, said: str) -> Iterator[Finding]:
    if subject.family and who.family != subject.family.code:
        what = f"{said} is of the family {family_name(who.family)} and not {subject.family.name}"
        yield subject.finding("wrong-family", what, "correct family or URL, or swap the plugs")


def _serial(subject: Subject, who: Identity, said: str) -> Iterator[Finding]:
    if subject.serial is not None and who.serial != subject.serial:
        do = "swap the units, or correct URL or serial"
        yield subject.finding("wrong-serial", f"{said} is not the unit {subject.serial} that is configured", do)


def _firmware(subject: Subject, who: Identity, said: str) -> Iterator[Finding]:
    version = f"{said} with firmware {who.fw_version}"
    if subject.firmware is not None and who.fw_version != subject.firmware:
        what = f"{said} has firmware {who.fw_version}, configured is {subject.firmware}"
        do = "have the right one installed, or configure it once it is approved"
        yield subject.finding("wrong-firmware", what, do)
    elif who.proto != PROTO:
        what = f"{version} speaks version {who.proto} of the protocol and not {PROTO}"
        yield subject.finding("wrong-firmware", what, "bring device and program to the same version")
    elif who.caps & RESERVED:
        what = f"{version} claims a capability that must not be claimed (bit 15)"
        yield subject.finding("wrong-firmware", what, "its firmware is not for this program: have it replaced")


def _level(subject: Subject, who: Identity, said: str) -> Iterator[Finding]:
    demand = subject.demand
    if demand.unread:
        yield subject.finding("no-key", demand.unread, "have the key written there, for this user alone (mode 0600)")
    elif demand.pin is not None and (why := in_vain(demand.pin, who)):
        yield _of_session(subject, why)
    elif who.min_level > demand.level:
        what = f"{said} asks for security level {who.min_level}, configured is {demand.level}"
        yield subject.finding("wrong-level", what, f"set level = {who.min_level} and the key of the device")


async def _sealed(subject: Subject, one: Try, patience: float) -> list[Finding]:
    """Whether a session comes about, where the table insists on one."""
    pin = subject.demand.pin
    why = await prove(one, pin, patience=patience) if pin is not None else ""
    return [_of_session(subject, why)] if why else []


def _of_session(subject: Subject, why: str) -> Finding:
    """Why there is no session, as a finding."""
    kind, _, rest = why.partition(": ")
    reason = {"wrong security level": "wrong-level", "no key": "no-key", "wrong key": "wrong-key"}.get(kind)
    what, _, do = (rest if reason else why).rpartition(": ")
    return subject.finding(reason or "refused", what or rest or why, do if what else CABLE)


def _past(subject: Subject, who: Identity, said: str) -> Iterator[Finding]:
    """What changed since a journal saw the place last."""
    known = subject.known
    if known is None:
        return
    if known.serial != who.serial:
        what = f"{said} took the place of {known.serial}"
        yield subject.finding("other-unit", what, "count the decks; set its serial number if it is to stay")
    elif known.epoch != who.epoch:
        what = f"the memory of {said} was wiped since the table ran last (epoch {known.epoch}, now {who.epoch})"
        yield subject.finding("other-unit", what, "count the decks")
    elif known.firmware != who.fw_version:
        what = f"{said} has firmware {who.fw_version}, and had {known.firmware} when the table ran last"
        do = f"make sure that {who.fw_version} is approved, or have {known.firmware} put back"
        yield subject.finding("wrong-firmware", what, do)
