"""The pages are served to those who are signed in, and lead the others to the sign-in."""

from __future__ import annotations

from pathlib import Path

from .sitting import sitting


async def test_pages_lead_to_the_sign_in_and_back(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        browser = sat.browser()
        for page in ("/", "/pit"):
            answer = await browser.get(page)
            assert (answer.status_code, answer.headers["location"]) == (303, "/signin")
        assert (await browser.get("/signin")).status_code == 200
        assert (await browser.get("/parts/dealer")).status_code == 401
        answer = await browser.sign_in(4711)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        for page in ("/", "/pit", "/parts/dealer", "/parts/pit"):
            assert (await browser.get(page)).status_code == 200
        whole, part = (await browser.get("/")).text, (await browser.get("/parts/dealer")).text
        assert "<html" in whole
        assert "<html" not in part
        assert part.strip() in whole
