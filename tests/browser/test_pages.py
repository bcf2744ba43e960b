"""The pages with a person before them: what they say, what their keys do, what keeps people from using them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from shoectl.cards import STANDARD
from shoectl.journal import Reader
from shoectl.people.attempts import FIRST_DELAY_S

from .axes import faults
from .persons import Person
from .scenes import CARDS, Faces, deal, fold_and_bet, place, prove
from .tables import DEALER, FLOOR, OBSERVER, Daemon, by_hand, simulated

Open = Callable[..., Page]
CUT_OFF = """[...document.querySelectorAll("h1, h3, .wager span, .wagers li, .btn")]
    .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)"""


def test_a_hand_dealt_round_is_worked_from_the_page_and_every_state_of_it_can_be_used(
    open_page: Open, tmp_path: Path
) -> None:
    """Nobody else answers: wagers, decisions, faces, settlements, the count. axe looks at each on the way."""
    with by_hand(tmp_path) as table:
        page = open_page()
        table.sign_in(page, *DEALER)
        prove(page)
        place(page, 1)
        found = {"wagers": faults(page)}
        page.keyboard.press("0")
        page.wait_for_timeout(300)
        page.get_by_role("button", name="Seat before").click()
        page.reload()  # nothing was sent: the wagers are entered anew
        page.wait_for_selector("form[data-wagers]")
        deal(page)
        fold_and_bet(page, 2)
        page.keyboard.press("b")
        assert page.locator(".btn.go").inner_text().startswith("Seat 3 bets 50")
        found["decision"] = faults(page)
        narrow(page)
        fold_and_bet(page, 3)
        person = Person(page, faces=Faces(page))
        person.play(lambda: "wins twice" in person.say())
        assert page.locator(".combo b").all_inner_texts() == ["1 2", "1", "2"]
        found["settlement"] = faults(page)
        person.play(lambda: page.locator("#ask").count() > 0)
        found["count"] = faults(page)
        the_page_behind_rests(page)
        person.play(lambda: "Gather the deck" in person.say())
    assert {state: one for state, one in found.items() if one} == {}


def touch(page: Page, text: str) -> None:
    """A choice of the report."""
    page.locator("#report .choice", has_text=text).click()


def narrow(page: Page) -> None:
    """A phone, and a screen at twice its size: nothing sticks out."""
    for width, height in ((390, 844), (640, 400)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.evaluate("document.documentElement.scrollHeight") <= 800


def the_page_behind_rests(page: Page) -> None:
    """Behind the count nothing can be reached; its field has the focus."""
    assert page.evaluate("document.activeElement.matches('[data-count]')")
    for _ in range(30):
        page.keyboard.press("Tab")
        assert page.evaluate("!document.activeElement.closest('header, main, footer')")


@pytest.fixture(scope="module")
def dealt(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A table dealt from the hand whose seat 1 is asked for its decision; each test has a page of its own."""
    with by_hand(tmp_path_factory.mktemp("dealt")) as table:
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        table.sign_in(page, *DEALER)
        deal(page)
        fold_and_bet(page, 0)
        context.close()
        yield table


def test_letters_choose_only_while_no_field_has_the_focus(dealt: Daemon, open_page: Open) -> None:
    page = open_page()
    dealt.sign_in(page, *DEALER)
    page.keyboard.press("f")
    assert page.locator("input[value=fold]").is_checked()
    page.keyboard.press("F4")
    field = page.locator("#report input[name=cards]")
    field.focus()
    page.keyboard.type("b")
    assert field.input_value() == "b"
    assert not page.locator("input[value=bet]").is_checked()
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    assert page.locator("input[value=bet]").is_checked()


def test_nothing_is_entered_before_something_is_chosen(dealt: Daemon, open_page: Open) -> None:
    page = open_page()
    dealt.sign_in(page, *DEALER)
    assert page.locator(".btn.go").is_disabled()
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert page.locator("#say").inner_text().startswith("Ask seat 1")


def test_a_wager_outside_its_limits_is_told_at_its_seat(open_page: Open, tmp_path: Path) -> None:
    with by_hand(tmp_path) as table:
        page = open_page()
        table.sign_in(page, *DEALER)
        prove(page)
        page.wait_for_selector(".chipset")
        ante = page.locator(".seat-wagers.on input").first
        ante.fill("1")
        page.wait_for_timeout(300)  # an Enter that follows another too closely is none
        page.keyboard.press("Enter")
        page.wait_for_timeout(300)
        assert ante.evaluate("field => field.validationMessage") == "Ante: 25 to 500, or nothing"
        assert page.locator("#say").inner_text() == "Enter what seat 1 has wagered."
        ante.fill("25")
        page.keyboard.press("Enter")
        page.wait_for_function("document.getElementById('say').textContent.includes('seat 2')")


def test_a_page_whose_line_is_dead_says_so_and_comes_back_by_itself(open_page: Open, tmp_path: Path) -> None:
    with by_hand(tmp_path) as table:
        page = open_page()
        page.clock.install()
        table.sign_in(page, *DEALER)
        page.wait_for_timeout(500)
        with table.silent():
            page.clock.fast_forward(20_000)
            assert page.locator("#offline").count() == 0
            page.clock.fast_forward(10_000)
            page.wait_for_selector("#offline")
        page.clock.run_for(4_000)
        page.wait_for_selector("#offline", state="detached")


