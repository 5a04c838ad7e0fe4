"""K: connections that are used again."""

import time

import pytest
from overbite_conform.client import Client
from overbite_conform.player import EOF, OPEN
from overbite_conform.servers import SLOW
from overbite_conform.wire import request

from .conftest import Reported, Start

IDLE = ("--timeout-keep-alive", "1")


def test_a05_no_forgotten_idle_timer_shuts_a_busy_connection(start: Start) -> None:
    server = start("reported:app", *IDLE)
    with Client(server.port) as client:
        client.send(request("/slow/0.2") + request("/slow/0.1"))
        assert [client.response().status for _ in range(2)] == [200, 200]
        time.sleep(0.9)
        assert client.ask(request("/slow/0.5")).body == b"slow"
        assert client.state(0.3) == OPEN


def test_a06_idle_timer_does_not_run_while_a_pipelined_request_does(start: Start) -> None:
    server = start("reported:app", *IDLE)
    with Client(server.port) as client:
        client.send(request("/slow/1.5") + request("/slow/1.5"))
        assert [client.response().body for _ in range(2)] == [b"slow", b"slow"]
        assert client.state(1.5) == EOF  # and then it runs


def test_a07_bytes_behind_a_message_belong_to_the_next(asgi: Reported) -> None:
    both = request("/slow/0") + request("/no-length")
    first = len(request("/slow/0"))
    for cut in range(first, first + len("GET /no-length HTTP/1.1\r\n") + 1):
        with Client(asgi.port) as client:
            client.send(both[:cut])
            assert client.response().body == b"slow"
            client.send(both[cut:])
            assert client.response().body == b"hello", f"cut at {cut}"


@pytest.mark.parametrize("wait_s", [0.0, 0.3])
def test_a08_late_exception_leaves_the_next_request_alone(asgi: Reported, wait_s: float) -> None:
    with Client(asgi.port) as client:
        client.send(request("/raise-behind") + request(f"/slow/{wait_s}"))
        assert client.response().body == b"answered"
        assert client.response().body == b"slow"
        assert client.state(0.3) == OPEN
    deadline = time.monotonic() + 2 * SLOW
    while "behind the response" not in asgi.server.log():
        assert time.monotonic() < deadline, "the exception was not logged"
        time.sleep(0.02)
