"""The server itself: where it listens, TLS, strangers who do not say what they want, and its end."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from shoectl.config_sections import Console
from shoectl.console import listening, serving
from shoectl.console.listening import Bound, bind
from shoectl.errors import BadInput
from tests.endtoend.runs import SHOECTL, environment

from .sitting import TOKENS, Sitting, sitting


def certificate(folder: Path, *names: str) -> tuple[Path, Path]:
    """A certificate for these names, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "table")])
    now = datetime.datetime.now(datetime.UTC)
    alternatives = [
        x509.IPAddress(ipaddress.ip_address(one)) if one[0].isdigit() else x509.DNSName(one) for one in names
    ]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
    )
    if alternatives:
        made = made.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
    cert, secret = folder / f"{len(names)}.crt", folder / f"{len(names)}.key"
    cert.write_bytes(made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    secret.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    secret.chmod(0o600)
    return cert, secret


@asynccontextmanager
async def served(folder: Path, console: Console | None = None, **given: Any) -> AsyncIterator[tuple[Sitting, Bound]]:
    bound = bind(console or Console(listen="127.0.0.1:0"), simulated=False)
    with bound.listener:
        async with sitting(folder, settings=bound.settings, **given) as sat, asyncio.TaskGroup() as group:
            task = group.create_task(serving.serve(sat.app, bound, lambda: None))
            yield sat, bound
            task.cancel()


async def test_a_page_over_a_real_line(tmp_path: Path) -> None:
    async with served(tmp_path) as (sat, bound), httpx.AsyncClient(base_url=bound.address) as client:
        assert (await client.get("/")).headers["location"] == "/signin"
        answer = await client.get("/api/v1/view", headers={"Authorization": f"Bearer {TOKENS[1]}"})
        assert answer.json()["entry"] == sat.runner.journal.last
        assert "server" not in answer.headers
        assert (await client.get("/static/console.css")).status_code in (200, 404)
        assert (await client.get("/static/../app.py")).status_code == 404
        assert (await client.get("/static/%2e%2e/app.py")).status_code == 404


async def test_beyond_loopback_there_is_tls_with_the_names_of_the_certificate(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path, "table7.club.example", "127.0.0.1")
    console = Console(listen="0.0.0.0:0", cert=str(cert), key=str(key))
    async with served(tmp_path, console) as (_, bound):
        port = bound.listener.getsockname()[1]
        assert bound.address == f"https://table7.club.example:{port}"
        assert bound.settings.cookie == f"__Host-shoectl-{port}"
        context = ssl.create_default_context(cafile=str(cert))
        async with httpx.AsyncClient(verify=context, base_url=f"https://127.0.0.1:{port}") as client:
            answer = await client.get("/signin")
            assert answer.status_code == 200
            assert answer.headers["strict-transport-security"]
            assert (await client.get("/healthz")).status_code == 401
            wrong = await client.get("/signin", headers={"Host": f"other.example:{port}"})
            assert wrong.status_code == 421
            named = await client.get("/signin", headers={"Host": f"table7.club.example:{port}"})
            assert named.status_code == 200
        with pytest.raises(httpx.HTTPError):
            await httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}").get("/signin")


def refused(listen: str, **given: Any) -> str:
    with pytest.raises(BadInput) as why:
        bind(Console(listen=listen, **given), simulated=False).listener.close()
    assert "\n" not in str(why.value)
    return str(why.value)


def test_what_cannot_be_listened_at_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        assert refused(taken) == f"console.listen: {taken} is taken by another program"
    assert refused("192.0.2.1:8080", cert="x", key="y").startswith("console.cert x, console.key y: no such file")
    for listen in ("0.0.0.0:8080", "[::]:8080", "table7:8080"):
        assert "is not on loopback" in refused(listen)
    assert "go together" in refused("127.0.0.1:0", cert="x")
    assert "at most 65535" in refused("127.0.0.1:99999")
    cert, key = certificate(tmp_path, "a.example")
    other_cert, other_key = certificate(tmp_path, "a.example", "b.example")
    assert "not that of the certificate" in refused("127.0.0.1:0", cert=str(cert), key=str(other_key))
    assert "in PEM" in refused("127.0.0.1:0", cert=str(key), key=str(key))
    assert "cannot be had" in refused("192.0.2.1:0", cert=str(cert), key=str(key))
    key.chmod(0o644)
    assert "mode 0644" in refused("127.0.0.1:0", cert=str(cert), key=str(key))
    nameless, its_key = certificate(tmp_path)
    assert "names no host" in refused("127.0.0.1:0", cert=str(nameless), key=str(its_key))
    assert other_cert.exists()


