"""A person at a page: answers whatever it asks, by mouse or by keyboard, and notices when nothing goes on."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from random import Random

from playwright.sync_api import Error as MovedOn
from playwright.sync_api import Locator, Page

from .tables import FLOOR

STILL_S = 40.0  # nothing has changed for so long: a dead end
PAUSE_S = 0.27  # a page takes no second press of Enter within a quarter of a second
TAKEN_S = 5.0
TOUCH_MS = 1500.0
FEW = 12  # faces left that are too few for a place
MOST = 300  # answers: more than a few rounds take
DECK = [f"{rank}{suit}" for suit, rank in product("shdc", "23456789TJQKA")]


@dataclass
class Person:
    """One at a page. `choose` picks among a decision's buttons, by their texts; `seen` are the sentences that it read.

    Where faces have to be entered they are taken from `faces`, from the top.
    """

    page: Page
    keyboard: bool = False
    choose: Callable[[list[str]], int] = lambda texts: 0
    faces: list[str] = field(default_factory=lambda: list(DECK))
    seen: list[str] = field(default_factory=list)
    watch: Callable[[str], None] = lambda say: None
    luck: Random | None = None  # what to do about a hold; without it holds are left to whoever plays

    def play(self, until: Callable[[], bool]) -> None:
        """Answer until it is so. Raises AssertionError at a dead end."""
        last, since, answers = "", time.monotonic(), 0
        while not until():
            state = self._state()
            if state != last:
                last, since = state, time.monotonic()
                self._read()
            if time.monotonic() - since > STILL_S:
                raise AssertionError(f"a dead end at {self.say()!r}: {self.page.inner_text('#now')}")
            if self.answer():
                answers += 1
                assert answers < MOST, f"no end after {answers} answers: {self.seen[:30]}"
            else:
                self.page.wait_for_timeout(60)

    def say(self) -> str:
        """The instruction."""
        sheet = self.page.locator("#ask")
        return sheet.inner_text() if sheet.count() else self.page.locator("#say").inner_text()

    @property
    def round(self) -> int:
        """The round that the page shows."""
        return int(re.search(r"round (\d+)", self.page.locator("h1").inner_text()).group(1))

    def _state(self) -> str:
        return f"{self.page.locator('h1').inner_text()} {self.say()} {self.page.locator('#foot').inner_text()}"

    def _read(self) -> None:
        if (say := self.say()) not in self.seen[-1:]:
            self.seen.append(say)
            self.watch(say)

    def answer(self) -> bool:
        """Answer what is asked now. Whether there was anything to answer."""
        if self.luck is not None and self.page.locator("#now.held").count():
            return self._end_hold(self.luck)
        form = self.page.locator("#sheet form[data-form], #answers form[data-form]")
        if not form.count():
            return False
        try:
            self._fill(form.first)
            self._enter(form.first)
        except MovedOn:  # a player has answered meanwhile: look again
            return False
        self._gone_on()
        return True

    def _end_hold(self, luck: Random) -> bool:
        """Say that it is set right, or give it up. Whether there was anything to say."""
        ways = self.page.locator(".ways form:not(details form) .btn, .ways summary")
        if not ways.count():
            return False
        try:
            way = ways.nth(luck.randrange(ways.count()))
            way.click(timeout=TOUCH_MS)
            for name in ("cards", "again"):
                if self.page.locator(f".ways details[open] input[name={name}]").count():
                    self.page.locator(f".ways details[open] input[name={name}]").fill(self.faces[-1])
            sure = self.page.locator(".ways details[open] button")
            if sure.count():
                sure.first.click(timeout=TOUCH_MS)
                luck.shuffle(self.faces)  # one that is dealt already is refused, and another one is tried
        except MovedOn:
            return False
        self.page.wait_for_timeout(300)
        return True

    def _fill(self, form: Locator) -> None:
        if form.locator("[data-count]").count():
            self._count("52")
        radios = form.locator(".choices:not(.chipset) input[type=radio]")
        if radios.count():
            texts = [one.strip() for one in form.locator(".choice").all_inner_texts()]
            if not texts:
                raise MovedOn("another form is there already")
            at = self.choose(texts)
            self._take(radios.nth(at))
        if len(self.faces) < FEW and self.luck is not None:
            self.faces = list(DECK)  # of the next round
        for field_ in form.locator("input[data-kind=cards][required]").all():
            most = int(field_.get_attribute("data-most") or 1)
            self._type(field_, " ".join(self.faces.pop() for _ in range(most)))
        for name, value in zip(("floor", "pin"), FLOOR, strict=True):  # the floorperson comes and signs
            if form.locator(f"input[name={name}]").count():
                form.locator(f"input[name={name}]").fill(value)
        for field_ in form.locator("input[data-kind=number][required]").all():
            self._type(field_, "1")

    def _take(self, radio: Locator) -> None:
        letter = radio.get_attribute("aria-keyshortcuts", timeout=TOUCH_MS)
        if self.keyboard and letter:
            self.page.keyboard.press(letter)
        else:
            radio.locator("xpath=..").click(timeout=TOUCH_MS)

    def _type(self, where: Locator, text: str) -> None:
        where.focus()
        self.page.keyboard.type(text)

    def _count(self, number: str) -> None:
        if self.keyboard:
            self.page.keyboard.type(number)
        else:
            for digit in number:
                self.page.locator(f"[data-digit='{digit}']").click(timeout=TOUCH_MS)

    def _enter(self, form: Locator) -> None:
        if self.keyboard:
            self.page.keyboard.press("Enter")
        else:
            form.locator(".btn.go").click(timeout=TOUCH_MS)

    def _gone_on(self) -> None:
        """Wait until the page has taken it. Wagers go seat by seat, and the key stays."""
        self.page.wait_for_timeout(1000 * PAUSE_S if self.keyboard else 10)
        end = time.monotonic() + TAKEN_S
        while self.page.locator("#parts[aria-busy=true]").count() and time.monotonic() < end:
            self.page.wait_for_timeout(20)
