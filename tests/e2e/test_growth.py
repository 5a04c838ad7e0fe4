"""Resident memory does not grow with the number of requests, by either interface."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from overbite_conform.client import Client
from overbite_conform.pytest_plugin import ServerFactory
from overbite_conform.wire import post, request

APPS = Path(__file__).parent / "apps"
CONNECTIONS = 4
WARM_UP_REQUESTS = 3_000
MEASURED_REQUESTS = 10_000
GROWTH_KB_MAX = 64
"""Less than seven bytes a request: one object left behind at each would be more."""


def resident_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
    assert found, "no VmRSS in /proc"
    return int(found[1])


class Load:
    """Keep-alive connections that stay the same for warm-up and measurement."""

    def __init__(self, port: int) -> None:
        self._clients = [Client(port, limit_s=30) for _ in range(CONNECTIONS)]
        self._get = request("/a/path?q=1", "User-Agent: growth", "Accept: */*", "Cookie: a=1; b=2")
        self._post = post("/a/form", b"x" * 100)
        self._answer_sizes = [len(self._clients[0].ask(r).raw) for r in (self._get, self._post)]

    def run(self, requests: int) -> None:
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            share = requests // CONNECTIONS
            list(pool.map(lambda client: self._run_one(client, share), self._clients))

    def _run_one(self, client: Client, requests: int) -> None:
        for number in range(requests):
            kind = number % 4 == 3
            client.send(self._post if kind else self._get)
            client.read_exactly(self._answer_sizes[kind])

    def close(self) -> None:
        for client in self._clients:
            client.sock.close()


@pytest.mark.growth
@pytest.mark.parametrize(
    ("app", "options"),
    [
        ("growth:asgi", ("--interface", "asgi")),
        ("growth:wsgi", ("--interface", "wsgi", "--blocking-threads", "4")),
        ("growth:wsgi", ("--interface", "wsgi", "--blocking-threads", "0")),
    ],
    ids=["asgi", "wsgi pool", "wsgi inline"],
)
def test_memory_is_flat_over_ten_thousand_requests(
    servers: ServerFactory, app: str, options: tuple[str, ...]
) -> None:
    server = servers.overbite(app, *options, app_dir=APPS)
    load = Load(server.port)
    try:
        load.run(WARM_UP_REQUESTS)
        before = resident_kb(server.process.pid)
        load.run(MEASURED_REQUESTS)
        after = resident_kb(server.process.pid)
    finally:
        load.close()
    growth = after - before
    assert abs(growth) <= GROWTH_KB_MAX, (
        f"{growth} kB in {MEASURED_REQUESTS} requests ({before} to {after} kB)"
    )


@pytest.mark.growth
def test_memory_is_flat_over_two_thousand_connections(servers: ServerFactory) -> None:
    server = servers.overbite("growth:asgi", app_dir=APPS)

    def connect(times: int) -> int:
        for _ in range(times):
            with Client(server.port) as client:
                client.ask(request("/x", "Connection: close"))
        return resident_kb(server.process.pid)

    before = connect(1_000)
    growth = connect(2_000) - before
    assert abs(growth) <= GROWTH_KB_MAX, f"{growth} kB in 2000 connections"
