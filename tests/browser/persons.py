"""A person at a page: answers whatever it asks, by mouse or by keyboard, and notices when nothing goes on."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

from playwright.sync_api import Locator, Page

STILL_S = 40.0  # nothing has changed for so long: a dead end
PAUSE_S = 0.3  # a page takes no second press within a quarter of a second
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

    def play(self, until: Callable[[], bool]) -> None:
        """Answer until it is so. Raises AssertionError at a dead end."""
        last, since = "", time.monotonic()
        while not until():
            state = self._state()
            if state != last:
                last, since = state, time.monotonic()
                self._read()
            if time.monotonic() - since > STILL_S:
                raise AssertionError(f"a dead end at {self.say()!r}: {self.page.inner_text('#now')}")
            if not self.answer():
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
        form = self.page.locator("#sheet form[data-form], #answers form[data-form]")
        if not form.count():
            return False
        key = self.page.locator("#answers").get_attribute("data-key")
        self._fill(form.first)
        self._enter(form.first)
        self._gone_on(key or "")
        return True

    def _fill(self, form: Locator) -> None:
        if form.locator("[data-count]").count():
            self._count("52")
        radios = form.locator(".choices:not(.chipset) input[type=radio]")
        if radios.count():
            at = self.choose([one.strip() for one in form.locator(".choice").all_inner_texts()])
            self._take(radios.nth(at))
        for field_ in form.locator("input[data-kind=cards][required]").all():
            most = int(field_.get_attribute("data-most") or 1)
            self._type(field_, " ".join(self.faces.pop() for _ in range(most)))
        for field_ in form.locator("input[data-kind=number][required]").all():
            self._type(field_, "1")

    def _take(self, radio: Locator) -> None:
        letter = radio.get_attribute("aria-keyshortcuts")
        if self.keyboard and letter:
            self.page.keyboard.press(letter)
        else:
            radio.locator("xpath=..").click()

    def _type(self, where: Locator, text: str) -> None:
        where.focus()
        self.page.keyboard.type(text)

    def _count(self, number: str) -> None:
        if self.keyboard:
            self.page.keyboard.type(number)
        else:
            for digit in number:
                self.page.locator(f"[data-digit='{digit}']").click()

    def _enter(self, form: Locator) -> None:
        if self.keyboard:
            self.page.keyboard.press("Enter")
        else:
            form.locator(".btn.go").click()

    def _gone_on(self, key: str) -> None:
        """Wait until the page has taken it."""
        end = time.monotonic() + PAUSE_S
        while time.monotonic() < end or self.page.locator("form[aria-busy=true]").count():
            self.page.wait_for_timeout(20)
            if self.page.locator("#answers").get_attribute("data-key") != key and time.monotonic() > end:
                return
