"""What holds for every game there is: games are found by their folders, nothing else lists them."""

import json
from pathlib import Path

import pytest

import shoectl.games
from shoectl.errors import BadInput
from shoectl.games.house import House, Option, Standing, make_house
from shoectl.games.registry import Game, game, game_names
from shoectl.games.table_options import TABLE_OPTIONS

FOLDERS = sorted(
    path.parent.name for path in Path(shoectl.games.__path__[0]).glob("*/procedure.py") if path.parent.name != "games"
)


def test_every_folder_with_a_procedure_is_a_game_and_no_other():
    assert [name.replace("-", "_") for name in game_names()] == FOLDERS
    assert "lunar-poker" in game_names()


def test_an_unknown_game_is_refused_with_the_names_of_those_there_are():
    with pytest.raises(BadInput, match=r"'whist' is not known, known are .*lunar-poker"):
        game("whist")


@pytest.fixture(params=FOLDERS)
def played(request) -> Game:
    return game(request.param.replace("_", "-"))


def test_every_option_has_a_default_that_is_allowed_and_a_source(played):
    names = [option.name for option in played.options]
    assert len(set(names)) == len(names)
    for option in played.options:
        assert option.check(option.default) == option.default
        assert all(option.check(value) == value for value in option.alternatives)
        assert option.source
        assert option.meaning


def test_every_paytable_has_a_source_and_is_chosen_by_an_option_or_alone(played):
    options = {option.name: option for option in played.own_options}
    for wager, letters in played.paytables.items():
        assert len(letters) == 1 or options[wager].allowed == tuple(letters)
        for table in letters.values():
            assert table.source
            assert table.standing in Standing
            assert table.lines


def test_a_house_is_json_and_comes_back_from_it(played):
    house = played.house({})
    again = played.house(json.loads(json.dumps(dict(house.values))))
    assert again == house
    assert hash(again) == hash(house)


def test_no_more_cards_than_a_deck_are_needed_by_few_seats(played):
    needed = [played.cards_needed(seats) for seats in range(1, 8)]
    assert needed == sorted(needed)
    assert needed[0] <= 52


def test_games_list_and_show_say_all_that_the_house_may_choose(command, played):
    code, out, _ = command("games", "list", "--json")
    assert code == 0
    assert played.name in [one["name"] for one in json.loads(out)]
    code, out, _ = command("games", "show", played.name, "--json")
    shown = json.loads(out)
    assert code == 0
    assert [option["name"] for option in shown["options"]] == [option.name for option in played.options]
    assert all(set(option) >= {"default", "alternatives", "source", "standing"} for option in shown["options"])
    code, page, _ = command("games", "show", played.name)
    assert all(option.name in page for option in played.options)
    assert command("games", "list")[1].count("\n") == len(FOLDERS)


@pytest.mark.parametrize(
    "arguments",
    [
        ("games", "show", "whist"),
        ("rank", "whist", "hand", "As"),
        ("rank", "lunar-poker", "points", "As Kd 2c 3c 4c"),
        ("rank", "lunar-poker", "hand", "As Kd"),
        ("rank", "lunar-poker", "hand", "As Kd 2c 3c 4c 5c 6c"),
        ("rank", "lunar-poker", "super", "As Kd 2c 3c 4c 5c"),
        ("rank", "lunar-poker", "hand", "As As 2c 3c 4c"),
        ("rank", "lunar-poker", "hand", "As Xx 2c 3c 4c"),
        ("rank", "lunar-poker", "hand", "As Kd 2c 3c 4c", "--house", "x"),
        ("rank", "lunar-poker", "hand", "As Kd 2c 3c 4c", "--house", "x=1"),
        ("compare", "lunar-poker", "hand", "As Kd 2c 3c 4c"),
        ("compare", "lunar-poker", "hand", "As Kd 2c 3c 4c", "As Kd"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_ranked_or_shown_is_refused_in_one_line(command, arguments):
    code, out, err = command(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_rank_and_compare_for_people(command):
    assert command("rank", "lunar-poker", "hand", "10s", "Th", "9c", "8d", "2c")[1] == "pair of tens  (Ts Th)\n"
    assert command("rank", "lunar-poker", "super", "As,Kd,9c,8d,2c")[1] == "no line of the Super Wager\n"
    flush = ("rank", "lunar-poker", "super", "KsQsJsTs9s", "--house", "super_sf_policy=as_flush", "--json")
    assert json.loads(command(*flush)[1])["name"] == "flush"
    code, out, _ = command("compare", "lunar-poker", "super", "KsQsJsTs9s", "As Kd Qc 2d 3d", "--json")
    assert (code, json.loads(out)["result"]) == (0, "second")


@pytest.mark.parametrize(
    ("limits", "offered"),
    [
        ({"ante": (5, 500)}, ["ante"]),
        ({"ante": (5, 500), "super:dealer": (1, 25)}, ["ante", "super:dealer"]),
        ({"ante": (5, 500), "super": (1, 25)}, ["ante", "super:1", "super:2", "super:dealer"]),
    ],
)
def test_671a_7_wagers_are_offered_where_the_table_has_limits_for_them(limits, offered):
    lunar = game("lunar-poker")
    assert [offer.wager for offer in lunar.offers(lunar.house({"seats": 2}), limits)] == offered


@pytest.mark.parametrize(
    "limits", [{}, {"super": (1, 25)}, {"ante": (5, 1)}, {"ante": (0, 1)}, {"ante": (1, 2), "x": (1, 2)}]
)
def test_limits_that_make_no_table_are_refused(limits):
    lunar = game("lunar-poker")
    with pytest.raises(BadInput, match="limits"):
        lunar.offers(lunar.house({}), limits)


def test_an_option_takes_what_it_lists_and_no_other_type():
    option = Option("count", 5, (5,), "m", "s", least=1, most=9)
    assert option.check(9) == 9
    for wrong in (0, 10, True, 5.0, "5", None, [5], 10**30):
        with pytest.raises(BadInput, match="house option count"):
            option.check(wrong)
    assert make_house([option], {})["count"] == 5


def test_a_house_reads_its_options_by_kind():
    house = House((("yes", True), ("word", "w"), ("many", 3), ("open", None)))
    assert (house.flag("yes"), house.text("word"), house.number("many"), house["open"]) == (True, "w", 3, None)
    for name in ("yes", "word", "open"):
        with pytest.raises(BadInput, match="no whole number"):
            house.number(name)


def test_table_options_stand_under_every_game(played):
    assert set(TABLE_OPTIONS) <= set(played.options)
