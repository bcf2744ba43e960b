"""`shoectl wire`, as users and checks call it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from shoectl.commands.wire import wire
from shoectl.commands.wire_session import Handshake
from shoectl.errors import BadInput
from tests.protocols.golden import Vector, plain, security, vectors

RST, RR = "7ec074367e", "7e8070747e"
ARM = "030501561f00b7040246ab"
DELIVER = "c55c011400000700060000002a000000b70403050000aaa728f2"
RESYNC = "1001" + "00" * 62
MAC = {"error": {"kind": "mac"}}


def call(*arguments: str, input: str = "") -> Result:
    return CliRunner().invoke(wire, arguments, input=input)


def lines(result: Result) -> list[object]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def by_side(lists: str) -> list[tuple[str, str, list[str], list[Vector]]]:
    """The frames of each family, side and endpoint, with what the command has to be told of these."""
    found: dict[tuple[str, str, str], list[Vector]] = {}
    for vector in plain(lists):
        found.setdefault((vector.family, str(vector.sender), vector.reading.get("ep", "")), []).append(vector)
    return [
        (family, side, ["--from", side, *(["--ep", ep] if ep else [])], vectors)
        for (family, side, ep), vectors in found.items()
    ]


@pytest.mark.parametrize(("family", "side", "told", "vectors"), by_side("vectors"))
def test_golden_frames_both_ways(family: str, side: str, told: list[str], vectors: list[Vector]) -> None:
    frames = "\n".join(vector.entry["hex"] for vector in vectors)
    decoded = call("decode", family, *told, "-", input=frames)
    assert decoded.exit_code == 0
    assert lines(decoded) == [vector.entry["decoded"] for vector in vectors]
    encoded = call("encode", family, "--from", side, "-", input=decoded.stdout)
    assert encoded.stdout.split() == frames.split()


@pytest.mark.parametrize(("family", "side", "told", "vectors"), by_side("malformed"))
def test_bad_frames_give_their_kind_and_exit_1(family: str, side: str, told: list[str], vectors: list[Vector]) -> None:
    result = call("decode", family, *told, *(vector.entry["hex"] for vector in vectors))
    assert result.exit_code == 1
    assert lines(result) == [{"error": {"kind": vector.entry["error"]}} for vector in vectors]


def test_one_line_for_each_argument_and_the_good_ones_are_decoded() -> None:
    result = call("decode", "alder", RST, "7e8070757e", RR)
    assert result.exit_code == 1
    assert lines(result) == [{"link": "RST"}, {"error": {"kind": "crc"}}, {"link": "RR", "nr": 0}]


def test_a_recording_may_hold_rubbish() -> None:
    alder = call("decode", "alder", "--stream", "4142" + RST + "414243" + RR + RR + "99")
    assert (alder.exit_code, [line["link"] for line in lines(alder)]) == (0, ["RST", "RR", "RR"])
    assert "2 stretches" in alder.stderr
    birch = call("decode", "birch", "--stream", "-", input=f"ff00{ARM}\n55{ARM}{ARM}01")
    assert (birch.exit_code, [line["type"] for line in lines(birch)]) == (0, ["ARM"] * 3)


def test_a_whole_frame_that_is_wrong_is_told_in_a_recording_too() -> None:
    alder = call("decode", "alder", "--stream", RST + "7e8070757e" + "7eb0f3457e" + RR)
    assert alder.exit_code == 1
    assert lines(alder) == [
        {"link": "RST"},
        {"error": {"kind": "crc"}},
        {"error": {"kind": "control"}},
        {"link": "RR", "nr": 0},
    ]
    cedar = call("decode", "cedar", "--stream", "00c55c" + DELIVER + "99" * 30 + DELIVER + DELIVER[:20])
    assert (cedar.exit_code, [line["type"] for line in lines(cedar)]) == (0, ["DELIVER"] * 2)
    dogwood = call("decode", "dogwood", "--stream", RESYNC * 2 + "10")
    assert (dogwood.exit_code, [line["report"] for line in lines(dogwood)]) == (0, ["ACK"] * 2)
    birch = call("decode", "birch", "--stream", "100001102636" + ARM)
    assert birch.exit_code == 1
    assert lines(birch)[0] == {"error": {"kind": "address"}}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("decode", "elm", "00"), "known are alder, birch"),
        (("decode", "alder", RST, "7e8"), "argument 2: not hex text"),
        (("decode", "alder", "--ep", "bulk", RST), "no endpoints"),
        (("decode", "cedar", "--ep", "ep7", "00"), "known are bulk, int, setup, ep0:GET_RESUME, ep0:GET_IDENT"),
        (("encode", "cedar", '{"ep": "iso"}'), "no endpoint 'iso'"),
        (("encode", "dogwood", '{"report": "NOISE"}'), "no report 'NOISE'"),
        (("encode", "alder", "{"), "argument 1: not JSON"),
        (("encode", "alder", "[]"), "not a JSON object"),
        (("encode", "alder", '{"link": "RR"}'), "'nr' is missing"),
        (("encode", "alder", '{"link": "RR", "nr": 8}'), "0 to 7"),
        (("encode", "alder", '{"link": "RR", "nr": 1, "x": 1}'), "unknown field 'x'"),
        (("encode", "alder", "--from", "device", '{"link": "RST"}'), "the device does not send RST"),
        (
            ("encode", "birch", '{"dst":3,"src":1,"toggle":0,"kind":"command","type":"ARM","id":1}'),
            "'round' is missing",
        ),
        (("encode", "birch", '{"dst":16,"src":1,"toggle":0,"kind":"command","type":"POLL"}'), "goes from 1 to 16"),
    ],
)
def test_bad_usage_is_one_line_that_says_where(arguments: tuple[str, ...], said: str) -> None:
    result = call(*arguments)
    assert result.stdout == ""
    assert isinstance(result.exception, BadInput)
    assert said in str(result.exception)
    assert "\n" not in str(result.exception)


def sealed_ones(lists: str) -> list[tuple[str, list[Vector]]]:
    """The frames in a session, by session."""
    found: dict[str, list[Vector]] = {}
    for vector in vectors(lists):
        if vector.session is not None:
            found.setdefault(vector.session, []).append(vector)
    return list(found.items())


def session_of(name: str) -> str:
    """What the handshake of a session said; of its secrets nothing."""
    return json.dumps({field: security()[name][field] for field in Handshake.model_fields})


@pytest.fixture
def key_file(tmp_path: Path) -> Callable[[str], str]:
    def written(session: str) -> str:
        path = tmp_path / session
        path.write_text(security()[session]["key"] + "\n")
        path.chmod(0o600)
        return str(path)

    return written


@pytest.mark.parametrize(("session", "of_it"), sealed_ones("vectors"))
def test_sealed_frames_both_ways_by_the_key_and_what_the_handshake_said(
    session: str, of_it: list[Vector], key_file: Callable[[str], str]
) -> None:
    told = ["--key-file", key_file(session), "--session", session_of(session)]
    for vector in of_it:
        family, frame = vector.family, vector.entry["hex"]
        decoded = call("decode", family, "--from", str(vector.sender), *told, frame)
        assert (decoded.exit_code, lines(decoded)) == (0, [vector.entry["decoded"]])
        assert call("encode", family, "--from", str(vector.sender), *told, decoded.stdout).stdout.split() == [frame]
        assert security()[session]["key"] not in decoded.output


def test_another_key_or_another_session_opens_nothing(key_file: Callable[[str], str]) -> None:
    frame = next(one.entry["hex"] for one in vectors("vectors") if one.session == "alder-1")
    right, other = session_of("alder-1"), session_of("alder-1").replace('"boot": 3', '"boot": 4')
    assert lines(call("decode", "alder", "--key-file", key_file("alder-1"), "--session", right, frame)) != [MAC]
    assert lines(call("decode", "alder", "--key-file", key_file("birch-1"), "--session", right, frame)) == [MAC]
    assert lines(call("decode", "alder", "--key-file", key_file("alder-1"), "--session", other, frame)) == [MAC]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"level": 2}, "alder has no level 2"),
        ({"level": 0}, "level: "),
        ({"nonce_d": "00"}, "nonce_d: "),
        ({"serial": None}, "serial: "),
        ({"epoch": 70000}, "epoch: "),
    ],
)
def test_a_session_that_is_none_is_one_line(
    change: dict[str, object], why: str, key_file: Callable[[str], str]
) -> None:
    session = json.dumps({**json.loads(session_of("alder-1")), **change})
    result = call("decode", "alder", "--key-file", key_file("alder-1"), "--session", session, RST)
    assert isinstance(result.exception, BadInput)
    assert why in str(result.exception)
    assert "\n" not in str(result.exception)


def test_a_key_is_never_in_a_message_nor_read_where_others_may(key_file: Callable[[str], str]) -> None:
    secret, session = security()["alder-1"]["key"], session_of("alder-1")
    path = Path(key_file("alder-1"))
    path.write_text(secret[:-1])
    short = call("decode", "alder", "--key-file", str(path), "--session", session, RST)
    path.write_text(secret)
    path.chmod(0o644)
    open_to_all = call("decode", "alder", "--key-file", str(path), "--session", session, RST)
    alone = call("decode", "alder", "--key-file", str(path), RST)
    for result, why in ((short, "64 hexadecimal digits"), (open_to_all, "600"), (alone, "together")):
        assert isinstance(result.exception, BadInput)
        assert str(result.exception).startswith("--key-file")
        assert why in str(result.exception)
        assert secret[:-1] not in str(result.exception) + result.output