def test_a_second_tap_is_not_for_the_next_seat_and_what_was_entered_outlives_a_reload(
    open_page: Open, tmp_path: Path
) -> None:
    with by_hand(tmp_path) as table:
        page = open_page()
        table.sign_in(page, *DEALER)
        prove(page)
        page.locator(".chipset [data-add]").first.click()
        page.wait_for_timeout(300)
        page.locator(".btn.go").dblclick()
        assert page.locator("#say").inner_text() == "Enter what seat 2 has wagered."
        page.locator(".chipset [data-add]").nth(1).click()
        page.reload()
        page.wait_for_selector(".chipset")
        assert page.locator("#say").inner_text() == "Enter what seat 2 has wagered."
        assert [one.input_value() for one in page.locator(".wager input[name$=ante]").all()] == ["25", "100", ""]
        page.wait_for_timeout(300)
        page.evaluate(
            "for (let n = 0; n < 2; n += 1)"
            " document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))"
        )
        assert page.locator("#say").inner_text() == "Enter what seat 3 has wagered."


def test_another_amount_is_entered_where_it_is_chosen(open_page: Open, tmp_path: Path) -> None:
    with by_hand(tmp_path, "four-card-poker", seats=2) as table:
        page = open_page()
        table.sign_in(page, *DEALER)
        prove(page)
        for _ in range(2):
            page.keyboard.press("a")
            page.keyboard.press("2")
            page.wait_for_timeout(300)
            page.keyboard.press("Enter")
        page.wait_for_selector("form[data-wagers]", state="detached")
        Person(page).play(lambda: page.locator("[data-opens]").count() > 0)
        assert page.locator(".amount").is_hidden()
        page.keyboard.press("y")
        page.keyboard.type("40")
        assert page.locator(".amount input").input_value() == "40"
        page.keyboard.press("f")  # in the field, a letter chooses nothing
        assert page.locator("[data-opens]").is_checked()


def test_seven_seats_with_every_wager_fit_without_words_that_break(open_page: Open, tmp_path: Path) -> None:
    with by_hand(tmp_path, "four-card-poker", seats=7) as table:
        page = open_page()
        table.sign_in(page, *DEALER)
        prove(page)
        page.wait_for_selector(".chipset")
        for seat in range(7):
            for field in page.locator(".seat-wagers.on input").all():
                field.click()
                page.locator(".chipset [data-add]").first.click()
            assert page.evaluate(CUT_OFF) == []
            assert page.evaluate("document.documentElement.scrollWidth") == 1280
            if seat < 6:
                assert page.evaluate("document.documentElement.scrollHeight") <= 800
                page.wait_for_timeout(300)
                page.locator(".btn.go").click()
        assert page.locator("#layout .wagers.many").count() == 7


def test_what_is_refused_is_said_on_the_page_and_the_step_stays_open(dealt: Daemon, open_page: Open) -> None:
    page = open_page()
    dealt.sign_in(page, *DEALER)
    page.keyboard.press("F4")
    touch(page, "A card was seen")
    touch(page, "Seat 2")
    page.locator("#report input[name=cards]").fill(CARDS["dealer"].split()[-1])  # it lies at the dealer's place
    page.get_by_role("button", name="Report it").click()
    page.wait_for_selector("#said [role=alert]")
    assert "does not fit" in page.locator("#said").inner_text()
    assert page.locator("#say").inner_text().startswith("Ask seat 1")


def test_the_floor_is_called_and_comes(dealt: Daemon, open_page: Open) -> None:
    page, floor = open_page(), open_page(390, 844)
    dealt.sign_in(page, *DEALER)
    dealt.sign_in(floor, *FLOOR)
    floor.goto(f"{dealt.address}/pit")
    page.keyboard.press("F2")
    page.get_by_role("button", name="Floor called").wait_for()
    floor.get_by_role("button", name="I am here").click()
    page.get_by_role("button", name="Call floor").wait_for()


def test_an_observer_has_nothing_to_press(dealt: Daemon, open_page: Open) -> None:
    page = open_page()
    dealt.sign_in(page, *OBSERVER)
    assert page.locator("form:not([action='/signout'])").count() == 0
    for key in ("f", "Enter", "F2", "F4"):
        page.keyboard.press(key)
    assert page.locator("#say").inner_text().startswith("Ask seat 1")


def test_a_table_is_worked_without_a_script_too(open_page: Open, tmp_path: Path) -> None:
    with by_hand(tmp_path, seats=1) as table:
        page = open_page(java_script_enabled=False)
        table.sign_in(page, *DEALER, script=False)
        page.get_by_role("button", name="The deck is shuffled").click()
        page.locator("input[name='wager-1-ante']").fill("25")
        page.get_by_role("button", name="The wagers lie as entered").click()
        page.get_by_role("button", name="cards are dealt").click()
        page.locator("#answers input[name=cards]").fill("2s")
        page.get_by_role("button", name="face up").click()
        page.locator("label.choice", has_text="Does not").click()
        page.get_by_role("button", name="Seat 1 has said").click()
        page.locator("label.choice", has_text="Fold").click()
        page.get_by_role("button", name="Seat 1 decides").click()
        page.get_by_role("button", name="Seat 1 is settled").click()
        page.locator("input[name=number]").fill("52")
        page.get_by_role("button", name="Enter the count").click()
        page.wait_for_selector("h1:has-text('round 2')")


