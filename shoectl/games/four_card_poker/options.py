"""What § 641a leaves to the house, or to texts that are not at hand."""

from __future__ import annotations

from typing import Final

from shoectl.games.four_card_poker.money import PAYTABLES
from shoectl.games.house import Option, Standing
from shoectl.games.table_options import MOST_SEATS
from shoectl.games.wagers import paytable_option

_ROUND: Final = "58 Pa. Code § 641a.11"


def _meter(name: str, what: str) -> Option:
    meaning = f"the reading of {what}, in the smallest unit; none: the game system is asked when a line pays a share"
    return Option(name, None, (None,), meaning, f"{_ROUND}(c)(5)(iv)", Standing.LAW, least=0, most=10**15)


_TABLES: Final = (
    paytable_option(PAYTABLES, "ante_bonus", "what the Ante Bonus pays"),
    paytable_option(PAYTABLES, "aces_up", "what Aces Up pays"),
    paytable_option(PAYTABLES, "bad_beat", "what the Bad Beat Bonus pays on the hand that lost"),
    paytable_option(PAYTABLES, "six_card", "what the Six Card Bonus pays"),
    paytable_option(PAYTABLES, "progressive_4", "what the Four-Card Progressive pays"),
    paytable_option(PAYTABLES, "progressive_5", "what the Five-Card Progressive pays"),
    paytable_option(PAYTABLES, "envy_4", "what a Four-Card Envy Bonus is"),
    paytable_option(PAYTABLES, "envy_5", "what a Five-Card Envy Bonus is"),
    paytable_option(PAYTABLES, "five_card_hand", "what the Five Card Hand Bonus pays"),
    paytable_option(PAYTABLES, "magic_pays", "what a Magic Card adds to a Five Card Hand Bonus Wager"),
    paytable_option(PAYTABLES, "lucky_pays", "what a Lucky Bonus adds to a Five Card Hand Bonus Wager"),
)

_ROUNDS: Final = (
    Option(
        "ante_bonus_on_loss",
        False,
        (False, True),
        "true: the Ante Bonus is paid to a hand that the dealer's beats, too",
        f"{_ROUND}(c)(3)(i) only collects; casinos' pages pay it",
        Standing.LAW,
    ),
    Option(
        "play_step",
        1,
        ("ante",),
        "a Play Wager, from one to three Antes, is a multiple of this (whole Antes always are allowed), or of the Ante",
        f"{_ROUND}(b)",
        Standing.LAW,
        least=1,
    ),
    Option(
        "bad_beat_on_fold",
        "forfeit",
        ("forfeit", "keep"),
        "what becomes of the Bad Beat Bonus Wager of a player who folds",
        f"{_ROUND}(b) does not speak of it",
    ),
    Option(
        "five_card_hand_on_fold",
        "keep",
        ("keep", "forfeit"),
        "what becomes of the Five Card Hand Bonus Wagers of a player who folds",
        f"{_ROUND}(b) does not speak of it",
    ),
    Option(
        "envy_folded_hands",
        False,
        (False, True),
        "true: the hand of a player who folded gives others an Envy Bonus where it stayed on the table and was shown",
        f"{_ROUND}(c)(5)(v), a reading",
    ),
    Option(
        "envy_payment",
        "pending",
        ("pending", "end_of_round"),
        "pending: paid as hands are shown; end_of_round: all at once when every seat is settled; the sums are the same",
        f"{_ROUND}(c)(5)(v), a reading",
    ),
    Option(
        "high_odds_verify",
        500,
        (),
        "odds for 1 from which on the floor verifies a Five Card Hand Bonus",
        f"{_ROUND}(c)(7)(ii)",
        Standing.LAW,
        least=1,
    ),
    Option(
        "magic_card",
        "off",
        ("off", "on"),
        "the card that the game system has picked for this round; on: it is asked; off: there is none",
        f"{_ROUND}(c)(7); § 641a.12(g) is not at hand",
        card=True,
    ),
    Option(
        "lucky_bonus",
        "off",
        ("off", "on", "dealer"),
        "the seat, or the dealer, that the game system has picked for this round; on: it is asked; off: there is none",
        f"{_ROUND}(c)(7); § 641a.12(g) is not at hand",
        least=1,
        most=MOST_SEATS,
    ),
    Option(
        "equal_ante_aces_up",
        False,
        (False, True),
        "true: an Ante and an Aces Up Wager of one seat have to be equal",
        "one casino's page",
        Standing.PUBLISHED,
    ),
)

_METERS: Final = (
    _meter("progressive_4_meter", "the Four-Card Progressive's meter"),
    _meter("progressive_5_meter", "the Five-Card Progressive's meter"),
    _meter("mega_meter", "the mega meter of a Five-Card Progressive with several"),
    _meter("major_meter", "the major meter"),
    _meter("minor_meter", "the minor meter"),
    _meter("five_card_hand_meter", "the Five Card Hand Bonus's meter"),
)

_DEALING: Final = (
    Option(
        "dealer_upcard",
        "sixth",
        ("sixth", "top"),
        "the dealer's card that lies face up; sixth: his last one is dealt so; top: he turns the top one of his six "
        "once they are dealt. The Five Card Hand Bonus is about his first five either way",
        f"{_ROUND}(c)(7)",
        Standing.LAW,
    ),
    Option(
        "six_card_dealt",
        "by_dealing",
        ("by_dealing", "first", "last"),
        "when the Six Card Bonus card is dealt; by_dealing: last from an automated shoe, else first",
        "58 Pa. Code §§ 657a.8(d), 684a.10(b)",
        Standing.SIBLING,
    ),
    Option(
        "bonus_card_exposed",
        "void_wager",
        ("void_wager", "void"),
        "the Six Card Bonus card seen too early; void_wager: that wager goes back, the game goes on; void: the round",
        "no text at hand",
    ),
)

OPTIONS: Final = (*_TABLES, *_ROUNDS, *_METERS, *_DEALING)