def test_a_simulated_table_takes_the_next_port_that_is_free() -> None:
    first = bind(None, simulated=True)
    second = bind(None, simulated=True)
    with first.listener, second.listener:
        ports = [int(one.address.rpartition(":")[2]) for one in (first, second)]
        assert ports[0] < ports[1]
        assert first.settings.cookie != second.settings.cookie, "two tables in one browser"


async def line(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", port)


async def closed(reader: asyncio.StreamReader, within: float = 3.0) -> bytes:
    """What comes until the other side closes. Raises TimeoutError."""
    async with asyncio.timeout(within):
        try:
            return await reader.read()
        except ConnectionError:
            return b""


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: 127", b"\x16\x03\x01\x02\x00", b"GET "])
async def test_a_stranger_who_does_not_say_what_he_wants_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr(serving, "HEAD_WITHIN_S", 0.2)
    async with served(tmp_path) as (_, bound):
        reader, writer = await line(bound.listener.getsockname()[1])
        writer.write(said)
        await closed(reader)
        writer.close()


async def dribble(writer: asyncio.StreamWriter) -> None:
    """A request that never ends. Raises ConnectionError when nobody listens any more."""
    for _ in range(150):
        writer.write(b"G")
        await writer.drain()
        await asyncio.sleep(0.02)


async def test_a_stranger_who_dribbles_his_second_request_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "HEAD_WITHIN_S", 0.3)
    async with served(tmp_path) as (_, bound):
        port = bound.listener.getsockname()[1]
        reader, writer = await line(port)
        writer.write(f"GET /signin HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        assert b"200 OK" in await reader.readline()
        began = time.monotonic()
        with pytest.raises(ConnectionError):
            await dribble(writer)
        assert time.monotonic() - began < 2


async def test_connections_are_bounded_and_the_next_is_served_when_one_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "CONNECTIONS_MOST", 4)
    async with served(tmp_path) as (_, bound):
        port = bound.listener.getsockname()[1]
        lines = [await line(port) for _ in range(4)]
        reader, writer = await line(port)
        assert await closed(reader) == b""
        writer.close()
        lines[0][1].close()
        await asyncio.sleep(0.05)
        async with httpx.AsyncClient(base_url=bound.address) as client:
            assert (await client.get("/signin")).status_code == 200
        for _, one in lines:
            one.close()


async def test_one_address_leaves_room_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "FROM_ONE_MOST", 3)
    async with served(tmp_path) as (_, bound):
        port = bound.listener.getsockname()[1]
        lines = [await line(port) for _ in range(3)]
        reader, writer = await line(port)
        assert await closed(reader) == b""
        transport = httpx.AsyncHTTPTransport(local_address="127.0.0.2")
        async with httpx.AsyncClient(base_url=bound.address, transport=transport) as client:
            assert (await client.get("/signin")).status_code == 200
        for _, one in (*lines, (reader, writer)):
            one.close()


async def test_a_head_is_bounded_and_who_asks_for_it_alone_gets_no_body(tmp_path: Path) -> None:
    async with served(tmp_path) as (_, bound), httpx.AsyncClient(base_url=bound.address) as client:
        assert (await client.get("/signin", headers={"X-Much": "x" * 40_000})).status_code == 431
        for path in ("/healthz", "/metrics"):
            asked = await client.head(path)
            assert (asked.status_code, asked.content) == ((await client.get(path)).status_code, b"")


async def test_those_who_have_not_begun_with_tls_are_counted_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "CONNECTIONS_MOST", 4)
    cert, key = certificate(tmp_path, "127.0.0.1")
    async with served(tmp_path, Console(listen="127.0.0.1:0", cert=str(cert), key=str(key))) as (_, bound):
        port = bound.listener.getsockname()[1]
        silent = [await line(port) for _ in range(4)]
        reader, writer = await line(port)
        assert await closed(reader) == b""
        for _, one in (*silent, (reader, writer)):
            one.close()


def presented(port: int) -> bytes:
    """The certificate that a new connection is shown."""
    return ssl.get_server_certificate(("127.0.0.1", port)).encode()


