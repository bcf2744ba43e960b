"""Whole rounds of Five Card Hi-Lo: random ones, the ways of dealing, how hands are set, foul ones at the table."""

import json

import pytest

from shoectl.cards import parse_cards
from shoectl.errors import BadInput
from shoectl.games.procedure import Done, Void
from shoectl.games.records import record_of
from shoectl.games.registry import game
from shoectl.games.settle import settle as settle_record
from shoectl.games.steps import Acknowledge, Arrange, CallFloor, RackStub, ReadSetting, SetHands
from shoectl.games.text import step_json
from tests.games import hi_lo_rounds
from tests.games.records import steps
from tests.games.test_hi_lo_examples import record, seat
from tests.games.whole_rounds import Table, check_round

HI_LO = game("five-card-hi-lo")
PLAYER, DEALER = "As Jh Td 9c 2s", "Ks Qh 8d 6c 4s"


@pytest.mark.parametrize("part", range(4))
def test_random_rounds_are_settled_as_the_second_reading_has_them(part):
    for number in range(150):
        check_round(hi_lo_rounds, f"suite {part}/{number}")


@pytest.mark.parametrize(
    ("dealing", "rule", "first"),
    [
        ("manual", "663a.8", ["seat 1", "seat 2", "dealer", "seat 1", "seat 2", "dealer"]),
        ("hand", "663a.9", ["seat 1", "seat 2", "dealer", "seat 1", "seat 2", "dealer"]),
        ("automated", "663a.10", ["seat 1"] * 5 + ["seat 2"]),
    ],
)
def test_663a_8_to_10_five_cards_each_the_dealer_last(settle, dealing, rule, first):
    out = settle(record(seat(PLAYER, "play"), seat("Kh Qd 8s 6d 4c", "fold"), dealer=DEALER) | {"dealing": dealing})
    (deal,) = steps(out, "deal")
    assert (deal["to"][:6], deal["to"][-1], len(deal["to"]), deal["rule"]) == (first, "dealer", 15, rule)
    assert steps(out, "announce")[0] == {"do": "announce", "text": "no more bets", "rule": rule}
    assert steps(out, "discard")[0] == {"do": "discard", "from": "stub", "cards": "", "rule": rule}


class Foul(Table):
    """A table where the player sets a hand that the section does not allow; no record can say so."""

    def __init__(self, low, **more):
        one = seat(PLAYER, "play", **more.pop("wagers", {}))
        super().__init__(record_of(record(one, dealer=DEALER, **more)), lambda *_: Void())
        self.low = low
        self.asked = []

    def answer(self, step):
        self.asked.append(step)
        return step.takes(parse_cards(self.low)) if isinstance(step, ReadSetting) else super().answer(step)

    def advance(self):
        if isinstance(self.round.step, Arrange):
            self.asked.append(self.round.step)
        super().advance()

    def named(self, kind):
        return [step for step in self.asked if isinstance(step, kind)]


def test_663a_11_d_a_foul_hand_is_reset_the_dealers_way_and_the_floor_is_called():
    table = Foul("Jh 2s")
    table.finish()
    (floor,) = table.named(CallFloor)
    assert (floor.why, floor.choices, floor.rule) == ("seat 1 has set a foul hand", ("reset",), "663a.13")
    assert [(step.place, step.low) for step in table.named(Arrange)] == [("dealer", (3, 4)), ("seat 1", (3, 4))]
    assert table.layout.net(1) == 0, "31 high wins, 11 low does not"
    assert HI_LO.outcome(table.layout, table.house).seats[1]["hand"] == "31 high, 11 low"


@pytest.mark.parametrize(
    ("wagers", "net", "stays"), [({}, -20, False), ({"tie": 5}, -25, False), ({"tie": 5, "poker_bonus": 5}, -30, True)]
)
def test_663a_11_d_a_foul_hand_is_forfeited_where_the_house_says_so(wagers, net, stays):
    table = Foul("Jh 2s", foul_hand="forfeit", wagers=wagers)
    table.finish()
    (floor,) = table.named(CallFloor)
    assert floor.choices == ("forfeit",)
    assert table.layout.net(1) == net
    assert {one.how for one in table.layout.booked} == {"forfeit"} | ({"lose"} if stays else set())
    assert [racked.origin for racked in table.layout.rack] == ["seat 1", "dealer"]
    assert not list(table.layout.standing())


@pytest.mark.parametrize("low", ["9c 2s", "As 2s", "2s As"])
def test_663a_11_d_a_legal_setting_calls_nobody(low):
    table = Foul(low)
    table.finish()
    assert not table.named(CallFloor)
    assert table.layout.net(1) == (0 if low == "9c 2s" else 20)


