"""A house's own paytable: what is refused, what is warned of, and that it is what is paid."""

import json

import pytest

from shoectl.config import parse
from shoectl.errors import BadInput
from shoectl.games.house import Standing
from shoectl.games.own_paytables import PaytableOption, own_paytable
from shoectl.games.registry import game, game_names
from shoectl.games.wagers import paytable_of
from shoectl.odds.own import remarks

FOUR = {"four-of-a-kind": "50:1", "straight flush": "40:1", "three-of-a-kind": "8:1", "flush": "6:1"}
ACES_UP = {**FOUR, "straight": "4:1", "two pair": "2:1", "pair of aces": "1:1"}
TO_THE_JACK = {"7-high": "100:1", "8-high": "25:1", "9-high": "12:1", "10-high": "7:1", "J-high": "4:1"}
J_AND_QUEEN = {**TO_THE_JACK, "Q-high": "2:1"}
OPTIONS = [
    (name, option) for name in game_names() for option in game(name).own_options if isinstance(option, PaytableOption)
]


def changed(table, **lines):
    return {line: odds for line, odds in {**table, **lines}.items() if odds}


@pytest.mark.parametrize(("name", "option"), OPTIONS, ids=lambda one: getattr(one, "name", one))
def test_every_known_table_falls_and_may_be_stated_line_by_line(name, option):
    for table in option.letters.values():
        lines = {line: str(odds) for line, odds in table.lines.items()}
        text = option.check(lines)
        house = game(name).house({option.name: lines})
        again = game(name).house(json.loads(json.dumps(dict(house.values))))
        own = paytable_of(game(name).paytables, again, option.name)
        assert own == own_paytable(option.name, text)
        assert list(own.lines.items()) == list(table.lines.items())
        assert (own.source, own.standing) == ("as stated by this house", Standing.OWN)


@pytest.mark.parametrize(
    ("table", "line"),
    [
        (changed(ACES_UP, **{"two pair": ""}), "the line 'two pair' is missing"),
        (changed(ACES_UP, **{"two pairs": "2:1"}), "there is no line two pairs, did you mean 'two pair'?"),
        (changed(ACES_UP, royal="99:1"), "there is no line royal, lines are four-of-a-kind, straight flush,"),
        (changed(ACES_UP, flush="9:1"), "the lines do not fall: flush pays 9:1, three-of-a-kind above it 8:1"),
        (changed(ACES_UP, flush="6"), "flush: 6 is no odds of this wager, such as"),
        (changed(ACES_UP, flush="6:0"), "flush: 6:0 is no odds"),
        (changed(ACES_UP, flush="-6:1"), "flush: -6:1 is no odds"),
        (changed(ACES_UP, flush=6), "flush: 6 is no odds"),
        (changed(ACES_UP, flush="\u0666:1"), "is no odds of this wager"),
        (changed(ACES_UP, flush="6 for 1"), "flush: 6 for 1 is no odds of this wager"),
        (changed(ACES_UP, flush="10 % of major_meter"), "flush: 10 % of major_meter is no odds of this wager"),
        (changed(ACES_UP, **{"four-of-a-kind": f"{10**12}:1"}), "is no odds of this wager"),
        ({}, "the line 'four-of-a-kind' is missing"),
        ("flush=6:1, flush=7:1", "the line flush stands there twice"),
        ("flush=6:1, straight", "straight is no line: LINE=ODDS"),
        ("Z", "Z is not allowed, allowed are A, B, C, D, E, F, G, H, or lines of the house's own"),
        (["A"], "['A'] is not allowed"),
    ],
)
def test_what_is_no_paytable_is_refused_with_its_line(refused, table, line):
    record = {"game": "four-card-poker", "house": {"aces_up": table}, "dealer": "", "seats": {}}
    said = refused(record)
    assert "house option aces_up: " in said
    assert line in said


def test_a_share_of_a_meter_falls_with_shares_of_that_meter_only():
    option = next(one for name, one in OPTIONS if one.name == "progressive_5")
    rest = {"full house": "50 for 1", "flush": "40 for 1", "straight": "30 for 1", "three-of-a-kind": "9 for 1"}
    shares = {"royal flush": "100 % of mega_meter", "straight flush": "100 % of major_meter"}
    assert option.check({**shares, "four-of-a-kind": "300 for 1", **rest})
    shares = {"royal flush": "10 % of mega_meter", "straight flush": "100 % of mega_meter"}
    with pytest.raises(BadInput, match="the lines do not fall: straight flush"):
        option.check({**shares, "four-of-a-kind": "300 for 1", **rest})
    shares = {"royal flush": "101 % of mega_meter", "straight flush": "100 % of major_meter"}
    with pytest.raises(BadInput, match="royal flush: 101 % of mega_meter is no odds of this wager"):
        option.check({**shares, "four-of-a-kind": "300 for 1", **rest})


