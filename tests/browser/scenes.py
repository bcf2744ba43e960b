"""Scenes: how each page is brought to the state that is looked at. Pictures and accessibility checks share them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

from .persons import Person
from .tables import DEALER, FLOOR, by_hand, simulated

Stage = Callable[[Path, Page], AbstractContextManager[Page]]
# As they come off the deck, from the top; the last card of the dealer lies face up at once.
CARDS = {
    "dealer": "Qs Qh 7d 4c 2s",
    "seat 1": "Ks Tc 5d 3h 2c",
    "seat 2": "Kc Jc 9s 6c 3c",
    "seat 3": "As Ah Kd 9h 8s",
}
WAGERS = ((25, 5, 0), (25, 0, 0), (25, 5, 5))  # ante, own super, super on the dealer


@dataclass(frozen=True)
class Scene:
    """One state of one page, at the size that it is looked at. `whole`: with all that lies below the fold."""

    name: str
    stage: Stage
    width: int = 1280
    height: int = 800
    whole: bool = False


@contextmanager
def decision(folder: Path, page: Page) -> Iterator[Page]:
    """Seat 3 is asked; a choice is taken and not yet entered."""
    with by_hand(folder) as table:
        table.sign_in(page, *DEALER)
        deal(page)
        fold_and_bet(page, 2)
        page.keyboard.press("b")
        yield page


@contextmanager
def wagers(folder: Path, page: Page) -> Iterator[Page]:
    """Chips are being entered at seat 2."""
    with by_hand(folder) as table:
        table.sign_in(page, *DEALER)
        prove(page)
        place(page, 1)
        page.keyboard.press("1")
        page.keyboard.press("1")
        page.keyboard.press("s")
        page.keyboard.press("1")
        yield page


@contextmanager
def settlement(folder: Path, page: Page) -> Iterator[Page]:
    """Seat 3 has won twice."""
    with by_hand(folder) as table:
        table.sign_in(page, *DEALER)
        deal(page)
        fold_and_bet(page, 3)
        person = Person(page, faces=Faces(page))
        person.play(lambda: "wins twice" in person.say())
        yield page


class Faces(list[str]):
    """The faces of whatever place is to be turned up."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self._page = page

    def pop(self, at: int = -1) -> str:  # type: ignore[override]
        """The next face that is asked for."""
        if not self:
            say = self._page.locator("#say").inner_text()
            place = next(name for name in CARDS if name in say)
            self.extend(reversed(CARDS[place].split()))
        return super().pop(at)


@contextmanager
def count(folder: Path, page: Page) -> Iterator[Page]:
    """The deck is to be counted."""
    with by_hand(folder) as table:
        table.sign_in(page, *DEALER)
        deal(page)
        fold_and_bet(page, len(WAGERS))
        person = Person(page, faces=Faces(page))
        person.play(lambda: page.locator("#ask").count() > 0)
        page.keyboard.type("52")
        yield page


@contextmanager
def floor(folder: Path, page: Page) -> Iterator[Page]:
    """A card was seen in the showdown: the floorperson decides, and signs at the dealer's page."""
    with by_hand(folder) as table:
        table.sign_in(page, *DEALER)
        deal(page)
        page.keyboard.press("F4")
        page.get_by_label("A card was seen").first.check(force=True)
        page.get_by_label("Seat 2").first.check(force=True)
        yield page


@contextmanager
def hold(folder: Path, page: Page) -> Iterator[Page]:
    """The shoe could not read a card."""
    with simulated(folder, "lunar-poker", "--fault", "birch:unreadable@draw=9") as table:
        table.enter(page)
        person = Person(page)
        person.play(lambda: page.locator("#now.held").count() > 0)
        yield page


@contextmanager
def pit(folder: Path, page: Page) -> Iterator[Page]:
    """A hold waits for the floor, after some rounds."""
    with simulated(folder, "lunar-poker", "--fault", "birch:unreadable@draw=30") as table:
        table.enter(page)
        person = Person(page)
        person.play(lambda: page.locator("#now.held").count() > 0)
        page.goto(f"{table.address}/pit")
        page.wait_for_timeout(1500)
        yield page


@contextmanager
def sign_in(folder: Path, page: Page) -> Iterator[Page]:
    """Number and PIN did not match."""
    with by_hand(folder) as table:
        page.goto(f"{table.address}/signin")
        page.get_by_label("Operator number").fill(FLOOR[0])
        page.get_by_label("PIN").fill("0000")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_selector("#why")
        yield page


SCENES = (
    Scene("dealer-decision", decision),
    Scene("dealer-wagers", wagers),
    Scene("dealer-settlement", settlement),
    Scene("dealer-hold", hold),
    Scene("dealer-count", count),
    Scene("dealer-irregularity", floor),
    Scene("dealer-phone", decision, 390, 844, whole=True),
    Scene("pit", pit, whole=True),
    Scene("pit-phone", pit, 390, 844, whole=True),
    Scene("sign-in", sign_in, 390, 844),
)


# ---- the way there


def prove(page: Page) -> None:
    """The deck is counted, shuffled and cut."""
    person = Person(page)
    person.play(lambda: page.locator("form[data-wagers]").count() > 0)


def place(page: Page, seats: int) -> None:
    """Wagers of the first seats, by the keys of wagers and chips."""
    for ante, own, dealer in WAGERS[:seats]:
        for key, amount in (("a", ante), ("s", own), ("u", dealer)):
            if amount:
                page.keyboard.press(key)
                page.keyboard.press("1")
        page.wait_for_timeout(300)  # a page takes no second Enter within a quarter of a second
        page.keyboard.press("Enter")


def deal(page: Page) -> None:
    """Up to the first decision."""
    prove(page)
    place(page, len(WAGERS))
    page.wait_for_selector("form[data-wagers]", state="detached")
    up = CARDS["dealer"].split()[-1]
    person = Person(page)

    def decides() -> bool:
        field = page.locator("#answers input[data-kind=cards]")
        if field.count() and not field.input_value():
            field.fill(up)
        return "Ask seat" in person.say() or "whether it declares" in person.say()

    person.play(decides)


def fold_and_bet(page: Page, seats: int) -> None:
    """The first seats decide: seat 1 folds, the others bet; nobody declares."""
    person = Person(page, keyboard=True, choose=lambda texts: _fold_or_bet(person.say(), texts))
    person.play(lambda: _asked(person.say()) > seats)


def _asked(say: str) -> int:
    """The seat that is asked for its decision; 0 while it is asked whether it declares, 99 after the decisions."""
    if say.startswith("Ask seat") and "declares" not in say:
        return int(say.removeprefix("Ask seat ").partition(":")[0])
    return 0 if "declares" in say else 99


def _fold_or_bet(say: str, texts: list[str]) -> int:
    wanted = "Does not" if "declares" in say else "Fold" if _asked(say) == 1 else "Bet"
    return next(at for at, text in enumerate(texts) if text.startswith(wanted))
