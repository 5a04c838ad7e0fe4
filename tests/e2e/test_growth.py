"""Resident memory does not grow with the number of requests, by either interface."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from overbite_conform.client import Client
from overbite_conform.pytest_plugin import ServerFactory
from overbite_conform.servers import Server
from overbite_conform.wire import post, request

APPS = Path(__file__).parent / "apps"
CONNECTIONS = 4
WARM_UP_REQUESTS = 5_000
"""More than the largest ring has entries: each entry's page is resident from its first use on."""
MEASURED_REQUESTS = 10_000
GROWTH_KB_MAX = 64
"""Less than seven bytes a request: one object left behind at each would be more."""
WINDOWS_MAX = 3
"""An allocator takes memory in steps, once; a leak grows in every window."""
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}
"""With an arena for each thread the resident size follows which thread happened to free what."""


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


def check_flat(server: Server, work: Callable[[], None]) -> None:
    """Fails if the server grows by more than GROWTH_KB_MAX every time `work` is done."""
    sizes = [resident_kb(server.process.pid)]
    while len(sizes) <= WINDOWS_MAX:
        work()
        sizes.append(resident_kb(server.process.pid))
        if sizes[-1] - sizes[-2] <= GROWTH_KB_MAX:
            return
    pytest.fail(f"it grows every time: {sizes} kB")


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
    server = servers.overbite(app, *options, app_dir=APPS, env=ONE_ARENA)
    load = Load(server.port)
    try:
        load.run(WARM_UP_REQUESTS)
        check_flat(server, lambda: load.run(MEASURED_REQUESTS))
    finally:
        load.close()


@pytest.mark.growth
def test_memory_is_flat_over_two_thousand_connections(servers: ServerFactory) -> None:
    server = servers.overbite("growth:asgi", app_dir=APPS, env=ONE_ARENA)

    def connect() -> None:
        for _ in range(2_000):
            with Client(server.port) as client:
                client.ask(request("/x", "Connection: close"))

    connect()
    check_flat(server, connect)
