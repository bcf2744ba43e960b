"""`shoectl journal void`: who may void which round, what it tells and leaves; and that it reads journals rightly."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from shoectl.games.layout import Layout
from shoectl.journal import Entry, Journal, verify
from shoectl.journal.reader import Reader
from shoectl.mqtt.outbox import Outbox
from shoectl.people import register
from shoectl.people.register import Record
from shoectl.table.course import Course
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import Deck, TableState, Where
from shoectl.table.trace import lying
from shoectl.table.voided import Voided
from shoectl.table.voiding import Chips, void
from shoectl.wording import wager_name
from tests.endtoend.told import dealt_by_journal
from tests.survival.voids import LIMITS, At, dead, of
from tests.timeloop import run

from .bench import entries_of
from .by_hand import play_by_hand
from .files import write
from .test_commands import call, lines

SCHEMA = Path(__file__).parents[2] / "docs/schemas/events.json"
BOTH = ("alder", "birch")


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a table that died in the deal of its second round, of which this version asks other steps."""
    folder = tmp_path_factory.mktemp("killed")

    async def die() -> None:
        (await dead(folder, of(BOTH), BOTH, At("reveal"))).power_off()

    run(die())
    return folder / "journal"


@pytest.fixture
def stands(killed: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    call("backup", killed, tmp_path / "table.journal")
    return tmp_path / "table.journal"


@pytest.mark.parametrize("by", ["floor", "815"])
def test_a_floorperson_voids_the_open_round(stands: Path, by: str) -> None:
    before = entries_of(stands)
    (told,) = lines("void", stands, "--by", by, "--why", "rules as approved", "--yes", "--json")
    assert told["voided"]
    assert (told["round"], told["by"], told["why"]) == (2, by, "rules as approved")
    *first, last = entries_of(stands)
    assert first == before
    assert (last.n, last.kind) == (told["entry"], "void")
    assert call("verify", stands)[0] == 0


def test_without_yes_it_tells_what_would_happen_and_writes_nothing(stands: Path) -> None:
    before = entries_of(stands)
    code, text = call("void", stands, "--by", "floor")
    assert code == 2
    assert "round 2 would be voided by floor" in text
    assert "another version of the rules" in text
    assert "say --yes to void round 2" in text
    assert entries_of(stands) == before


def test_it_tells_seat_by_seat_what_a_floorperson_gives_back(stands: Path) -> None:
    code, text = call("void", stands, "--by", "floor", "--yes")
    assert code == 0
    told = Voided.from_json(entries_of(stands)[-1].body)
    assert told.wagers
    for seat in {seat for seat, _, _ in told.wagers}:
        placed = ", ".join(f"{wager_name(wager)} {amount}" for at, wager, amount in told.wagers if at == seat)
        assert f"seat {seat}: {placed}\n" in text
    assert "a floorperson gives these wagers back" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--by", "dealer"), "--by: dealer is dealer; this is for floor"),
        (("--by", "4711"), "4711 is dealer"),
        (("--by", "99"), "99 is not known here; this is for floor, allowed are floor (815)"),
        (("--by", "0815"), "0815 is not known here"),
        (("--by", "seat 1"), "allowed are floor (815)"),
        (("--by", "floor", "--why", "seat 2 showed Ks"), "it names a card"),
        (("--by", "floor", "--why", "x" * 201), "at most 200 characters"),
        (("--by", "floor", "--why", "two\nlines"), "one line"),
        ((), "Missing option"),
    ],
)
def test_what_is_refused_is_not_written(stands: Path, words: tuple[str, ...], said: str) -> None:
    before = entries_of(stands)
    code, text = call("void", stands, *words, "--yes")
    assert code == 2
    assert said in text
    assert entries_of(stands) == before


PEOPLE = ((4711, "dealer"), (900, "floor"), (901, "floor"), (815, "observer"))


def registered(path: Path) -> Path:
    register.write(path, [Record(number=n, name=f"Person {n}", role=role) for n, role in PEOPLE])  # type: ignore[arg-type]
    return path


def config_of(folder: Path, people: Path) -> Path:
    (folder / "table.toml").write_text(f'[people]\nfile = "{people}"\n')
    return folder / "table.toml"


@pytest.mark.parametrize("named", [False, True], ids=["beside the journal", "by the configuration"])
def test_with_a_register_of_people_its_floorpersons_void_and_nobody_else(stands: Path, named: bool) -> None:
    before = entries_of(stands)
    words: tuple[object, ...] = ()
    if named:
        people = registered(stands.with_name("persons"))
        words = ("--config", config_of(stands.parent, people))
    else:
        registered(stands.with_name("people.json"))
    for by, role in {"815": "is observer", "4711": "is dealer", **dict.fromkeys(("floor", "0900"), "is not")}.items():
        code, text = call("void", stands, "--by", by, *words, "--yes")
        assert (code, len(text.splitlines())) == (2, 1)
        assert f"{by} {role}" in text
        assert text.rstrip().endswith("allowed are 900 (Person 900), 901 (Person 901)")
    assert entries_of(stands) == before
    (told,) = lines("void", stands, "--by", "901", *words, "--yes", "--json")
    assert (told["voided"], told["by"]) == (True, "901")


