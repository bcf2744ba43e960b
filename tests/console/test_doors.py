"""What does not get in: another site's pages, a name that is not ours, what is too long; what every answer carries."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shoectl.console import web
from shoectl.console.settings import Settings

from .sitting import FORM, HOST, OWN, PINS, Sitting, sitting

PATHS = ("/", "/pit", "/signin", "/parts/dealer", "/api/v1/view", "/nothing", "/healthz", "/metrics", "/api/v1/nothing")
WAGERS = {"wager-1-ante": "10"}


async def wagers(sat: Sitting, **headers: str) -> tuple[int, bool]:
    """The dealer's form for wagers, sent with these headers: the status, and whether it was done."""
    dealer = await sat.signed_in(4711)
    await sat.until("wagers")
    before = sat.runner.journal.last
    fields = {"token": dealer.token, "ref": sat.ref, **WAGERS}
    answer = await dealer.client.post("/act/answer", data=fields, headers=headers)
    return answer.status_code, sat.runner.journal.last > before


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "https://127.0.0.1:8080"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": OWN},
    ],
)
async def test_another_sites_page_changes_nothing(tmp_path: Path, headers: dict[str, str]) -> None:
    async with sitting(tmp_path) as sat:
        assert await wagers(sat, **headers) == (403, False)
        assert sat.face.counts.refused == 1


@pytest.mark.parametrize("headers", [{}, {"Origin": OWN}, {"Sec-Fetch-Site": "same-origin", "Origin": OWN}])
async def test_our_own_page_does(tmp_path: Path, headers: dict[str, str]) -> None:
    async with sitting(tmp_path) as sat:
        assert await wagers(sat, **headers) == (303, True)


async def test_a_change_brings_the_sessions_token_back(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        dealer, other = await sat.signed_in(4711), await sat.signed_in(4712)
        await sat.until("wagers")
        before, body = sat.runner.journal.last, {"ref": sat.ref, "with": {"placed": [[1, "ante", 10]]}}
        own = dealer.token
        for token in ("", other.token, own[:-1]):
            dealer.token = token
            assert (await dealer.act("answer", ref=sat.ref, **WAGERS)).status_code == 403
            assert (await dealer.api("answer", body)).status_code == 403
            assert (await dealer.client.post("/signout", data={"token": token}, headers=FORM)).status_code == 403
        assert sat.runner.journal.last == before
        dealer.token = own
        assert (await dealer.api("answer", body)).status_code == 200


async def test_a_form_that_is_json_is_no_form(tmp_path: Path) -> None:
    """A page of another site may send text without asking first; a form is the one kind that our pages send."""
    async with sitting(tmp_path) as sat:
        dealer = await sat.signed_in(4711)
        for kind in ("text/plain", "application/json", "multipart/form-data; boundary=x", ""):
            answer = await dealer.client.post(
                "/act/call-floor", content=f"token={dealer.token}", headers={"Content-Type": kind}
            )
            assert answer.status_code == 400, kind
        assert sat.face.called is None


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "127.0.0.1", "127.0.0.1:8081", "127.0.0.1:8080.evil.example", ""]
)
async def test_a_name_that_is_not_ours_is_refused(tmp_path: Path, host: str) -> None:
    async with sitting(tmp_path) as sat:
        for path in PATHS:
            answer = await sat.browser().get(path, Host=host)
            assert answer.status_code == 421, path
            assert "Table 7" not in answer.text


async def test_a_certificates_wildcard_stands_for_one_label(tmp_path: Path) -> None:
    settings = Settings(hosts=("*.club.example:8443",), secure=True)
    async with sitting(tmp_path, settings=settings) as sat:
        for host, status in (
            ("t7.club.example:8443", 200),
            ("a.b.club.example:8443", 421),
            (".club.example:8443", 421),
        ):
            assert (await sat.browser().get("/signin", Host=host)).status_code == status


@pytest.mark.parametrize("secure", [False, True])
async def test_every_answer_carries_the_same_headers(tmp_path: Path, secure: bool) -> None:
    settings = Settings(hosts=(HOST,), secure=secure, cookie="__Host-shoectl" if secure else "shoectl")
    async with sitting(tmp_path, settings=settings) as sat:
        browser = sat.browser()
        answers = [await browser.get(path) for path in PATHS]
        answers.append(await browser.get("/", Host="evil.example"))
        answers.append(await browser.client.post("/signin", content=b"x" * 20_000, headers=FORM))
        answers.append(await browser.client.put("/"))
        for answer in answers:
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert "frame-ancestors 'none'" in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["cache-control"] == "no-store"
            assert answer.headers["referrer-policy"] == "same-origin"
            assert ("strict-transport-security" in answer.headers) is secure
            assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("secure", [False, True])
