"""Who may do what: every route, for nobody, an observer, a dealer, a floorperson, by session and by token."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoectl.console.settings import Settings

from .sitting import Browser, Sitting, sitting

ROLES = {"nobody": 0, "observer": 1, "dealer": 4711, "floor": 815}
LOOKS = ("/api/v1/me", "/api/v1/view", "/api/v1/steps", "/api/v1/devices", "/parts/dealer", "/parts/pit")
OPEN = ("/healthz", "/metrics", "/api/v1/openapi.json", "/signin")


async def come(sat: Sitting, who: str, by_token: bool) -> Browser:
    if who == "nobody":
        return sat.browser()
    return sat.program(ROLES[who]) if by_token else await sat.signed_in(ROLES[who])


@pytest.mark.parametrize("by_token", [False, True])
@pytest.mark.parametrize("who", ROLES)
async def test_whoever_is_signed_in_sees_the_table_and_nobody_else(tmp_path: Path, who: str, by_token: bool) -> None:
    async with sitting(tmp_path) as sat:
        browser = await come(sat, who, by_token)
        for path in LOOKS:
            assert (await browser.get(path)).status_code == (401 if who == "nobody" else 200), path
        for path in ("/", "/pit"):
            assert (await browser.get(path)).status_code == (303 if who == "nobody" else 200), path
        for path in OPEN:
            assert (await browser.get(path)).status_code == 200, path


async def test_an_answer_of_401_says_how(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        for browser in (sat.browser(), sat.browser(token="4711.wrong"), sat.browser(token="x")):
            answer = await browser.get("/api/v1/view")
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
            assert set(answer.json()) == {"error", "rule"}


@pytest.mark.parametrize("by_token", [False, True])
@pytest.mark.parametrize("who", ROLES)
async def test_the_dealers_steps_are_the_dealers(tmp_path: Path, who: str, by_token: bool) -> None:
    async with sitting(tmp_path) as sat:
        await sat.until("wagers")
        before = sat.runner.journal.last
        browser = await come(sat, who, by_token)
        body = {"ref": sat.ref, "with": {"placed": [[1, "ante", 10]]}}
        answer = await browser.api("answer", body)
        assert answer.status_code == {"nobody": 401, "dealer": 200}.get(who, 403)
        assert (sat.runner.journal.last > before) is (who == "dealer")
        if who == "dealer":
            given = next(sat.runner.journal.newest("answer", 1))
            assert (given.n, given.body["by"]) == (answer.json()["entry"], "4711")


@pytest.mark.parametrize("by_token", [False, True])
@pytest.mark.parametrize("who", ROLES)
async def test_the_floors_steps_are_the_floors(tmp_path: Path, who: str, by_token: bool) -> None:
    async with sitting(tmp_path) as sat:
        await to_verify(sat)
        browser = await come(sat, who, by_token)
        answer = await browser.api("answer", {"ref": sat.ref, "with": {}})
        assert answer.status_code == {"nobody": 401, "floor": 200}.get(who, 403)
        if who == "floor":
            assert next(sat.runner.journal.newest("answer", 1)).body["by"] == "815"
        elif who != "nobody":
            assert "floorperson" in answer.json()["error"]


async def to_verify(sat: Sitting) -> None:
    """Play until a floorperson has to verify a payment."""
    await sat.until("wagers")
    dealer = sat.program(4711)
    await dealer.api("answer", {"ref": sat.ref, "with": {"placed": [[1, "ante", 10], [1, "super:1", 5]]}})
    for card in ("As", "2d", "Ks", "3d", "Qd", "4d", "9h", "5d", "8c", "7d"):
        assert (await dealer.api("answer", {"ref": sat.ref, "with": {"card": card}})).status_code == 200
    await dealer.api("answer", {"ref": sat.ref, "with": {"choice": "bet"}})
    await dealer.api("answer", {"ref": sat.ref, "with": {}})
    assert sat.do == "verify"


@pytest.mark.parametrize("who", ROLES)
async def test_reports_and_calls_are_the_dealers_and_the_floors(tmp_path: Path, who: str) -> None:
    async with sitting(tmp_path) as sat:
        await sat.until("ask")
        browser = await come(sat, who, by_token=True)
        good = {"nobody": 401, "observer": 403}
        assert (await browser.api("call-floor", {})).status_code == good.get(who, 204)
        assert (sat.face.called is not None) is (who == "dealer")
        body = {"ref": sat.ref, "what": "exposed", "at": "seat 1"}
        answer = await browser.api("report", body)
        assert answer.status_code == good.get(who, 200), answer.text
        if who in ("dealer", "floor"):
            thrown = next(sat.runner.journal.newest("irregularity", 1)).body
            assert thrown["text"].endswith(f"says {ROLES[who]}")


@pytest.mark.parametrize("who", ROLES)
async def test_a_hold_is_gone_on_with_by_both_and_given_up_by_the_floor(tmp_path: Path, who: str) -> None:
    async with sitting(tmp_path) as sat:
        await sat.until("deal")
        step = sat.runner.open
        assert step is not None
        browser = await come(sat, who, by_token=True)
        no = {"nobody": 401, "observer": 403}
        await step.hold("jam 1, 1", "the shoe is jammed")
        answer = await browser.api("held", {"ref": sat.ref, "how": "go on"})
        assert answer.status_code == no.get(who, 200)
        await step.hold("jam 1, 2", "the shoe is jammed")
        answer = await browser.api("held", {"ref": sat.ref, "how": "give up"})
        assert answer.status_code == (no | {"dealer": 403}).get(who, 200)
        if who == "floor":
            assert next(sat.runner.journal.newest("held", 1)).body["by"] == ["815"]


async def test_elsewhere_than_on_loopback_monitors_sign_in_too(tmp_path: Path) -> None:
    beyond = Settings(hosts=("table7.club.example",), secure=True, local=False)
    async with sitting(tmp_path, settings=beyond) as sat:
        for path in ("/healthz", "/metrics", "/api/v1/openapi.json"):
            stranger = sat.browser(host="table7.club.example")
            assert (await stranger.get(path)).status_code == 401
            monitor = sat.browser(host="table7.club.example", token="1.token-of-a-program")
            assert (await monitor.get(path)).status_code == 200


async def test_someone_at_a_simulated_table_signs_for_the_floor_too(tmp_path: Path) -> None:
    async with sitting(tmp_path, also_floor=815) as sat:
        browser = sat.browser()
        link = sat.people.make_link(4711)
        assert (await browser.get(f"/signin?link={link}")).status_code == 303
        await browser.look()
        assert (await browser.act("call-floor")).status_code == 303
        await to_verify(sat)
        assert (await browser.act("answer", ref=sat.ref)).status_code == 303
        assert next(sat.runner.journal.newest("answer", 1)).body["by"] == "815"
        assert (await sat.browser().get(f"/signin?link={link}")).status_code == 401


async def test_a_link_works_once_and_not_for_ever(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        link = sat.people.make_link(4711)
        assert (await sat.browser().get("/signin?link=wrong")).status_code == 401
        assert (await sat.browser().client.head(f"/signin?link={link}")).status_code == 405
        sat.clock.now += 1801
        late = await sat.browser().get(f"/signin?link={link}")
        assert late.status_code == 401
        assert "time is over" in late.text


async def test_two_persons_name_a_card_that_nobody_could_read(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        await sat.until("deal")
        step = sat.runner.open
        assert step is not None
        await step.hold("unreadable 1, 1", "draw 1 could not be read")
        dealer = await sat.signed_in(4711)
        before = sat.runner.journal.last
        card = {"ref": sat.ref, "how": "card", "card": "As"}
        for second, status in (
            (None, 422),
            ({"operator": "815", "pin": "0000"}, 403),
            ({"operator": "4711", "pin": "2580"}, 422),
            ({"operator": "1", "pin": "5512"}, 403),
        ):
            sat.clock.now += 60
            answer = await dealer.api("held", card | ({"second": second} if second else {}))
            assert answer.status_code == status, answer.text
            assert "As" not in answer.text
        assert sat.runner.journal.last == before
        sat.clock.now += 60
        answer = await dealer.api("held", card | {"second": {"operator": "815", "pin": "7391"}})
        assert answer.status_code == 200
        assert next(sat.runner.journal.newest("held", 1)).body["by"] == ["4711", "815"]


async def test_a_floorperson_signs_at_the_dealers_page(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        await to_verify(sat)
        dealer = await sat.signed_in(4711)
        refused = await dealer.act("answer", ref=sat.ref)
        assert refused.status_code == 403
        assert "floorperson answers this" in refused.text
        wrong = await dealer.act("answer", ref=sat.ref, floor="815", pin="1111")
        assert wrong.status_code == 403
        assert "4 tries left" in wrong.text
        sat.clock.now += 1
        assert (await dealer.act("answer", ref=sat.ref, floor="4712", pin="8642")).status_code == 403
        assert sat.do == "verify"
        assert (await dealer.act("answer", ref=sat.ref, floor="815", pin="7391")).status_code == 303
        assert next(sat.runner.journal.newest("answer", 1)).body["by"] == "815"