def test_with_a_register_that_cannot_be_read_nobody_voids(stands: Path) -> None:
    before = entries_of(stands)
    registered(stands.with_name("people.json")).chmod(0o644)
    code, text = call("void", stands, "--by", "900", "--yes")
    assert (code, len(text.splitlines())) == (2, 1)
    assert "the register is for its owner alone" in text
    named = config_of(stands.parent, stands.with_name("none"))
    code, text = call("void", stands, "--by", "floor", "--config", named, "--yes")
    assert (code, text.rstrip().endswith("allowed are nobody")) == (2, True)
    assert entries_of(stands) == before


def test_a_table_that_runs_voids_nothing(stands: Path) -> None:
    with Journal.open(stands, threaded=False):
        code, text = call("void", stands, "--by", "floor", "--yes")
    assert code == 2
    assert "writes it, and only one may" in text


def test_where_no_round_is_open_there_is_nothing_to_void(tmp_path: Path) -> None:
    run(play_by_hand(tmp_path / "over", 2))
    Journal.open(tmp_path / "empty", threaded=False).close()
    for name, said in (("over", "no round is open: round 2 is over"), ("empty", "none has been played")):
        code, text = call("void", tmp_path / name, "--by", "floor", "--yes")
        assert (code, said in text) == (2, True), text


def test_what_is_no_table_s_journal_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no journal\n" * 20)
    write(tmp_path / "strange")
    for name, wanted in (("nothing", 2), ("text", 2), ("strange", 1)):
        code, text = call("void", tmp_path / name, "--by", "floor", "--yes")
        assert (code, len(text.splitlines())) == (wanted, 1), text
    assert not (tmp_path / "nothing").exists()


def test_a_round_that_this_version_can_play_on_is_voided_only_by_who_says_yes(tmp_path: Path) -> None:
    run(play_by_hand(tmp_path / "j", 1))
    with Journal.open(tmp_path / "j", threaded=False) as journal:
        state = TableState.from_json(entries_of(tmp_path / "j")[0].body["state"])
        runner: Runner[TableState] = Runner(journal, cycle, state)
        runner.limit = None
        runner._advance()
    code, text = call("void", tmp_path / "j", "--by", "floor")
    assert code == 2
    assert "this version would play it on: no void is needed" in text
    assert call("void", tmp_path / "j", "--by", "floor", "--yes")[0] == 0
    assert lines("replay", tmp_path / "j", "--json")[0]["voided"] == {"2": "voided by floor"}


# what the record shows of it


def test_the_record_shows_by_whom_and_why_it_is_void(stands: Path) -> None:
    call("void", stands, "--by", "floor", "--why", "rules as approved", "--yes")
    assert "round 2, voided by floor: rules as approved" in call("show", stands)[1]
    assert ", voided by floor: rules as approved" in call("round", stands, 2)[1].splitlines()[0]
    assert lines("round", stands, 2, "--json")[0]["void"] == "voided by floor: rules as approved"
    assert "void" not in lines("round", stands, 1, "--json")[0]
    (told,) = lines("replay", stands, "--json")
    assert told["ok"]
    assert (told["rounds"], told["voided"]) == (2, {"2": "voided by floor: rules as approved"})


def test_the_bus_tells_of_it_as_of_any_entry(stands: Path) -> None:
    call("void", stands, "--by", "floor", "--yes")
    (last,) = entries_of(stands)[-1:]
    (message,) = Outbox(stands).after(last.n - 1)
    told = json.loads(message.payload)
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(told)
    assert (told["kind"], told["body"]) == ("void", last.body)


def test_cards_of_a_voided_round_are_secret_until_they_are_gathered(stands: Path) -> None:
    call("void", stands, "--by", "floor", "--yes")
    secret = [one.card for one in dealt_by_journal(stands)][-6:]  # on the table, face down
    first = next(entry.n for entry in entries_of(stands) if entry.kind == "round" and entry.body["number"] == 2)
    shown = [line for line in call("show", stands)[1].splitlines() if int(line.split()[0]) >= first]
    opened = [one for one in lines("export", stands, "--open", "all") if one["n"] >= first]
    traced = lines("round", stands, 2, "--json")[0]
    assert not any(entry.body.get("takes") == "Drawn" and "hidden" not in one for entry, one in _pairs(stands, opened))
    hidden = [card for card in traced["cards"] if card["seen"] is None]
    assert hidden
    assert all(card["card"] is None for card in hidden)
    assert secret
    assert not any(f"card={card}" in line for card in secret for line in shown)