def test_a_card_that_was_seen_is_reported_and_the_deal_goes_on(open_page: Open, tmp_path: Path) -> None:
    with by_hand(tmp_path) as table:
        page = open_page()
        table.sign_in(page, *DEALER)
        deal(page)
        page.keyboard.press("F4")
        touch(page, "A card was seen")
        touch(page, "Seat 2")
        page.locator("#report input[name=cards]").fill("Kc")
        assert faults(page) == []
        page.get_by_role("button", name="Report it").click()
        page.wait_for_selector("#say:has-text('Deal a card')")
        assert "seen" in page.locator(".before").inner_text()
        person = Person(page)
        person.play(lambda: "declares" in person.say())
        assert page.locator("[data-seat='2'] .back").count() == 5


def test_a_card_that_nobody_could_read_is_named_by_two_and_shown_to_nobody(open_page: Open, tmp_path: Path) -> None:
    truth = tmp_path / "truth"
    with simulated(tmp_path, "lunar-poker", "--fault", "birch:unreadable@draw=9", "--truth", str(truth)) as table:
        page = open_page()
        table.enter(page)
        person = Person(page)
        person.play(lambda: page.locator("#now.held").count() > 0)
        assert faults(page) == []
        page.goto(f"{table.address}/pit")
        page.wait_for_selector("#devices .spark")
        assert "could not read" in page.locator("#floor").inner_text()
        assert faults(page) == []
        page.goto(table.address)
        seen = hidden(table)
        name_it(page, next(str(card) for card in STANDARD if str(card) not in seen))
        page.wait_for_selector("#now:not(.held)")
        person.play(lambda: person.say().startswith(("Ask seat", "Seat ", "Turn up")))
        words = page.content()
        shown = set(page.locator("#layout .card .vh").all_inner_texts())
        assert not [face for face in spoken(hidden(table)) if face in words and face not in shown]


def name_it(page: Page, card: str) -> None:
    """Two persons enter the card that they see."""
    page.keyboard.press("F3")
    page.locator("#answers input[name=cards]").fill(card)
    page.locator("#answers input[name=again]").fill(card)
    page.get_by_role("button", name="Both have entered it").click()


def hidden(table: Daemon) -> set[str]:
    """Every face that the journal knows."""
    with Reader(table.journal) as journal:
        answers = [entry.body["answer"] for entry in journal.entries() if entry.kind == "answer"]
    return {str(answer["card"]) for answer in answers if answer.get("card")}


def spoken(faces: set[str]) -> list[str]:
    """Faces as a screen reader says them."""
    ranks = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
    suits = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
    return [f"{ranks['23456789TJQKA'.index(face[0])]} of {suits[face[1]]}" for face in faces]


def test_a_hold_is_given_up_with_two_touches_and_the_round_is_void(open_page: Open, tmp_path: Path) -> None:
    with simulated(tmp_path, "lunar-poker", "--fault", "birch:unreadable@draw=9") as table:
        page = open_page(390, 844)
        table.enter(page)
        person = Person(page)
        person.play(lambda: page.locator("#now.held").count() > 0)
        held = page.locator("#answers").get_attribute("data-key")
        page.get_by_text("Give it up").click()
        assert page.locator("#answers").get_attribute("data-key") == held  # one touch does nothing yet
        page.get_by_role("button", name="It is given up").click()
        deal_step = ".".join((held or "").split(".")[:2])
        other = "step => !document.getElementById('answers').dataset.key.startsWith(step + '.')"
        page.wait_for_function(other, arg=deal_step)
        page.wait_for_selector("#now.held")
        with Reader(table.journal) as journal:
            said = [entry.body["step"].get("text", "") for entry in journal.entries() if entry.kind == "step"]
        assert any("round is void" in text for text in said)
        seen = hidden(table)  # the shoe is not closed before the card has a name
        name_it(page, next(str(card) for card in STANDARD if str(card) not in seen))
        page.wait_for_selector("#now:not(.held)")


def test_who_does_not_match_is_told_so_and_may_try_again(dealt: Daemon, open_page: Open) -> None:
    page = open_page(390, 844)
    page.goto(f"{dealt.address}/")
    page.get_by_label("Operator number").fill("4711")
    page.get_by_label("PIN").fill("0000")
    page.keyboard.press("Enter")
    page.wait_for_selector("#why")
    assert faults(page) == []
    page.wait_for_timeout(FIRST_DELAY_S * 1000 + 200)  # so long no try is taken after a wrong one
    page.get_by_label("PIN").fill(DEALER[1])
    page.keyboard.press("Enter")
    page.wait_for_selector("#say")
