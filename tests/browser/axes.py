"""axe on a page: what keeps people from using it."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

GRAVE = ("serious", "critical")


def faults(page: Page, *schemes: str) -> list[str]:
    """Serious and critical violations, each with the first element concerned; in both schemes if none is named."""
    found = []
    for scheme in schemes or ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for one in Axe().run(page).response["violations"]:
            if one["impact"] in GRAVE:
                found.append(f"{scheme} {one['id']}: {one['nodes'][0]['html'][:160]} ({len(one['nodes'])})")
    return found
