"""A first configuration from the devices that answered: who sits where, what is missing, and the text of the file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from protocols.family import Family, Verb, families
from shoectl.discovery.ask import Answer
from shoectl.discovery.attached import NAMES
from shoectl.discovery.survey import Seen, State
from shoectl.plain_text import plain

SHUFFLER: Final = "shuffler"
SHOE: Final = "shoe"


@dataclass(frozen=True)
class Seating:
    """The device of each place, those that are left over, and what a person has to know or to do, a line each."""

    places: Mapping[str, Answer]
    spare: tuple[Answer, ...]
    remarks: tuple[str, ...]


def seat(seen: Sequence[Seen]) -> Seating:
    """Who sits where. A shuffler with a shoe beside it goes before a shoe that shuffles by itself."""
    answers = [answer for one in seen for answer in one.answers]
    places: dict[str, Answer] = {}
    shoes = [answer for answer in answers if Verb.ARM in _family(answer).verbs]
    shufflers = [answer for answer in answers if Verb.SHUFFLE in _family(answer).verbs and answer not in shoes]
    shoes.sort(key=lambda answer: bool(shufflers) and _mixes(answer))
    if shufflers and not (shoes and _mixes(shoes[0])):
        places[SHUFFLER] = shufflers[0]
    if shoes:
        places[SHOE] = shoes[0]
    spare = tuple(answer for answer in answers if answer not in places.values())
    return Seating(places, spare, tuple(_remarks(places, spare, seen)))


def _family(answer: Answer) -> Family:
    return families()[answer.family]


def _mixes(answer: Answer) -> bool:
    return Verb.FEED in _family(answer).verbs


def _remarks(places: Mapping[str, Answer], spare: Sequence[Answer], seen: Sequence[Seen]) -> Iterator[str]:
    """What is missing, or odd."""
    if SHUFFLER not in places and not (SHOE in places and _mixes(places[SHOE])):
        yield "no shuffler was found: the deck is shuffled by hand"
    if SHOE not in places:
        yield "no shoe was found: cards are dealt from the hand"
    for place, answer in places.items():
        who, least = answer.identity, answer.identity.min_level
        if not who.serial.isprintable():
            yield f"{place}: serial number {plain(who.serial)} has letters that cannot be printed: any unit is taken"
        if least:
            yield f"{place}: {who.serial} asks for security level {least}: set level and key, or it is refused"
        elif who.key_id:
            yield f"{place}: {who.serial} has key {who.key_id}: set level and key to have its link sealed"
        if answer.url.startswith(("serial:", "hid:")) and not any(f"//{folder}/" in answer.url for folder in NAMES):
            yield f"{place}: {answer.url} may be another device tomorrow: install the udev rules (udev/install.sh)"
    for answer in spare:
        yield f"left over: {in_short(answer)}: no place is free for it"
    for one in seen:
        if one.state is State.HELD:
            yield f"not asked: {one.port.url}: in use by {one.why}"
        elif one.state is State.REFUSED:
            yield f"not asked: {one.port.url}: {one.why}"


def in_short(answer: Answer) -> str:
    """A device in one line."""
    return f"{answer.family} {answer.identity.serial} at {answer.url}"


def text_of(seating: Seating, game: str) -> str:
    """The file."""
    return "\n".join(_lines(seating, game)) + "\n"


def _lines(seating: Seating, game: str) -> Iterator[str]:
    yield "# A table, as `shoectl init` found it. `shoectl check --config FILE` says whether this file is good,"
    yield "# `shoectl run --config FILE` runs the table. examples/table.toml has every key, docs/configuration.md too."
    for remark in seating.remarks:
        yield f"#   {plain(remark)}"
    yield ""
    yield "[table]"
    yield 'name = "table"             # for people, and part of the bus\'s topics'
    yield f"game = {_text(game)}"
    yield "seats = 4                  # counted from the dealer's left"
    yield '# dealing = "shoe"         # shoe, manual, hand; left out: what the devices allow'
    yield '# journal = "/var/lib/shoectl/table.journal"  # left out: in the state folder'
    yield ""
    yield "# Least and most of the wagers, in the smallest unit of money; left out: ante 10 to 500, others 5 to 100."
    yield "# [limits]"
    yield "# ante = [10, 500]"
    yield ""
    yield f"# The house's choices: `shoectl games show {game}` lists them. All have their usual value here."
    yield "[house]"
    for place, answer in seating.places.items():
        yield ""
        yield from _device(place, answer)
    yield ""
    yield "# The numbers by which devices and journal know these persons."
    yield "[people]"
    yield "dealer = 4711"
    yield "floor = 815"
    yield '# file = "/etc/shoectl/people.json"  # who may sign in at the pages: `shoectl people` writes it'
    yield ""
    yield "# The pages for dealer and pit, on this machine alone."
    yield "# [console]"
    yield '# listen = "127.0.0.1:8080"'
    yield ""
    yield "# [bus]"
    yield '# host = "broker.example"'


def _device(place: str, answer: Answer) -> Iterator[str]:
    who = answer.identity
    yield f"# {plain(f'{who.maker} {who.model}, firmware {who.fw_version}')}"
    yield f"[devices.{place}]"
    yield f"url = {_text(answer.url)}"
    yield f"family = {_text(answer.family)}"
    if who.serial.isprintable():
        yield f"serial = {_text(who.serial)}  # another unit is refused"
    else:
        yield f"# serial: {plain(who.serial)} cannot be written, so any unit is taken"
    yield f"# firmware = {_text(who.fw_version)}  # once it is approved: another version is refused"
    level = who.min_level or _family(answer).levels[-1]
    yield f"# level = {level}                # 1 authenticated, 2 encrypted too; with the key that is in the device"
    yield f'# key = {{ file = "/etc/shoectl/{place}.key" }}'
    yield f"# key_id = {who.key_id or 1}"


def _text(text: str) -> str:
    """A string of TOML: as one of JSON, but for one letter that is allowed there only."""
    return json.dumps(text).replace("\x7f", "\\u007f")
