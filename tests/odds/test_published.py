"""The edges that others have published or counted; `make odds` runs those that take longer."""

from pathlib import Path

import pytest

from tests.odds.whole_games import HI_LO, QUICK, SLOW

DOCS = Path(__file__).parent.parent.parent / "docs" / "games"
WAGERS = dict.fromkeys((one.game, one.wager) for one in QUICK)


@pytest.mark.parametrize(("game", "wager"), WAGERS, ids=lambda word: word)
def test_edges_are_as_published_and_as_the_page_of_the_game_says(game, wager):
    page = (DOCS / f"{game}.md").read_text(encoding="utf-8")
    for one in QUICK:
        if (one.game, one.wager) == (game, wager):
            figures = one.found()
            assert one.differences(figures) == [], str(one)
            assert f"{100 * abs(float(figures.edge)):.{4 if figures.edge > -0.1 else 2}f} %" in page, str(one)


def test_hi_lo_with_best_play_ties_on_as_many_deals_as_counted_before():
    main, tie = (one for one in SLOW if one.game == HI_LO)
    assert main.differences(main.found()) == []
    figures = tie.found()
    assert tie.differences(figures) == []
    assert round(100 * figures.count("one hand equal") / figures.total, 2) == 14.48
    assert round(100 * figures.count("both hands equal") / figures.total, 4) == 0.7548


def test_another_edge_is_told():
    assert QUICK[2].differences(QUICK[3].found()) != []
