"""WSGI (PEP 3333) over a real socket: one named situation a test, with the pool and without it."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from overbite_conform.client import Client, ask_once
from overbite_conform.player import EOF, OPEN
from overbite_conform.pytest_plugin import ServerFactory
from overbite_conform.servers import SLOW, Server
from overbite_conform.wire import chunked, post, request

APPS = Path(__file__).parent / "apps"
ACCEPTED_BYTES_MAX = 24 << 20

Counts = dict[str, int]


@pytest.fixture(scope="module", params=[0, 4], ids=["inline", "pool of 4"])
def server(request: pytest.FixtureRequest, module_servers: ServerFactory) -> Server:
    options = ("--interface", "wsgi", "--blocking-threads", str(request.param))
    return module_servers.overbite("situations_wsgi:app", *options, app_dir=APPS)


@pytest.fixture(scope="module")
def pool(module_servers: ServerFactory) -> Server:
    options = ("--interface", "wsgi", "--blocking-threads", "4")
    return module_servers.overbite("situations_wsgi:app", *options, app_dir=APPS)


def counts(server: Server, key: str) -> Counts:
    return json.loads(ask_once(server.port, request(f"/events/{key}")).body)


def wait_until(server: Server, key: str, condition: Callable[[Counts], bool]) -> Counts:
    """The counts of `key` once they satisfy `condition`; fails when they do not in time."""
    deadline = time.monotonic() + 5 * SLOW
    while not condition(seen := counts(server, key)):
        assert time.monotonic() < deadline, f"{key}: {seen}\n{server.log()[-2000:]}"
        time.sleep(0.02)
    return seen


# --- connections and bodies -----------------------------------------------------------------------


def test_connection_is_kept_and_used_again(server: Server) -> None:
    with Client(server.port) as client:
        for number in range(50):
            assert client.ask(request(f"/plain/{number}")).body == b"plain %d" % number
        assert client.state() == OPEN


def test_pipelined_requests_are_answered_in_order(server: Server) -> None:
    with Client(server.port) as client:
        client.send(b"".join(request(f"/plain/{number}") for number in range(60)))
        bodies = [client.response().body for _ in range(60)]
    assert bodies == [b"plain %d" % number for number in range(60)]


def test_pipelined_slow_request_keeps_its_place(server: Server) -> None:
    with Client(server.port) as client:
        client.send(request("/sleep/x") + request("/plain/2"))
        assert [client.response().body for _ in range(2)] == [b"slept", b"plain 2"]


def test_body_without_length_is_chunked_piece_by_piece(server: Server) -> None:
    with Client(server.port) as client:
        assert client.ask(request("/pieces/chunked")).body == b"abcabcabc"
        assert client.ask(request("/plain/next")).body == b"plain next"


def test_chunked_request_body_is_read_through_wsgi_input(server: Server) -> None:
    raw = b"3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n"
    assert ask_once(server.port, chunked("/echo/x", raw)).body == b"abcdefg"


def test_body_in_two_segments_is_complete_before_the_application_reads(server: Server) -> None:
    with Client(server.port) as client:
        client.send(request("/echo/x", "Content-Length: 6", method="POST", body=b"abc"))
        time.sleep(0.1)
        client.send(b"def")
        assert client.response().body == b"abcdef"


def test_large_body_makes_the_round_trip(server: Server) -> None:
    body = bytes(range(256)) * 4096
    with Client(server.port, limit_s=20) as client:
        assert client.ask(post("/echo/x", body)).body == body


def test_lines_of_the_body_are_what_the_client_sent(server: Server) -> None:
    assert ask_once(server.port, post("/lines/x", b"a\n\nb")).body == rb"[b'a\n', b'\n', b'b']"


def test_head_response_never_carries_a_last_chunk(server: Server) -> None:
    with Client(server.port) as client:
        head = client.ask(request("/pieces/head", method="HEAD"), head_only=True)
        assert head.status == 200
        assert client.ask(request("/plain/next")).body == b"plain next"


@pytest.mark.parametrize("status", ["204", "304"])
def test_bodiless_status_leaves_the_connection_usable(server: Server, status: str) -> None:
    with Client(server.port) as client:
        response = client.ask(request(f"/status/{status}"))
        assert response.status == int(status)
        assert response.field(b"transfer-encoding") is None
        assert client.ask(request("/plain/next")).body == b"plain next"


def test_continue_comes_before_the_body(server: Server) -> None:
    with Client(server.port) as client:
        client.send(request("/echo/x", "Content-Length: 3", "Expect: 100-continue", method="POST"))
        assert client.read_until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.send(b"abc")
        assert client.response().body == b"abc"


def test_reason_phrase_is_the_applications_own(server: Server) -> None:
    raw = ask_once(server.port, request("/status/404")).raw
    assert raw.startswith(b"HTTP/1.1 404 Of Our Own\r\n")


# --- PEP 3333 -------------------------------------------------------------------------------------


def test_close_is_called_once_after_the_last_piece(server: Server) -> None:
    ask_once(server.port, request("/pieces/whole"))
    assert wait_until(server, "whole", lambda seen: seen["closed"] > 0) == {
        "pieces": 3,
        "closed": 1,
        "threads": 0,
    }


def test_close_is_called_once_when_the_iterable_fails(server: Server) -> None:
    with Client(server.port) as client:
        client.send(request("/failing-pieces/fails"))
        answer = client.read_to_end()
    assert not answer.endswith(b"0\r\n\r\n"), "a broken body must not look complete"
    assert wait_until(server, "fails", lambda seen: seen["closed"] > 0)["closed"] == 1
    assert "the iterable failed" in server.log()


def test_body_shorter_than_its_length_closes_the_connection(server: Server) -> None:
    with Client(server.port) as client:
        client.send(request("/short-body/short"))
        assert client.read_to_end().endswith(b"\r\n\r\nhello world")
    assert wait_until(server, "short", lambda seen: seen["closed"] > 0)["closed"] == 1


def test_writer_and_returned_body_come_in_order(server: Server) -> None:
    response = ask_once(server.port, request("/writer/x"))
    assert response.field(b"x-writer") == b"yes"
    assert response.body == b"written and returned"


def test_what_is_written_goes_out_before_the_application_returns(server: Server) -> None:
    with Client(server.port) as client:
        client.send(request("/slow-writer/x"))
        client.read_until(b"written ")
        began = time.monotonic()
        client.read_until(b"later ")
        client.read_until(b"and returned")
        waited = time.monotonic() - began
    assert waited > 1.0, "write() kept its block until the application returned"


def test_client_that_goes_ends_an_application_that_writes(server: Server) -> None:
    client = Client(server.port, receive_buffer=32768)
    client.send(request("/write-flood/leaver"))
    client.read_until(b"\r\n\r\n")
    client.reset()
    seen = wait_until(server, "leaver", lambda seen: seen["closed"] > 0)
    assert seen["pieces"] < 4096, "the application writes on for a client that is gone"


def test_writing_after_a_refused_head_is_an_error(server: Server) -> None:
    with Client(server.port) as client:
        client.send(request("/stubborn-writer/x"))
        assert b"abc" not in client.read_to_end()
    assert server.process.poll() is None, "the second refusal ended the server"
    assert ask_once(server.port, request("/plain/next")).body == b"plain next"


def test_head_waits_for_start_response_in_the_first_iteration(server: Server) -> None:
    response = ask_once(server.port, request("/late-start/x"))
    assert (response.status, response.field(b"x-late"), response.body) == (404, b"yes", b"x")


def test_exc_info_replaces_the_head_before_the_first_byte(server: Server) -> None:
    response = ask_once(server.port, request("/replaced-start/x"))
    assert (response.status, response.field(b"x-first")) == (503, None)
    assert (response.field(b"x-second"), response.body) == (b"yes", b"replaced")


def test_environs_kept_by_the_application_stay_whole(server: Server) -> None:
    with Client(server.port) as client:
        for number in range(300):
            assert client.ask(request("/keep/x", f"X-Number: {number}")).status == 200
    assert server.process.poll() is None


# --- disconnects and back-pressure ----------------------------------------------------------------


def test_stream_stops_and_closes_once_when_its_client_goes(server: Server) -> None:
    client = Client(server.port)
    client.send(request("/slow-stream/gone"))
    client.read_until(b"\r\n\r\n")
    client.read_exactly(1024)
    client.reset()
    seen = wait_until(server, "gone", lambda seen: seen["closed"] > 0)
    assert seen["closed"] == 1
    assert seen["pieces"] < 1000
    time.sleep(0.1)
    assert counts(server, "gone") == seen, "the iterable is still asked for pieces"


def test_iterable_is_held_back_by_a_client_that_does_not_read(server: Server) -> None:
    with Client(server.port, receive_buffer=32768) as client:
        client.send(request("/flood/slow"))
        client.read_until(b"\r\n\r\n")
        time.sleep(1.0 * SLOW)
        accepted = counts(server, "slow")["pieces"]
        assert 0 < accepted * 65536 <= ACCEPTED_BYTES_MAX
        time.sleep(0.3)
        assert counts(server, "slow")["pieces"] == accepted
        client.read_exactly(accepted * 65536)
        wait_until(server, "slow", lambda seen: seen["pieces"] > accepted)
    seen = wait_until(server, "slow", lambda seen: seen["closed"] > 0)
    assert seen["closed"] == 1


def test_writer_waits_for_a_client_that_does_not_read(pool: Server) -> None:
    with Client(pool.port, receive_buffer=32768) as client:
        client.send(request("/write-flood/held"))
        client.read_until(b"\r\n\r\n")
        time.sleep(1.0 * SLOW)
        accepted = counts(pool, "held")["pieces"]
        assert 0 < accepted * 65536 <= ACCEPTED_BYTES_MAX, "what is written has no bound"
        client.read_exactly(accepted * 65536)
        wait_until(pool, "held", lambda seen: seen["pieces"] > accepted)
        client.reset()
    seen = wait_until(pool, "held", lambda seen: seen["closed"] > 0)
    assert seen.get("BrokenPipeError") == 1
    assert "BrokenPipeError" not in pool.log(), "that a client leaves is no error"


def test_writer_on_the_loop_may_be_only_so_far_ahead(module_servers: ServerFactory) -> None:
    """Nobody can wait there: the loop that would send is the one that writes."""
    options = ("--interface", "wsgi", "--blocking-threads", "0")
    server = module_servers.overbite("situations_wsgi:app", *options, app_dir=APPS)
    with Client(server.port, receive_buffer=32768) as client:
        client.send(request("/write-flood/ahead"))
        client.read_until(b"\r\n\r\n")
        seen = wait_until(server, "ahead", lambda seen: seen["closed"] > 0)
        assert seen["pieces"] * 65536 <= ACCEPTED_BYTES_MAX, "what is written has no bound"
        assert any("ahead of its client" in key for key in seen)
        assert not client.read_to_end().endswith(b"0\r\n\r\n")


def test_client_gone_before_the_answer_is_ready_does_no_harm(server: Server) -> None:
    for _ in range(5):
        client = Client(server.port)
        client.send(request("/sleep/x"))
        client.reset()
    assert ask_once(server.port, request("/plain/next")).body == b"plain next"


# --- the pool -------------------------------------------------------------------------------------


def test_four_threads_serve_four_slow_requests_at_once(pool: Server) -> None:
    began = time.monotonic()
    with ThreadPoolExecutor(4) as clients:
        asks = [clients.submit(ask_once, pool.port, request("/sleep/x")) for _ in range(4)]
        assert [ask.result().body for ask in asks] == [b"slept"] * 4
    assert time.monotonic() - began < 0.9 * SLOW


def test_more_slow_requests_than_threads_are_all_answered(pool: Server) -> None:
    with ThreadPoolExecutor(12) as clients:
        asks = [clients.submit(ask_once, pool.port, request("/sleep/x")) for _ in range(12)]
        assert [ask.result().body for ask in asks] == [b"slept"] * 12


def test_endless_stream_does_not_starve_the_next_request(pool: Server) -> None:
    with Client(pool.port) as stream:
        stream.send(request("/slow-stream/endless"))
        stream.read_until(b"\r\n\r\n")
        began = time.monotonic()
        assert ask_once(pool.port, request("/plain/alone")).body == b"plain alone"
        assert time.monotonic() - began < 1.0 * SLOW


def test_connection_close_is_obeyed(server: Server) -> None:
    with Client(server.port) as client:
        response = client.ask(request("/plain/a", "Connection: close"))
        assert response.field(b"connection") == b"close"
        assert client.state(within_s=2) == EOF