@pytest.mark.parametrize("low", ["As", "As 2s 9c", "As As", "As 3s"])
def test_a_setting_that_is_none_is_refused_at_the_table(low):
    with pytest.raises(BadInput, match="seat 1"):
        Foul(low).finish()


def test_663a_11_d_e_hands_are_set_before_the_dealers_cards_are_turned_and_the_stub_is_gone_by_then():
    table = Table(record_of(record(seat(PLAYER, "play"), seat("Kh Qd 8s 6d 4c", "play"), dealer=DEALER)))
    order = []
    while not table.round.over:
        step = table.round.step
        if not isinstance(step, Acknowledge) and (not order or order[-1] != (step.do, getattr(step, "seat", None))):
            order.append((step.do, getattr(step, "seat", None)))
        if isinstance(step, RackStub):
            assert not table.layout.decided
        table.advance()
    asks = [one for one in order if one[0] in ("ask", "set_hands", "reveal", "arrange", "set")]
    assert asks[:6] == [("ask", 1), ("ask", 2), ("set_hands", 1), ("set_hands", 2), ("reveal", None), ("arrange", None)]
    assert asks[6:] == [("reveal", None), ("set", 2), ("reveal", None), ("set", 1)]


def test_663a_11_d_a_player_without_a_play_wager_sets_no_hand():
    table = Table(record_of(record(seat(PLAYER, "fold", poker_bonus=5), dealer=DEALER)))
    while not table.round.over:
        assert not isinstance(table.round.step, SetHands | ReadSetting)
        table.advance()


def test_no_step_carries_a_face():
    table = Table(record_of(record(seat(PLAYER, "play", tie=5, poker_bonus=5), dealer=DEALER)))
    faces = {*PLAYER.split(), *DEALER.split()}
    while not table.round.over:
        assert faces.isdisjoint(str(step_json(table.round.step)).replace("'", " ").split())
        table.advance()


def test_the_settings_that_a_player_may_choose_from():
    house = HI_LO.house({})
    assert HI_LO.settings(parse_cards(PLAYER), house) == (parse_cards("9c 2s"), parse_cards("As 2s"))
    assert HI_LO.settings(parse_cards(DEALER), house) == (parse_cards("6c 4s"),)


@pytest.mark.parametrize(("how", "count"), [("seat", 2), ("step", 5), ("none", 0)])
def test_the_dealer_acknowledges_as_the_house_wants(how, count):
    table = Table(
        record_of(
            record(seat(PLAYER, "play", tie=5), seat("Kh Qd 8s 6d 4c", "fold", tie=5), dealer=DEALER, acknowledge=how)
        )
    )
    seen = 0
    while not table.round.over:
        if isinstance(table.round.step, Acknowledge):
            seen += 1
            assert table.answer(table.round.step) == Done()
        table.advance()
    assert seen == count


def test_a_table_offers_what_it_has_limits_for():
    house = HI_LO.house({})
    offers = HI_LO.offers(house, {"ante": (10, 100), "tie": (5, 50)})
    assert [(one.wager, one.least, one.required, one.needs) for one in offers] == [
        ("ante", 10, True, ()),
        ("tie", 5, False, ("ante",)),
    ]
    with pytest.raises(BadInput, match="those of the ante are missing"):
        HI_LO.offers(house, {"tie": (1, 2)})


def test_a_round_that_is_seen_and_one_that_is_blind_end_alike():
    read = record_of(record(seat(PLAYER, "play", tie=5, poker_bonus=5), dealer=DEALER))
    assert settle_record(read).json() == settle_record(read, blind=True).json()


def test_a_decision_after_a_fold_is_refused_with_the_paragraph(refused):
    late = record(seat(PLAYER, "fold", {"low": "As 2s"}, poker_bonus=5), dealer=DEALER)
    assert "seat 1: 'low' is one decision too many: it has folded (§ 663a.11(b))" in refused(late)


def test_a_settled_round_is_told_in_words(command, tmp_path):
    file = tmp_path / "round.json"
    file.write_text(json.dumps(record(seat(PLAYER, "play", {"low": "As 2s"}), dealer=DEALER)))
    code, out, err = command("settle", file)
    assert code == 0, err
    for words in (
        "dealer: Ks Qh 8d | 6c 4s",
        "seat 1: Jh Td 9c | As 2s",
        "dealer  28 high, 10 low",
        "+20  29 high, 3 low",
    ):
        assert words in out
