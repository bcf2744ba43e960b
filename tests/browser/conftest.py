"""One browser for all tests of this folder: Debian's own, nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"


# Until the last test here and no longer: its loop runs in this thread, and no other may run beside it.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages, each signed in for itself; none of them may have met an error in its script or its policy."""
    contexts, errors = [], []

    def make(width: int = 1280, height: int = 800, scheme: str = "light", **more: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if _bad(message) else None)
        return page

    yield make
    for context in contexts:
        context.close()
    assert errors == []


def _bad(message: object) -> bool:
    """Whether the browser complains of the page itself, and not of a refused answer or a table that has ended."""
    return message.type == "error" and not any(one in message.text for one in ("status of 4", "net::ERR"))
