"""A configuration with a typo is one line: the file, the key, what is allowed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shoectl.cards import STANDARD
from shoectl.config import load, parse
from shoectl.errors import BadInput
from shoectl.games.answers import Decision, Drawn, Wagers
from shoectl.games.layout import Layout
from shoectl.games.procedure import Done, Role, Round
from shoectl.games.steps import Ask, Deal, Discard, PlaceWagers
from shoectl.table.deck_count import policy_of
from shoectl.table.session import cycle
from shoectl.table.state import Deck, Equipment, Proof, Where
from shoectl.table_setup import first_state

PROVEN = Deck(0, where=Where.HAND, proof=Proof("hand"), cut=True)
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SHUFFLER = {"url": "serial:///dev/shoectl/shuffler0?baud=57600", "family": "alder"}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.name)
def test_every_example_is_good(path: Path) -> None:
    assert load(path).table.game == "lunar-poker"


def test_an_empty_configuration_is_a_table_with_everything_left_out() -> None:
    assert parse({}, "table.toml").table.seats == 4


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ({"table": {"gane": "x"}}, "table.toml: unknown key 'table.gane', did you mean 'game'? allowed: name, site,"),
        ({"tabel": {}}, "table.toml: unknown key 'tabel', did you mean 'table'? allowed: table, limits,"),
        ({"table": {"seats": 0}}, "table.toml: table.seats: 0 is not allowed; should be greater than or equal to 1"),
        ({"table": {"seats": 8}}, "table.toml: table.seats: 8 is not allowed; should be less than or equal to 7"),
        ({"table": {"seats": 3}, "house": {"seats": 5}}, "table.toml: house.seats: 5 seats here, 3 in table.seats"),
        ({"table": {"seats": "4"}}, "table.toml: table.seats: '4' is not allowed; should be a valid integer"),
        ({"table": {"game": "lunar"}}, "table.toml: game 'lunar' is not known"),
        ({"table": {"dealing": "sho"}}, "table.toml: table.dealing: 'sho' is not allowed; allowed: 'shoe', 'manual'"),
        ({"limits": {"ante": [5]}}, "table.toml: limits.ante: a pair [least, most] of whole numbers"),
        ({"limits": {"ante": [50, 5]}}, "table.toml: limits: ante from 50 to 5: "),
        ({"limits": {"anti": [5, 50]}}, "table.toml: limits: no wager 'anti', there are ante, super"),
        ({"house": {"instant_payot": "A"}}, "table.toml: "),
        ({"devices": {"shoo": SHUFFLER}}, "table.toml: unknown key 'devices.shoo', did you mean 'shoe'?"),
        ({"devices": {"shuffler": {"url": "x:"}}}, "table.toml: devices.shuffler.family is missing"),
        (
            {"devices": {"shuffler": {**SHUFFLER, "family": "alde"}}},
            "table.toml: devices.shuffler.family: unknown 'alde', did you mean 'alder'?",
        ),
        ({"devices": {"shuffler": {**SHUFFLER, "url": "serail:///x"}}}, "table.toml: devices: "),
        ({"devices": {"shuffler": SHUFFLER, "shoe": {**SHUFFLER, "family": "birch"}}}, "table.toml: devices.shoe.url"),
        ({"simulated": {"seed": 7}}, "table.toml: simulated.control is missing"),
    ],
)
def test_a_mistake_is_one_line_that_names_file_and_key(data: dict[str, object], line: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse(data, "table.toml")
    assert str(refused.value).startswith(line)
    assert "\n" not in str(refused.value)


CONTROLS = [f"a{letter}b" for letter in "\x00\x1b\n\t\x7f\x85\x9b\u200b\u202e\u2028\u2029\ue000"]


@pytest.mark.parametrize("name", CONTROLS)
@pytest.mark.parametrize("key", ["name", "site", "journal", "socket"])
def test_no_name_holds_what_a_terminal_or_a_file_name_would_act_on(key: str, name: str) -> None:
    with pytest.raises(BadInput, match=f"^table.toml: table.{key}: .* is not allowed; (letters|1 to 60 letters)") as no:
        parse({"table": {key: name}}, "table.toml")
    assert str(no.value).isprintable()


@pytest.mark.parametrize(
    "data",
    [
        {"deck": {"back": "\x1b[2J"}},
        {"deck": {"second": "\x1b[2J"}},
        {"devices": {"shuffler": {**SHUFFLER, "serial": "AL\x1b[2J"}}},
        {"devices": {"shuffler": {**SHUFFLER, "firmware": "1\x1b[2J"}}},
        {"devices": {"shuffler": {**SHUFFLER, "url": "serial:///dev/\x1b[2J"}}},
        {"people": {"file": "people\x1b[2J"}},
        {"bus": {"host": "\x1b[2J"}},
        {"bus": {"host": "localhost", "username": "\x1b[2J"}},
        {"console": {"cert": "\x1b[2J", "key": "k"}},
        {"upkeep": {"backup": "\x1b[2J"}},
        {"table": {"game": "\x1b[2J"}},
        {"house": {"instant_payout": "\x1b[2J"}},
        {"house": {"\x1b[2J": "A"}},
        {"house": {"super": {"\x1b[2J": "1:1"}}},
        {"limits": {"\x1b[2J": [1, 2]}},
        {"\x1b[2J": {}},
    ],
    ids=str,
)
def test_nothing_of_a_configuration_is_acted_on_by_a_terminal(data: dict[str, object]) -> None:
    with pytest.raises(BadInput) as refused:
        parse(data, "table.toml")
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("name", ["Tisch 3", "Tőzsde", "卓二", "O’Neill – 4"])
def test_a_table_is_named_in_the_letters_of_its_people(name: str) -> None:
    assert parse({"table": {"name": name}}, "table.toml").table.name == name


@pytest.mark.parametrize("data", [{"table": {"seats": 7}}, {"house": {"seats": 7}}])
def test_a_table_has_the_seats_that_its_configuration_names_and_wagers_on_no_others(data: dict[str, object]) -> None:
    config = parse({**data, "limits": {"ante": [20, 200], "super": [5, 25]}}, "table.toml")
    state = first_state(config)
    state.check()
    assert state.seats == (1, 2, 3, 4, 5, 6, 7)
    assert state.limits == {"ante": (20, 200), "super": (5, 25)}
    round_of = Round(lambda layout: cycle(layout, replace(state, equipment=Equipment(), decks=(PROVEN,))), Layout())
    assert isinstance(round_of.step, PlaceWagers)
    supers = [f"super:{hand}" for hand in (1, 2, 3, 4, 5, 6, 7, "dealer")]
    assert [offer.wager for offer in round_of.step.offers] == ["ante", *supers]


def test_the_options_of_the_house_reach_the_round() -> None:
    house = {"acknowledge": "step", "super_needs_own": True, "dealer_upcard": "none", "count_every": 3}
    config = parse({"table": {"seats": 2, "dealing": "hand"}, "house": house}, "table.toml")
    state = replace(first_state(config), equipment=Equipment(), decks=(PROVEN,))
    play = Round(lambda layout: cycle(layout, state), Layout())
    asked, deck = [], list(STANDARD)
    while not isinstance(play.step, Discard):
        step = play.step
        assert step is not None
        asked.append(step)
        match step:
            case PlaceWagers():
                play.give(Wagers(((1, "ante", 10), (2, "ante", 10))))
            case Deal():
                play.give(Drawn(deck.pop()))
            case Ask():
                play.give(Decision("fold"))
            case _:
                play.give(None if step.by is Role.NOBODY else Done())
    offers = {offer.wager: offer.needs for offer in asked[0].offers}
    assert offers["super:1"] == offers["super:dealer"] == ("super:{seat}",)
    assert next(step for step in asked if isinstance(step, Deal)).up == ()
    moved = [step.do for step in asked if step.do in ("collect", "acknowledge")]
    assert moved == ["collect", "acknowledge"]  # the first fold, then its cards go to the rack
    assert policy_of(state).every == 3


@pytest.mark.parametrize(
    ("content", "line"),
    [(b"[table\n", "not valid TOML"), (b"\xff\xfe", "line 1: byte 0xFF is no UTF-8"), (None, "No such file")],
)
def test_a_file_that_is_no_configuration_is_one_line(tmp_path: Path, content: bytes | None, line: str) -> None:
    path = tmp_path / "table.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInput, match=line) as refused:
        load(path)
    assert "\n" not in str(refused.value)


def test_a_mark_of_byte_order_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"\xef\xbb\xbf[table]\r\nname = 'T\xc3\xa9'\r\n")
    assert load(path).table.name == "Té"


def test_a_file_in_another_encoding_is_refused_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes("# Größe\n[table]\n".encode() + "name = 'Café'\n".encode("latin-1"))
    with pytest.raises(BadInput) as refused:
        load(path)
    assert str(refused.value) == f"{path}: line 3: byte 0xE9 is no UTF-8; the file has to be UTF-8 text"