async def test_the_cookie_is_for_this_site_and_no_script(tmp_path: Path, secure: bool) -> None:
    settings = Settings(hosts=(HOST,), secure=secure, cookie="__Host-shoectl-8080" if secure else "shoectl-8080")
    async with sitting(tmp_path, settings=settings) as sat:
        fields = {"operator": "4711", "pin": PINS[4711]}
        answer = await sat.browser().client.post("/signin", data=fields, headers={"Content-Type": FORM["Content-Type"]})
        cookie = answer.headers["set-cookie"].lower()
        assert all(word in cookie for word in ("httponly", "samesite=strict", "path=/"))
        assert ("; secure" in cookie) is secure
        assert "domain" not in cookie
        assert "max-age" not in cookie, "it ends with the browser"


async def test_no_page_holds_a_script_or_a_style_of_its_own(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        dealer = await sat.signed_in(4711)
        for path in ("/", "/pit", "/signin", "/nothing", "/parts/dealer", "/parts/pit"):
            text = (await dealer.get(path)).text.lower()
            assert " style=" not in text
            assert "<style" not in text
            assert "javascript:" not in text
            assert " on" + "click=" not in text
            assert all("src=" in script.partition(">")[0] for script in text.split("<script")[1:])


async def test_what_is_too_long_is_refused_before_it_is_read(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        browser = sat.program(4711)

        async def endless() -> AsyncIterator[bytes]:
            for _ in range(100):
                yield b"x" * 1000

        for content in (b"x" * 20_000, endless()):
            answer = await browser.client.post("/api/v1/answer", content=content)
            assert (answer.status_code, set(answer.json())) == (413, {"error"})
        many = "&".join(f"wager-1-w{at}=1" for at in range(300))
        assert (await browser.client.post("/act/answer", content=many, headers=FORM)).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"ref": 7, "with": {}}',
        b'{"ref": "1.1.0", "with": {}, "by": "floor"}',
        b"\xff",
        b'{"ref"',
        b"[" * 5000,
        b'{"ref": "1.1.0", "with": "As"}',
        b'{"ref": "As Kd Qh", "with": []}',
    ],
)
async def test_json_of_any_kind_is_one_line(tmp_path: Path, body: bytes) -> None:
    async with sitting(tmp_path) as sat:
        program = sat.program(4711)
        for what in ("answer", "held", "report"):
            answer = await program.client.post(f"/api/v1/{what}", content=body)
            assert answer.status_code == 400, answer.text
            assert set(answer.json()) == {"error", "rule"}
            assert "\n" not in answer.json()["error"]
            assert "As" not in answer.text
        assert sat.face.counts.faults == 0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"ref": "9.9.9", "ref": "%b", "with": {"placed": [[1, "ante", 10]]}}', "the key ref stands there twice"),
        (b'{"ref": "%b", "with": {"placed": [], "placed": [[1, "ante", 10]]}}', "the key placed stands there twice"),
        (b'{"ref": "%b", "with": {"As": 1, "As": 2}}', "a key stands there twice"),
        (b'{"ref": "%b", "with": {"placed": NaN}}', "not JSON that can be read: NaN is no number of JSON"),
        (b'{"ref": "%b", "with": ' + b'{"a":' * 3_000, "not JSON that can be read: nested too deeply"),
        (b'{"ref": "%b", "with": \xff}', "not JSON that can be read: it is no UTF-8 text"),
        (b'{"ref": "%b", "with": ' + b"9" * 6_000, "not JSON that can be read: Exceeds the limit (4300 digits) for"),
    ],
)
async def test_json_that_can_be_read_in_two_ways_or_in_none_says_nothing(
    tmp_path: Path, body: bytes, said: str
) -> None:
    async with sitting(tmp_path) as sat:
        await sat.until("wagers")
        before = sat.runner.journal.last
        body = body.replace(b"%b", sat.ref.encode())
        answer = await sat.program(4711).client.post("/api/v1/answer", content=body)
        assert (answer.status_code, sat.runner.journal.last) == (400, before)
        assert answer.json()["error"].startswith(said)


async def test_what_breaks_inside_is_told_without_its_insides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError(" of ".join(("A" + "s", "a hand")))

    async with sitting(tmp_path) as sat:
        browser = await sat.signed_in(4711)
        monkeypatch.setattr(sat.face, "view", broken)
        with caplog.at_level(logging.DEBUG):
            for path in ("/", "/api/v1/view"):
                answer = await browser.get(path)
                assert answer.status_code == 500
                assert "As" not in answer.text
                assert "Error" not in answer.text
                assert "console" not in answer.text
        assert sat.face.counts.faults == 2
        assert "RuntimeError" in caplog.text
        assert "As" not in caplog.text
        monkeypatch.undo()
        assert (await browser.get("/")).status_code == 200


async def test_an_act_leads_back_to_one_of_our_pages_and_nowhere_else(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        dealer = await sat.signed_in(4711)
        for back, to in (
            ("/pit", "/pit"),
            ("/", "/"),
            ("https://evil.example", "/"),
            ("//evil.example", "/"),
            ("", "/"),
        ):
            answer = await dealer.act("call-floor", back=back)
            assert (answer.status_code, answer.headers["location"]) == (303, to)
        assert set(web.PAGES) == {"/", "/pit"}
