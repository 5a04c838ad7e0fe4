"""ASGI over a real socket: one named situation a test."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from overbite_conform.client import Client, ask_once
from overbite_conform.player import EOF, OPEN
from overbite_conform.pytest_plugin import ServerFactory
from overbite_conform.servers import SLOW, Server
from overbite_conform.wire import chunked, post, request

APPS = Path(__file__).parent / "apps"

# What may lie in socket buffers on both sides (tcp_wmem and tcp_rmem at their largest) and in the
# server.
ACCEPTED_BYTES_MAX = 24 << 20


@pytest.fixture(scope="module")
def server(module_servers: ServerFactory) -> Server:
    return module_servers.overbite("situations_asgi:app", app_dir=APPS)


def events(server: Server, key: str) -> list[Any]:
    return json.loads(ask_once(server.port, request(f"/events/{key}")).body)


def wait_until(server: Server, key: str, condition: Callable[[list[Any]], bool]) -> list[Any]:
    """The events of `key` once they satisfy `condition`; fails when they do not in time."""
    deadline = time.monotonic() + 5 * SLOW
    while not condition(seen := events(server, key)):
        assert time.monotonic() < deadline, f"{key}: {seen}\n{server.log()[-2000:]}"
        time.sleep(0.02)
    return seen


# --- connections ----------------------------------------------------------------------------------


def test_connection_is_kept_and_used_again(server: Server) -> None:
    with Client(server.port) as client:
        for number in range(50):
            response = client.ask(request(f"/plain/{number}"))
            assert response.body == b"plain %d" % number
        assert client.state() == OPEN


def test_connection_close_is_obeyed_and_announced(server: Server) -> None:
    with Client(server.port) as client:
        response = client.ask(request("/plain/a", "Connection: close"))
        assert response.field(b"connection") == b"close"
        assert client.state(within_s=2) == EOF


def test_pipelined_requests_are_answered_in_order(server: Server) -> None:
    with Client(server.port) as client:
        client.send(b"".join(request(f"/plain/{number}") for number in range(100)))
        bodies = [client.response().body for _ in range(100)]
    assert bodies == [b"plain %d" % number for number in range(100)]


def test_bytes_of_the_next_request_are_not_lost_with_the_first(server: Server) -> None:
    with Client(server.port) as client:
        client.send(request("/plain/1") + b"GET /pla")
        assert client.response().body == b"plain 1"
        client.send(b"in/2 HTTP/1.1\r\nHost: t\r\n\r\n")
        assert client.response().body == b"plain 2"


def test_bad_second_request_does_not_erase_the_first_answer(server: Server) -> None:
    with Client(server.port) as client:
        client.send(request("/plain/1") + b"BAD\x00\r\n\r\n")
        assert client.response().body == b"plain 1"
        assert client.response().status == 400
        assert client.state(within_s=2) == EOF


def test_half_closed_client_gets_its_answer(server: Server) -> None:
    with Client(server.port) as client:
        client.send(request("/pieces/x"))
        client.half_close()
        assert client.response().body == b"onetwothree"
        assert client.state(within_s=2) == EOF


@pytest.mark.parametrize("version", ["HTTP/1.0", "HTTP/0.9"])
def test_old_version_gets_no_chunked_coding_and_a_close(server: Server, version: str) -> None:
    with Client(server.port) as client:
        response = client.ask(request("/pieces/x", version=version))
        assert response.field(b"transfer-encoding") is None
        assert response.body == b"onetwothree"
        assert client.state(within_s=2) == EOF


def test_request_without_host_is_refused(server: Server) -> None:
    with Client(server.port) as client:
        assert client.ask(request("/plain/1", host=False)).status == 400
        assert client.state(within_s=2) == EOF


# --- bodies ---------------------------------------------------------------------------------------


def test_chunked_response_has_one_chunk_a_message(server: Server) -> None:
    with Client(server.port) as client:
        assert client.ask(request("/pieces/x")).chunks == (b"one", b"two", b"three")
        assert client.ask(request("/plain/next")).body == b"plain next"


def test_chunked_request_arrives_whole(server: Server) -> None:
    raw = b"".join(b"%x\r\n%s\r\n" % (size, b"y" * size) for size in range(1, 300)) + b"0\r\n\r\n"
    with Client(server.port) as client:
        assert client.ask(chunked("/echo/x", raw)).body == b"y" * (299 * 300 // 2)


def test_body_can_be_answered_while_it_still_arrives(server: Server) -> None:
    with Client(server.port) as client:
        client.send(request("/echo-stream/x", "Content-Length: 6", method="POST", body=b"abc"))
        assert client.read_until(b"\r\n\r\n3\r\nabc\r\n").startswith(b"HTTP/1.1 200")
        client.send(b"def")
        assert client.read_until(b"0\r\n\r\n") == b"3\r\ndef\r\n0\r\n\r\n"


def test_large_body_makes_the_round_trip(server: Server) -> None:
    body = bytes(range(256)) * 16384
    with Client(server.port, limit_s=20) as client:
        assert client.ask(post("/echo/x", body)).body == body


def test_head_has_the_fields_of_get_and_never_a_body_or_last_chunk(server: Server) -> None:
    with Client(server.port) as client:
        head = client.ask(request("/pieces/x", method="HEAD"), head_only=True)
        assert head.status == 200
        assert client.ask(request("/plain/next")).body == b"plain next"
        with_length = client.ask(request("/plain/x", method="HEAD"), head_only=True)
        assert with_length.field(b"content-length") == b"7"
        assert client.ask(request("/plain/next")).body == b"plain next"


@pytest.mark.parametrize("status", [204, 304])
def test_bodiless_status_leaves_the_connection_usable(server: Server, status: int) -> None:
    with Client(server.port) as client:
        response = client.ask(request(f"/status/{status}"))
        assert response.status == status
        assert response.field(b"transfer-encoding") is None
        assert client.ask(request("/plain/next")).body == b"plain next"


def test_continue_is_sent_once_when_the_application_reads(server: Server) -> None:
    with Client(server.port) as client:
        client.send(request("/echo/x", "Content-Length: 3", "Expect: 100-continue", method="POST"))
        assert client.read_until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.send(b"abc")
        assert client.response().body == b"abc"
        assert client.state() == OPEN


def test_refused_expectation_does_not_turn_the_body_into_a_request(server: Server) -> None:
    smuggled = request("/plain/smuggled")
    with Client(server.port) as client:
        length = f"Content-Length: {len(smuggled)}"
        client.send(request("/unread/x", length, "Expect: 100-continue", method="POST"))
        assert client.response().status == 401
        client.send(smuggled)
        client.send(request("/plain/next"))
        assert client.response().body == b"plain next"


def test_unread_body_is_never_parsed_as_a_request(server: Server) -> None:
    smuggled = request("/plain/smuggled")
    with Client(server.port) as client:
        length = f"Content-Length: {len(smuggled) + 10}"
        client.send(request("/unread/x", length, method="POST", body=b"0123456789"))
        assert client.response().status == 401
        client.send(smuggled + request("/plain/next"))
        assert client.response().body == b"plain next"


def test_line_break_in_a_field_value_adds_no_field(server: Server) -> None:
    with Client(server.port) as client:
        client.send(request("/location/a%0d%0aX-Evil:%201"))
        answer = client.read_to_end()
    assert b"x-evil" not in answer.lower()
    assert "Invalid HTTP header value" in server.log()


# --- receive() ------------------------------------------------------------------------------------


@pytest.mark.parametrize("reset", [True, False], ids=["reset", "close"])
def test_waiting_receive_learns_of_the_disconnect(server: Server, reset: bool) -> None:
    key = f"listen-{reset}"
    with Client(server.port) as client:
        client.send(request(f"/listen/{key}"))
        wait_until(server, key, lambda seen: "waiting" in seen)
        if reset:
            client.reset()
    seen = wait_until(server, key, lambda seen: len(seen) == 3)
    assert seen == ["waiting", "http.disconnect", "http.disconnect"]


def test_receive_after_the_body_waits_and_later_says_disconnect_every_time(server: Server) -> None:
    with Client(server.port) as client:
        assert client.ask(request("/twice/a")).body == b"False nothing"
        assert wait_until(server, "a", lambda seen: len(seen) == 2) == ["http.disconnect"] * 2
        assert client.state() == OPEN


def test_cancelled_receive_stays_cancelled_and_eats_no_message(server: Server) -> None:
    with Client(server.port) as client:
        assert client.ask(request("/cancel-listener/c")).body == b"cancelled pending"
        assert wait_until(server, "c", bool) == ["http.disconnect"]


# --- back-pressure --------------------------------------------------------------------------------


def test_sender_is_held_back_by_a_client_that_does_not_read(server: Server) -> None:
    with Client(server.port, receive_buffer=32768) as client:
        client.send(request("/flood/slow"))
        client.read_until(b"\r\n\r\n")
        time.sleep(1.0 * SLOW)
        accepted = events(server, "slow")[0]
        assert 0 < accepted <= ACCEPTED_BYTES_MAX
        time.sleep(0.3)
        assert events(server, "slow") == [accepted], "send() returns although nobody reads"
        # The server still serves everybody else, and this client when it reads on.
        assert ask_once(server.port, request("/plain/other")).body == b"plain other"
        client.read_exactly(accepted)
        wait_until(server, "slow", lambda seen: seen[0] > accepted)


def test_blocked_senders_are_woken_when_their_clients_go(server: Server) -> None:
    before = int(ask_once(server.port, request("/tasks")).body)
    clients = [Client(server.port, receive_buffer=32768) for _ in range(8)]
    for number, client in enumerate(clients):
        client.send(request(f"/flood/gone-{number}?watch"))
        client.read_until(b"\r\n\r\n")
    time.sleep(0.5)
    for client in clients:
        client.reset()
    for number in range(len(clients)):
        wait_until(server, f"gone-{number}", lambda seen: "ended" in seen)
    deadline = time.monotonic() + 5 * SLOW
    while int(ask_once(server.port, request("/tasks")).body) > before:
        assert time.monotonic() < deadline, "tasks of lost connections are still alive"
        time.sleep(0.05)


def test_stream_without_a_listener_ends_when_its_client_goes(server: Server) -> None:
    client = Client(server.port, receive_buffer=32768)
    client.send(request("/flood/unwatched"))
    client.read_until(b"\r\n\r\n")
    client.reset()
    wait_until(server, "unwatched", lambda seen: "ended" in seen)


# --- what the application keeps -------------------------------------------------------------------


def test_scopes_kept_by_the_application_stay_whole(server: Server) -> None:
    with Client(server.port) as client:
        for number in range(300):
            response = client.ask(request(f"/keep-scope/{number}", f"X-Number: {number}"))
            assert response.status == 200
    assert server.process.poll() is None
