"""`shoectl odds` as it is called: figures, refusals in one line, what needs something that is not there."""

import json
import random
import subprocess
import sys

import pytest

from shoectl.cards import STANDARD, show_cards
from shoectl.games.lunar_poker.odds_stated_play import choose, play
from shoectl.games.registry import game


def test_odds_of_one_wager_as_json(command):
    code, out, err = command("odds", "cajun-stud", "--wager", "pocket", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["game"], found["house"]) == ("cajun-stud", {"pocket": "A"})
    (wager,) = found["wagers"]
    assert (wager["wager"], wager["exact"], wager["deals"]) == ("pocket", True, 1326)
    assert [one["count"] for one in wager["outcomes"]] == [6, 18, 54, 1248]
    assert wager["house_edge"] == pytest.approx(18 / 221)
    assert wager["house_edge_exact"] == "18/221"
    assert sum(one["probability"] for one in wager["outcomes"]) == pytest.approx(1)
    assert sum(one["gain"] for one in wager["outcomes"]) == pytest.approx(-18 / 221)


def test_odds_for_people_name_the_table_its_source_and_the_edge(command):
    code, out, _ = command("odds", "lunar-poker", "--wager", "super")
    assert code == 0
    assert "A: law, 58 Pa. Code § 671a.12(b)" in out
    assert "house edge 5.4642% of the wager" in out
    assert "2,598,960" in out


def test_wagers_of_the_game_itself_have_one_name(command):
    code, out, _ = command("odds", "cajun-stud", "--wager", "raise_2", "--json")
    assert code == 0
    (figures,) = json.loads(out)["wagers"]
    assert figures["wager"] == "main"
    assert figures["average_wager"] == pytest.approx(3.58977, abs=1e-5)


def test_a_super_on_another_hand_has_the_same_odds(command):
    own, dealers = (command("odds", "lunar-poker", "--wager", wager) for wager in ("super", "super:dealer"))
    assert own == dealers


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("poker",), "game 'poker' is not known"),
        (("cajun-stud", "--wager", "tie"), "cajun-stud has no odds for 'tie', there are main, pocket, board"),
        (("cajun-stud", "--house", "lo_ball=K"), "lo_ball: K is not allowed, allowed are J, Q, or lines of"),
        (("cajun-stud", "--house", "x"), "house option 'x' is not KEY=VALUE"),
        (("cajun-stud", "--strategy", "wild"), "strategy 'wild' is not known, there is no choice here"),
        (("four-card-poker", "--wager", "main", "--strategy", "wild"), "'wild' is not known, there are best, simple"),
        (("four-card-poker", "--wager", "progressive_5"), "give its reading with --house progressive_5_meter=AMOUNT"),
        (("four-card-poker", "--wager", "six_card", "--stake", "0"), "0 is not in the range"),
    ],
)
def test_a_refusal_is_one_line(command, arguments, line):
    code, out, err = command("odds", *arguments)
    assert (code, out) == (2, "")
    assert line in err
    assert "Traceback" not in err


def test_without_numpy_what_needs_it_says_so_in_one_line(command, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    code, out, err = command("odds", "four-card-poker", "--wager", "bad_beat")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "pip install 'shoectl[odds]'" in err


def test_without_numpy_the_other_wagers_are_counted(command, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    code, out, _ = command("odds", "lunar-poker", "--json")
    assert code == 0
    wagers = json.loads(out)["wagers"]
    assert [one["wager"] for one in wagers] == ["super", "instant_payout", "qualify", "main"]
    assert "numpy" in wagers[-1]["not_computed"]


def test_the_daemon_and_the_games_import_neither_odds_nor_numpy():
    modules = ["shoectl.daemon", "shoectl.commands.run", "shoectl.table_setup"]
    names = "[shoectl.games.registry.game(name) for name in shoectl.games.registry.game_names()]"
    code = f"import sys, {', '.join(modules)}; {names}; "
    code += "print([name for name in sys.modules if name == 'numpy' or name.startswith('shoectl.odds')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_stated_play_is_estimated_with_its_error_and_a_seed_is_one_value(command):
    arguments = ("odds", "lunar-poker", "--wager", "main", "--strategy", "exchange", "--deals", "500", "--json")
    first, again, other = (json.loads(command(*arguments, "--seed", seed)[1]) for seed in (7, 7, 8))
    assert first == again
    assert first != other
    (figures,) = first["wagers"]
    assert (figures["exact"], figures["deals"], figures["house_edge_exact"]) == (False, 500, None)
    assert 0 < figures["standard_error"] < 0.5
    assert "exchange the other three" in figures["strategy"]


def test_a_stated_play_gains_what_the_round_pays(settle):
    """200 deals, played by the procedure of the section."""
    luck, house = random.Random(3), game("lunar-poker").house({})
    for _ in range(200):
        cards = luck.sample(STANDARD, 15)
        own, dealer, stub = cards[:5], cards[5:10], cards[10:]
        outcome, net, _ = play(own, dealer, stub, house)
        given = choose(own)
        seat = {"cards": show_cards(own), "wagers": {"ante": 10}, "decisions": []}
        if "royal" not in outcome and "straight flush" not in outcome:
            later = ["fold" if "fold" in outcome else "bet"]
            if given == "buy":
                seat |= {"decisions": ["buy", *later], "drawn": str(stub[0])}
            elif isinstance(given, tuple):
                drawn = show_cards(stub[: len(given)])
                seat |= {"decisions": [{"exchange": show_cards(given)}, *later], "drawn": drawn}
            else:
                seat["decisions"] = later
        settled = settle({"game": "lunar-poker", "dealer": show_cards(dealer), "seats": {"1": seat}})
        assert settled["seats"]["1"]["net"] == 10 * net, (outcome, seat, show_cards(dealer))
