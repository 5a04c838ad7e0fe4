"""What a user sees when one guarded line of the server is lost.

Each test ends soon even then: servers get a short grace period, and no read waits for an end that
would not come.
"""

import json
import signal
import time
from pathlib import Path

import pytest
from overbite_conform.client import Client
from overbite_conform.pytest_plugin import ServerFactory
from overbite_conform.servers import SLOW, Server
from overbite_conform.wire import request

APPS = Path(__file__).parent / "apps"
SHORT_GRACE = ("--timeout-graceful-shutdown", "1")


def read_all(client: Client) -> bytes:
    """What comes until the server closes, or falls silent."""
    try:
        return client.read_to_end()
    except TimeoutError:
        return bytes(client.unread)


@pytest.fixture(scope="module")
def server(module_servers: ServerFactory) -> Server:
    return module_servers.overbite("guards:app", *SHORT_GRACE, app_dir=APPS)


def test_work_behind_a_response_does_not_disown_the_next_request_of_its_slot(
    server: Server,
) -> None:
    """The first request's coroutine ends while the second, in the same slot, waits for its body."""
    with Client(server.port, limit_s=2) as client:
        assert client.ask(request("/answer-then-work")).body == b"answered"
        client.send(b"POST /slow-upload HTTP/1.1\r\nHost: t\r\nContent-Length: 6\r\n\r\nabc")
        time.sleep(0.6 * SLOW)
        client.send(b"def")
        try:
            body = client.response().body
        except TimeoutError:
            body = b"nothing"
        assert body == b"abcdef", "the second request's body never arrived"


def test_failed_asgi_stream_has_no_last_chunk(server: Server) -> None:
    with Client(server.port, limit_s=2) as client:
        client.send(request("/fail-in-stream"))
        answer = read_all(client)
    assert b"5\r\nfirst\r\n" in answer
    assert not answer.endswith(b"0\r\n\r\n"), "the client takes half a body for the whole"


@pytest.mark.parametrize("threads", ["0", "2"])
def test_failed_wsgi_stream_has_no_last_chunk(threads: str, servers: ServerFactory) -> None:
    server = servers.overbite(
        "guards:wsgi",
        "--interface",
        "wsgi",
        "--blocking-threads",
        threads,
        *SHORT_GRACE,
        app_dir=APPS,
    )
    with Client(server.port, limit_s=2) as client:
        client.send(request("/"))
        answer = read_all(client)
    assert b"5\r\nfirst\r\n" in answer
    assert not answer.endswith(b"0\r\n\r\n"), "the client takes half a body for the whole"


def test_half_closed_client_is_told_to_an_application_that_waits(server: Server) -> None:
    with Client(server.port, limit_s=2) as client:
        client.send(request("/wait-for-disconnect"))
        time.sleep(0.1 * SLOW)
        client.half_close()
        try:
            body = client.response().body
        except TimeoutError:
            body = b"nothing"
        assert body == b"http.disconnect", (
            "the application waits for a client that will say no more"
        )


def test_pool_stream_stops_when_its_client_goes(servers: ServerFactory) -> None:
    server = servers.overbite("guards:wsgi", "--interface", "wsgi", *SHORT_GRACE, app_dir=APPS)
    client = Client(server.port)
    client.send(request("/slow-pieces"))
    client.read_until(b"\r\n\r\n")
    client.reset()
    time.sleep(1.0 * SLOW)
    with Client(server.port) as other:
        seen = json.loads(other.ask(request("/seen")).body)
    assert seen["closed"] == 1, "the thread runs on for a client that is gone"
    assert seen["pieces"] < 100


def resident_kb(server: Server) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))


def test_pipelined_requests_of_a_client_that_does_not_read_wait(server: Server) -> None:
    count = 100
    with Client(server.port, limit_s=20, receive_buffer=32768) as client:
        before = resident_kb(server)
        client.send(request("/large") * count)
        time.sleep(0.5 * SLOW)
        grown = resident_kb(server) - before
        assert grown < count * 1024 // 2, f"{grown} kB of answers wait for a client that reads none"
        for _ in range(count):
            assert len(client.response().body) == 1 << 20


def test_request_that_arrived_while_the_application_kept_the_thread_is_answered_at_the_stop(
    servers: ServerFactory,
) -> None:
    options = ("--interface", "wsgi", "--blocking-threads", "0")
    server = servers.overbite("guards:wsgi", *options, app_dir=APPS)
    with Client(server.port) as first:
        first.send(request("/sleep"))
        time.sleep(0.1)
        with Client(server.port) as second:
            second.send(request("/seen"))
            server.process.send_signal(signal.SIGINT)
            assert first.response().body == b"awake"
            assert second.response().status == 200, "reset with its request unread"
    assert server.process.wait(4 * SLOW) == 0
    server.ended_as_asked = True


def test_second_signal_cuts_off_what_still_runs(servers: ServerFactory) -> None:
    server = servers.overbite("guards:wsgi", "--interface", "wsgi", app_dir=APPS)
    with Client(server.port) as client:
        client.send(request("/slow-pieces"))
        client.read_until(b"\r\n\r\n")
        server.process.send_signal(signal.SIGINT)
        time.sleep(0.3 * SLOW)
        assert server.process.poll() is None, "the running response was not waited for"
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(4 * SLOW) == 0, "the second signal did not end it"
    server.ended_as_asked = True
