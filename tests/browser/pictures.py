"""Pictures of the pages, taken from real daemons: `python -m tests.browser.pictures [FOLDER]`.

They are in docs/screenshots/, and the README shows some. The tests of the pages take theirs in the same way, so what
they check is what is shown. Exit code 1: axe found something grave on one of them.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from .axes import faults
from .conftest import CHROMIUM
from .scenes import SCENES, Scene

SCHEMES = ("light", "dark")
HERE = Path(__file__).parent.parent.parent / "docs" / "screenshots"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's browser."""
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


def take(page: Page, file: Path, *, whole: bool) -> None:
    """One picture, without what changes at every look: the clock."""
    page.evaluate("for (const one of document.querySelectorAll('[data-clock]')) one.textContent = '14:27'")
    page.screenshot(path=file, full_page=whole, animations="disabled")


def pictures(browser: Browser, folder: Path, scenes: list[Scene]) -> Iterator[tuple[Path, list[str]]]:
    """Every scene in both schemes, and what keeps people from using it."""
    for scene in scenes:
        with tempfile.TemporaryDirectory() as place:
            context = browser.new_context(viewport={"width": scene.width, "height": scene.height})
            with scene.stage(Path(place), context.new_page()) as page:
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)
                    file = folder / f"{scene.name}-{scheme}.png"
                    take(page, file, whole=scene.whole)
                    yield file, faults(page, scheme)
            context.close()


def main() -> None:
    """Take them all, or those that are named."""
    wanted = [scene for scene in SCENES if not sys.argv[1:] or scene.name in sys.argv[1:]]
    HERE.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        found = [*_told(pictures(browser, HERE, wanted))]
    sys.exit(1 if any(found) else 0)


def _told(taken: Iterator[tuple[Path, list[str]]]) -> Iterator[list[str]]:
    for file, grave in taken:
        print(file.relative_to(HERE.parent.parent), f"{file.stat().st_size // 1024} KB", *grave)
        yield grave


if __name__ == "__main__":
    main()