def record(table):
    seat = {"cards": "2s 3h", "wagers": {"ante": 10, "lo_ball": 5}, "decisions": ["fold"]}
    return {"game": "cajun-stud", "house": {"lo_ball": table}, "community": "4d 5c 7s", "seats": {"1": seat}}


def test_an_own_table_is_what_is_paid(settle):
    own = {"7-high": "60:1", "8-high": "25:1", "9-high": "12:1", "10-high": "7:1", "J-high": "4:1"}
    as_text = "7-high=60:1,8-high=25:1, 9-high = 12:1,10-high=7:1,J-high=4:1"
    assert settle(record(own)) == settle(record(as_text))
    assert settle(record(own))["seats"]["1"]["wagers"]["lo_ball"]["net"] == 300
    assert settle(record("J"))["seats"]["1"]["wagers"]["lo_ball"]["net"] == 500


def test_a_table_that_gives_the_player_an_edge_is_warned_of_with_the_figure(command, tmp_path):
    warning = "house option lo_ball: the house's own paytable gives the player an edge: lo_ball, 18.2889% of the wager"
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record(J_AND_QUEEN)))
    code, out, err = command("settle", file, "--json")
    assert (code, err) == (0, f"warning: {warning}\n")
    assert json.loads(out)["seats"]["1"]["net"] == 490

    file.write_text(2 * (json.dumps(record(J_AND_QUEEN)) + "\n"))
    code, out, err = command("settle", file, "--jsonl")
    assert (code, out.count("\n"), err) == (0, 2, f"warning: {warning}\n")

    table = tmp_path / "table.toml"
    lines = ", ".join(f'"{line}" = "{odds}"' for line, odds in J_AND_QUEEN.items())
    table.write_text(f'[table]\ngame = "cajun-stud"\n[house]\nlo_ball = {{ {lines} }}\n')
    code, out, err = command("check", "--config", table)
    assert (code, err) == (0, f"{table}: warning: {warning}\n")
    assert "good" in out

    text = ",".join(f"{line}={odds}" for line, odds in J_AND_QUEEN.items())
    code, out, err = command("games", "show", "cajun-stud", "--house", f"lo_ball={text}")
    assert (code, err) == (0, f"warning: {warning}\n")
    assert "lo_ball own: 7-high 100:1" in out
    assert "the house's own: as stated by this house" in out


def test_an_option_that_gives_the_player_an_edge_is_warned_of_with_the_figure(command, tmp_path):
    warning = "warning: house option pair_6_10: pay gives the player an edge: main, 74.5287% of the Ante\n"
    file = tmp_path / "record.json"
    file.write_text(json.dumps({**record("J"), "house": {"pair_6_10": "pay"}}))
    assert command("settle", file)[::2] == (0, warning)
    file.write_text(json.dumps({**record("J"), "house": {"pair_6_10": "push"}}))
    assert command("settle", file)[::2] == (0, "")
    table = tmp_path / "table.toml"
    table.write_text('[table]\ngame = "cajun-stud"\n[house]\npair_6_10 = "pay"\n')
    assert command("check", "--config", table)[::2] == (0, f"{table}: {warning}")


def test_a_table_with_an_edge_for_the_house_is_said_by_check_and_not_by_settle(command, tmp_path):
    own = changed(TO_THE_JACK, **{"7-high": "90:1"})
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record(own)))
    assert command("settle", file, "--json")[2] == ""
    played = game("cajun-stud")
    (remark,) = remarks(played, played.house({"lo_ball": own}))
    assert (remark.warning, "house edge 7.8885%" in remark.text) == (False, True)


def test_what_takes_longer_or_has_no_odds_is_said_too():
    played = game("five-card-hi-lo")
    house = played.house({"tie": {"both hands equal": "26:1", "one hand equal": "4:1"}})
    (remark,) = remarks(played, house)
    assert "shoectl odds five-card-hi-lo --wager tie counts what it is worth" in remark.text
    played = game("four-card-poker")
    (remark,) = remarks(played, played.house({"envy_4": {"four-of-a-kind": "fixed 7"}}))
    assert "what it is worth is not computed" in remark.text


def test_a_configuration_keeps_the_table_and_names_a_bad_line():
    config = parse({"table": {"game": "four-card-poker"}, "house": {"aces_up": ACES_UP}}, "table.toml")
    assert config.house["aces_up"] == ACES_UP
    bad = {"table": {"game": "four-card-poker"}, "house": {"aces_up": changed(ACES_UP, flush="9:1")}}
    with pytest.raises(BadInput, match=r"^table.toml: house option aces_up: the lines do not fall: flush pays 9:1"):
        parse(bad, "table.toml")
    with pytest.raises(BadInput, match=r"^table.toml: house.aces_up: 1.5 is not allowed; a word, a whole number"):
        parse({"house": {"aces_up": 1.5}}, "table.toml")
