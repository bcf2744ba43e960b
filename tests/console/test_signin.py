"""Signing in: how often one may try, what ends a session, and that a damaged register lets nobody in."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from shoectl.people.attempts import ADDRESS_TRIES, FIRST_DELAY_S, LOCKED_S, STRANGERS_MOST, TRIES, Attempts, TooMany
from shoectl.people.numbers import NOBODY, operator_number
from shoectl.people.register import Record, Register, write
from shoectl.people.sessions import ABSOLUTE_S, OF_ONE_MOST

from .sitting import PINS, ROLES, people, sitting


async def test_the_tries_that_are_left_are_told_and_then_the_operator_is_locked(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        browser = sat.browser()
        for left in range(TRIES - 1, 0, -1):
            answer = await browser.sign_in(4711, "0000")
            assert answer.status_code == 401
            assert f"{left} {'try' if left == 1 else 'tries'} left" in answer.text
            sat.clock.now += 60
        assert "Locked for 10 minutes" in (await browser.sign_in(4711, "0000")).text
        for address in ("127.0.0.1", "10.0.0.9"):
            locked = await sat.browser(address).sign_in(4711)
            assert locked.status_code == 429
            assert "Locked for" in locked.text
        assert (await sat.browser().sign_in(4712)).status_code == 303, "others sign in"
        sat.clock.now += LOCKED_S + 1
        assert (await browser.sign_in(4711)).status_code == 303


async def test_the_next_try_waits_longer_each_time(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        browser = sat.browser()
        for wrong in range(1, 4):
            assert (await browser.sign_in(4711, "0000")).status_code == 401
            sat.clock.now += FIRST_DELAY_S * 2 ** (wrong - 1) - 0.01
            assert (await browser.sign_in(4711)).status_code == 429, "too early, though it is the right PIN"
            sat.clock.now += 0.02
        assert (await browser.sign_in(4711)).status_code == 303
        assert "4 tries left" in (await browser.sign_in(4711, "0000")).text, "the right PIN sets the count back"


async def test_a_number_that_nobody_has_is_answered_like_one_that_somebody_has(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        said: list[tuple[int, str]] = []
        for number in ("4711", "9999", "", "4711 or 1=1", "²", "-1", "99999999999999999999"):
            fields = {"operator": number, "pin": "0000"}
            answer = await sat.browser(f"10.0.0.{len(said)}").client.post("/signin", data=fields)
            said.append((answer.status_code, answer.text.partition("do not match. ")[2].partition("<")[0]))
            sat.clock.now += 60
        tries = [(401, f"{left} {'try' if left == 1 else 'tries'} left.") for left in (4, 4, 4, 3, 2, 1)]
        assert said == [*tries, (401, "Locked for 10 minutes.")], "whatever is no number is one number that nobody has"


async def test_tries_at_once_are_as_many_as_one_after_the_other(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        browsers = [sat.browser(f"10.0.0.{at}") for at in range(12)]
        fields = [{"operator": "4711", "pin": f"{at:04d}"} for at in range(11)] + [
            {"operator": "4711", "pin": PINS[4711]}
        ]
        answers = await asyncio.gather(
            *(browser.client.post("/signin", data=given) for browser, given in zip(browsers, fields, strict=True))
        )
        assert sorted(answer.status_code for answer in answers) == [401] + [429] * 11


async def test_one_address_cannot_try_every_operator(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        for at in range(ADDRESS_TRIES):
            assert (await sat.browser("10.0.0.7").sign_in(20_000 + at, "0000")).status_code == 401
        assert (await sat.browser("10.0.0.7").sign_in(4711)).status_code == 429
        assert (await sat.browser("10.0.0.8").sign_in(4711)).status_code == 303


def test_an_address_is_not_locked_by_a_right_pin_whatever_was_wrong_before() -> None:
    attempts = Attempts(lambda: 0.0)
    for at in range(ADDRESS_TRIES - 1):
        attempts.count(20_000 + at, "127.0.0.1", known=False)
    for _ in range(3):
        attempts.check(4711, "127.0.0.1", known=True)
        attempts.count(4711, "127.0.0.1", known=True)
        attempts.succeeded(4711, "127.0.0.1")
    attempts.check(815, "127.0.0.1", known=True)
    attempts.count(30_000, "127.0.0.1", known=False)
    with pytest.raises(TooMany):
        attempts.check(815, "127.0.0.1", known=True)


def test_what_somebody_mistyped_long_ago_is_forgotten() -> None:
    clock = [0.0]
    attempts = Attempts(lambda: clock[0])
    for _ in range(3 * ADDRESS_TRIES):
        attempts.check(4711, "127.0.0.1", known=True)
        attempts.count(4711, "127.0.0.1", known=True)
        clock[0] += LOCKED_S


def test_what_is_remembered_of_strangers_is_bounded_and_operators_are_not_forgotten() -> None:
    attempts = Attempts(lambda: 0.0)
    for _ in range(TRIES):
        attempts.count(4711, "10.0.0.1", known=True)
    for at in range(3 * STRANGERS_MOST):
        attempts.count(10**6 + at, f"10.1.{at // 250}.{at % 250}", known=False)
    assert len(attempts._strangers) == len(attempts._addresses) == STRANGERS_MOST
    with pytest.raises(TooMany) as locked:
        attempts.check(4711, "10.9.9.9", known=True)
    assert locked.value.wait == LOCKED_S


async def test_a_session_ends_when_nobody_touches_it_and_looking_on_is_no_touch(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        busy, idle = await sat.signed_in(4711), await sat.signed_in(815)
        for _ in range(3):
            sat.clock.now += 400
            assert (await busy.get("/")).status_code == 200
            status = (await idle.get("/parts/pit")).status_code
            await idle.get("/api/v1/view")
        assert status == 401
        assert (await idle.get("/")).status_code == 303
        assert (await busy.get("/")).status_code == 200


async def test_a_session_ends_after_a_shift_however_busy(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        browser = await sat.signed_in(4711)
        for _ in range(int(ABSOLUTE_S // 600)):
            sat.clock.now += 600
            assert (await browser.get("/")).status_code == 200
        sat.clock.now += 600
        assert (await browser.get("/")).status_code == 303


async def test_signing_out_ends_the_session_at_the_table_too(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        browser = await sat.signed_in(4711)
        cookie = dict(browser.client.cookies)
        answer = await browser.client.post("/signout", data={"token": browser.token})
        assert (answer.status_code, answer.headers["location"]) == (303, "/signin")
        assert not browser.client.cookies
        again = sat.browser()
        again.client.cookies.update(cookie)
        assert (await again.get("/")).status_code == 303


async def test_each_sign_in_is_a_session_of_its_own_and_one_person_has_not_too_many(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        first = sat.browser()
        chosen = {"Cookie": f"{sat.face.settings.cookie}=chosen-by-somebody-else"}
        await first.client.post("/signin", data={"operator": "4711", "pin": PINS[4711]}, headers=chosen)
        assert (await first.get("/")).status_code == 200
        assert (await sat.browser().get("/", **chosen)).status_code == 303
        more = [await sat.signed_in(4711) for _ in range(OF_ONE_MOST)]
        assert (await first.get("/")).status_code == 303, "the oldest ended"
        assert {(await one.get("/")).status_code for one in more} == {200}


async def test_a_change_in_the_register_ends_sessions_at_once(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    everybody = {number: people(number) for number in ROLES}
    write(file, list(everybody.values()))
    async with sitting(tmp_path, register=Register(file)) as sat:
        for change in ({"role": "observer"}, {"pin": everybody[815].pin}, None):
            write(file, list(everybody.values()))
            browser, program = await sat.signed_in(4711), sat.program(4711)
            assert (await browser.get("/")).status_code == (await program.get("/api/v1/view")).status_code == 200
            new = {k: one for k, one in everybody.items() if k != 4711}
            if change is not None:
                new[4711] = everybody[4711].model_copy(update=change)
            write(file, list(new.values()))
            assert (await browser.get("/")).status_code == 303
            assert (await program.get("/api/v1/view")).status_code == (401 if change is None else 200)


async def test_a_new_token_ends_no_session_and_the_old_one_is_void(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    write(file, [people(4711)])
    async with sitting(tmp_path, register=Register(file)) as sat:
        browser, program = await sat.signed_in(4711), sat.program(4711)
        write(file, [people(4711).model_copy(update={"pin": sat.people.register.find(4711).pin, "token": None})])  # type: ignore[union-attr]
        assert (await browser.get("/")).status_code == 200
        assert (await program.get("/api/v1/view")).status_code == 401


async def test_a_register_that_cannot_be_read_lets_nobody_in_and_does_not_say_where_it_is(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    write(file, [people(4711)])
    async with sitting(tmp_path, register=Register(file)) as sat:
        browser, program = await sat.signed_in(4711), sat.program(4711)
        file.write_text("{")
        for answer in (
            await browser.get("/"),
            await program.get("/api/v1/view"),
            await sat.browser().sign_in(4711),
            await browser.act("call-floor"),
        ):
            assert answer.status_code == 503
            assert "people.json" not in answer.text
        assert (await sat.browser().get("/healthz")).status_code == 200, "the table plays on"
        write(file, [people(4711)])
        assert (await program.get("/api/v1/view")).status_code == 200


async def test_someone_without_a_pin_does_not_sign_in_by_an_empty_one(tmp_path: Path) -> None:
    nobody = Register(people=[Record(number=7, name="x", role="dealer")])
    async with sitting(tmp_path, register=nobody) as sat:
        for pin in ("", "0000"):
            assert (await sat.browser().sign_in(7, pin)).status_code == 401
            sat.clock.now += 60
        assert (await sat.browser(token="7.").get("/api/v1/view")).status_code == 401


async def test_roles_are_told_to_other_faces_by_number(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        of = sat.people.register.role_of
        roles = [of(by) for by in ("4711", "815", "1", "99", "dealer", "", "04711", "٤٧١١", "seat 1")]
        assert roles == ["dealer", "floor", "observer", None, None, None, None, None, None]


async def test_a_number_is_written_in_one_way_wherever_somebody_says_who_he_is(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        for written in ("0815", "00815", "+815", "８１５"):
            assert (await sat.browser().sign_in(written, PINS[815])).status_code == 401
            assert sat.people.register.role_of(written) is None
            sat.clock.now += 60
        assert (await sat.browser().sign_in(" 815 ", PINS[815])).status_code == 303


@pytest.mark.parametrize("text", ["", "0", "0815", "+815", "-815", " 815", "8_15", "8.15", "٨١٥", "8" * 10, "floor"])
def test_a_text_that_is_no_number_is_nobody(text: str) -> None:
    assert operator_number(text) == NOBODY
    assert [operator_number(good) for good in ("1", "815", "65535")] == [1, 815, 65535]