def _pairs(path: Path, told: list[dict[str, Any]]) -> Iterator[tuple[Entry, dict[str, Any]]]:
    entries = {entry.n: entry for entry in entries_of(path)}
    return ((entries[one["n"]], one) for one in told)


# what it reads out of the entries


@pytest.mark.parametrize("name", LIMITS)
def test_at_every_entry_chips_and_cards_lie_as_the_round_itself_has_them(tmp_path: Path, name: str) -> None:
    state = of(BOTH, game=name, limits=LIMITS[name])

    async def play() -> None:
        (await dead(tmp_path, state, BOTH, At("wagers"), played=2)).power_off()

    run(play())
    course: Course[TableState] = Course(cycle, state)
    chips, this, seen = Chips(), [], 0
    for entry in entries_of(tmp_path / "journal"):
        if entry.kind == "round":
            if entry.body["number"] == 3:
                break
            chips, this = Chips(), []
        course.take(entry)
        chips.take(entry)
        this.append(entry)
        layout: Layout = course.layout
        assert sorted((seat, wager, amount) for (seat, wager), amount in chips.lie.items()) == sorted(layout.standing())
        assert [(one.seat, one.wager, one.gain, one.how) for one in chips.booked] == [
            (one.seat, one.wager, one.gain, one.how) for one in layout.booked
        ]
        if entry.kind in ("answer", "step"):
            places, racked = lying(this)
            assert places == {place: layout.count(place) for place in layout.occupied()}
            assert racked == sum(len(pile.cards) for pile in layout.rack)
            seen += 1
    assert seen > 100


def test_a_deck_found_wrong_in_a_voided_round_leaves_the_table(stands: Path) -> None:
    tail = _tail(stands)
    last = tail[-1]
    body = {
        "step": 1,
        "part": 0,
        "trouble": "duplicate card",
        "text": "",
        "place": "rack",
        "card": "As",
        "evidence": [],
    }
    trouble = replace(last, n=last.n + 1, kind="irregularity", raw=json.dumps(body).encode())
    deck = TableState.from_json(void([*tail, trouble], by="floor").state).deck
    assert (deck.retired, deck.told) == ("composition", False)
    assert not TableState.from_json(void(tail, by="floor").state).deck.retired


def test_what_another_version_says_in_another_way_tells_nothing_and_hinders_nobody(stands: Path) -> None:
    tail = _tail(stands)
    plain = void(tail, by="floor")
    strange = [
        ("step", {"number": 90, "digest": "", "step": {"do": "deal", "hands": [1, 2], "rule": "1"}}),
        ("answer", {"step": 90, "part": 0, "takes": "Drawn", "answer": {"card": None}, "by": "shoe", "evidence": []}),
        ("step", {"number": 91, "digest": "", "step": {"do": "collect", "from": "seat 1", "rule": "1"}}),
        ("step", {"number": 92, "digest": "", "step": {"do": "take_deck", "deck": [0], "rule": "1"}}),
        ("answer", {"step": 92, "part": 0, "takes": "Taken", "answer": {}, "by": "shuffler", "evidence": []}),
    ]
    more = [
        replace(tail[-1], n=tail[-1].n + at, kind=kind, raw=json.dumps(body).encode())
        for at, (kind, body) in enumerate(strange, 1)
    ]
    assert void([*tail, *more], by="floor") == plain


def _tail(path: Path) -> list[Entry]:
    entries = entries_of(path)
    return entries[max(n for n, entry in enumerate(entries) if entry.kind == "round") :]


def test_decks_that_steps_of_another_version_have_moved_lie_in_two_places(stands: Path) -> None:
    tail = _tail(stands)
    opens = json.loads(tail[0].raw)
    two = [{**opens["state"]["decks"][0], "number": number, "where": "infeed"} for number in (0, 1)]
    opens["state"]["decks"] = two
    head = replace(tail[0], raw=json.dumps(opens).encode())
    decks: tuple[Deck, ...] = TableState.from_json(void([head, tail[1]], by="floor").state).decks
    assert [deck.where for deck in decks] == [Where.CLOSING, Where.STUCK_SHUFFLER]


def test_a_journal_that_was_changed_is_not_voided(stands: Path, tmp_path: Path) -> None:
    spoilt = tmp_path / "spoilt"
    shutil.copy(stands, spoilt)
    raw = bytearray(spoilt.read_bytes())
    at = raw.rindex(b'"takes":"Wagers"')
    raw[at + 9 : at + 10] = b"w"
    spoilt.write_bytes(bytes(raw))
    code, text = call("void", spoilt, "--by", "floor", "--yes")
    assert (code, len(text.splitlines())) == (1, 1), text
    with Reader(stands) as reader:
        verify(reader)
