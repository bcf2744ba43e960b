"""`shoectl rank` and `shoectl compare`: the ranking of hands by the section of a game."""

from __future__ import annotations

import json

import click

from shoectl.cards import Card, parse_cards, show_cards
from shoectl.commands.completing import complete_games, complete_kinds
from shoectl.errors import BadInput
from shoectl.games.house import Value
from shoectl.games.registry import Ranked, game

HOUSE = click.option(
    "--house", multiple=True, metavar="KEY=VALUE", help="A house option, where the ranking depends on one."
)


@click.command()
@click.argument("name", metavar="GAME", shell_complete=complete_games)
@click.argument("kind", shell_complete=complete_kinds)
@click.argument("cards", nargs=-1, required=True)
@HOUSE
@click.option("--json", "as_json", is_flag=True, help="One JSON value instead of words.")
def rank(name: str, kind: str, cards: tuple[str, ...], house: tuple[str, ...], as_json: bool) -> None:
    """Rank one hand, as in `shoectl rank lunar-poker hand "As Ah Kd 9c 8s"`.

    KIND is one of the game's (`shoectl games show GAME` lists them).
    """
    ranked = ranked_hand(name, kind, " ".join(cards), house)
    if as_json:
        click.echo(
            json.dumps(
                {
                    "kind": ranked.kind,
                    "name": ranked.name,
                    "text": ranked.text,
                    "cards": show_cards(ranked.cards),
                    "order": ranked.order,
                    **ranked.more,
                }
            )
        )
    else:
        click.echo(f"{ranked.text}  ({show_cards(ranked.cards)})" if ranked.cards else ranked.text)


@click.command()
@click.argument("name", metavar="GAME", shell_complete=complete_games)
@click.argument("kind", shell_complete=complete_kinds)
@click.argument("first", metavar="CARDS")
@click.argument("second", metavar="CARDS")
@HOUSE
@click.option("--json", "as_json", is_flag=True, help="One JSON value instead of a word.")
def compare(name: str, kind: str, first: str, second: str, house: tuple[str, ...], as_json: bool) -> None:
    """Compare two hands: prints first, second or tie."""
    one, other = ranked_hand(name, kind, first, house), ranked_hand(name, kind, second, house)
    beats = game(name).beats
    result = "first" if beats(one, other) else "second" if beats(other, one) else "tie"
    if as_json:
        click.echo(json.dumps({"result": result, "first": one.text, "second": other.text}))
    else:
        click.echo(result)


def ranked_hand(name: str, kind: str, cards: str, house: tuple[str, ...]) -> Ranked:
    """One hand of a kind, ranked. Raises BadInput for an unknown game, kind or option, and for a card twice."""
    played = game(name)
    if kind not in played.kinds:
        raise BadInput(f"{name} ranks no {kind[:40]!r}, kinds are {', '.join(played.kinds)}")
    options = played.house(dict(map(house_option, house)))
    return played.kinds[kind](_hand(cards), options)


def _hand(text: str) -> tuple[Card, ...]:
    cards = parse_cards(text)
    for at, card in enumerate(cards):
        if card in cards[:at]:
            raise BadInput(f"{card} stands there twice")
    return cards


def house_option(text: str) -> tuple[str, Value]:
    """A house option from `KEY=VALUE`: true, false, none and whole numbers are taken as such. Raises BadInput."""
    key, equals, value = text.partition("=")
    if not equals:
        raise BadInput(f"house option {text[:40]!r} is not KEY=VALUE")
    if value in ("true", "false", "none"):
        return key, {"true": True, "false": False, "none": None}[value]
    return key, int(value) if value.isascii() and value.isdigit() and len(value) < 19 else value
