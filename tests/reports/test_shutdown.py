"""S: servers that are asked to stop."""

import signal
import threading
import time

import pytest
from overbite_conform.client import Client
from overbite_conform.player import EOF, OPEN
from overbite_conform.servers import SLOW, Server
from overbite_conform.wire import request

from .conftest import Start

BY_SIGTERM = -signal.SIGTERM
KEPT = "a stopping server keeps its connection"


def terminate(server: Server) -> None:
    server.ended_as_asked = True
    server.process.terminate()


def test_a13_endless_response_is_told_of_the_stop(start: Start) -> None:
    server = start("reported:app", "--timeout-graceful-shutdown", "4")
    with Client(server.port, limit_s=10) as client:
        client.send(request("/until-told/a13"))
        client.read_until(b"tick\n")
        terminate(server)
        client.read_to_end()
    assert server.wait() == BY_SIGTERM
    assert "told http.disconnect" in server.log()


@pytest.mark.parametrize("wait_s", [0.0, 0.01, 0.3])
def test_a14_stop_wakes_a_server_that_nobody_uses(start: Start, wait_s: float) -> None:
    server = start("reported_wsgi:app", "--interface", "wsgi")
    time.sleep(wait_s)
    began = time.monotonic()
    assert server.stop() == BY_SIGTERM
    assert time.monotonic() - began < 0.5 * SLOW


def test_a15_request_that_has_arrived_is_answered(start: Start) -> None:
    server = start("reported_wsgi:app", "--interface", "wsgi", "--blocking-threads", "1")
    with Client(server.port) as first, Client(server.port) as second:
        first.send(request("/slow/0.5"))
        time.sleep(0.1)
        second.send(request("/plain/second"))
        terminate(server)
        for client, body in ((first, b"slow"), (second, b"second")):
            response = client.response()
            assert response.body == body
            assert response.field(b"connection") == b"close", KEPT
    assert server.wait() == BY_SIGTERM


def test_a16_connection_is_not_kept_behind_the_stop(start: Start) -> None:
    server = start("reported:app")
    with Client(server.port) as busy, Client(server.port) as idle:
        idle.ask(request("/slow/0"))
        busy.send(request("/slow/0.5"))
        time.sleep(0.1)
        terminate(server)
        assert idle.state(1) == EOF
        assert busy.response().field(b"connection") == b"close", KEPT
        assert busy.state(1) == EOF
    assert server.wait() == BY_SIGTERM


@pytest.mark.parametrize("round_", range(6))
def test_a37_stop_under_load_ends(start: Start, round_: int) -> None:
    """The report: one restart in eight hung. The orders themselves: scenario attach_vs_wait."""
    pool = round_ % 2 == 1
    server = start("reported_wsgi:app", "--interface", "wsgi") if pool else start("reported:app")
    path = "/plain/a37" if pool else "/one-wait"

    def ask_until_the_end() -> None:
        try:
            with Client(server.port) as client:
                while client.state(0) == OPEN:
                    client.ask(request(path))
        except (OSError, AssertionError):
            pass  # cut off by the stop

    threads = [threading.Thread(target=ask_until_the_end) for _ in range(40)]
    for thread in threads:
        thread.start()
    time.sleep(0.05 + 0.02 * round_)
    began = time.monotonic()
    assert server.stop() == BY_SIGTERM
    assert time.monotonic() - began < 3 * SLOW
    for thread in threads:
        thread.join()