def presents(port: int, certificate: bytes) -> bool:
    """Whether new connections are shown this certificate, within ten seconds."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if presented(port) == certificate:
            return True
        time.sleep(0.02)
    return False


async def test_a_renewed_certificate_is_taken_over_and_half_of_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "CERTIFICATE_EVERY_S", 0.02)
    cert, key = certificate(tmp_path, "127.0.0.1")
    (other := tmp_path / "renewed").mkdir()
    renewed, its_key = certificate(other, "127.0.0.1")
    old, new = await asyncio.to_thread(lambda: (cert.read_bytes(), renewed.read_bytes()))
    async with served(tmp_path, Console(listen="127.0.0.1:0", cert=str(cert), key=str(key))) as (_, bound):
        port = bound.listener.getsockname()[1]
        assert await asyncio.to_thread(presents, port, old)
        renewed.replace(cert)
        await asyncio.sleep(0.2)
        assert await asyncio.to_thread(presented, port) == old
        its_key.replace(key)
        assert await asyncio.to_thread(presents, port, new)


async def test_field_case_83_the_end_comes_in_time_with_streams_open(tmp_path: Path) -> None:
    async with served(tmp_path) as (sat, bound):
        port = bound.listener.getsockname()[1]
        lines = []
        for number in (1, 4711, 815):
            reader, writer = await line(port)
            token = f"Authorization: Bearer {TOKENS[number]}\r\n"
            writer.write(f"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{token}\r\n".encode())
            await reader.readuntil(b"event: view")
            lines.append((reader, writer))
        idle, silent = await line(port)
        assert len(sat.face.stream) == 3
        began = time.monotonic()
    assert time.monotonic() - began < 2.5
    for reader, writer in (*lines, (idle, silent)):
        await closed(reader)
        writer.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 1).close()


async def test_signals_stay_the_daemons(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    async with served(tmp_path) as (_, bound):
        async with httpx.AsyncClient(base_url=bound.address) as client:
            await client.get("/signin")
        assert signal.getsignal(signal.SIGTERM) is before


# the command


@contextmanager
def running(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """`run --sim` with its pages; what it said of them."""
    daemon = subprocess.Popen(
        [*SHOECTL, "run", "--sim", "--seed", "5", "--speed", "max", "--json", *words],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert daemon.stderr is not None
    said: dict[str, str] = {}
    try:
        while "or with number and PIN" not in said:
            text = daemon.stderr.readline()
            assert text, f"it ended: {said}"
            what, _, rest = text.strip().partition(": ")
            said[what.partition(",")[0]] = rest
        yield daemon, said
    finally:
        daemon.kill()
        daemon.communicate()


def test_a_simulated_table_prints_a_link_that_signs_in_once_and_ends_in_time(tmp_path: Path) -> None:
    with running(tmp_path, "--dealer", "console") as (daemon, said), httpx.Client(base_url=said["console"]) as client:
        link = said["sign in once"]
        assert link.startswith(said["console"] + "/signin?link=")
        assert client.get(link).headers["location"] == "/"
        assert client.get("/").status_code == 200
        assert httpx.get(link).status_code == 401
        me = client.get("/api/v1/me").json()
        assert (me["number"], me["role"]) == (4711, "dealer")
        first = answered(client, me["token"])
        with client.stream("GET", "/api/v1/stream") as stream:
            assert next(stream.iter_lines()) == "event: view"
            assert first["by"] == "people"
            began = time.monotonic()
            daemon.terminate()
            daemon.wait(5)
            assert time.monotonic() - began < 4
        assert daemon.returncode == 0


def answered(client: httpx.Client, token: str) -> dict[str, Any]:
    """Wait for the first step that a person carries out, and answer it: his hands do what it says."""
    for _ in range(200):
        for step in client.get("/api/v1/steps").json()["steps"]:
            if step["by"] == "people" and not step["takes"]:
                body = {"ref": step["ref"], "with": {}}
                done = client.post("/api/v1/answer", json=body, headers={"X-CSRF-Token": token})
                assert done.status_code == 200, done.text
                return dict(step)
        time.sleep(0.05)
    raise AssertionError("nothing was asked of a person")


def test_a_port_that_is_taken_is_one_line_and_nothing_was_begun(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        config = tmp_path / "table.toml"
        config.write_text(f'[console]\nlisten = "127.0.0.1:{port}"\n')
        words = ["run", "--sim", "--config", str(config), "--journal", "j", "--rounds", "1"]
        done = subprocess.run(
            [*SHOECTL, *words], cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, timeout=30
        )
    assert done.returncode == 2
    assert done.stderr == f"shoectl: console.listen: 127.0.0.1:{port} is taken by another program\n"
    assert not (tmp_path / "j").exists()


def test_a_table_without_a_console_loads_no_web_server() -> None:
    code = (
        "import sys; import shoectl.commands.run, shoectl.daemon, shoectl.console, shoectl.commands.people\n"
        "print(sorted({'fastapi', 'starlette', 'uvicorn', 'jinja2', 'prometheus_client'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
