"""B: streams, and clients that do not keep up."""

import time

import pytest
from overbite_conform.client import Client, ask_once
from overbite_conform.servers import SLOW
from overbite_conform.wire import request

from .conftest import Reported, Start

AHEAD_BYTES_MAX = 8 << 20
"""Far above the server's own bounds and both socket buffers, far below what is offered."""


@pytest.mark.parametrize("clients", [1, 8])
def test_a09_waiting_senders_are_woken_by_the_loss(asgi: Reported, clients: int) -> None:
    before = int(ask_once(asgi.port, request("/tasks")).body)
    waiting = [Client(asgi.port, receive_buffer=8192) for _ in range(clients)]
    for number, client in enumerate(waiting):
        client.send(request(f"/ten-megabytes/a09-{clients}-{number}"))
        client.read_until(b"\r\n\r\n")
    time.sleep(0.2)
    for client in waiting:
        client.reset()
    for number in range(clients):
        key = f"a09-{clients}-{number}"
        asgi.wait_for(key, lambda seen: "ended" in seen, "a sender still waits for its client")
    deadline = time.monotonic() + 2 * SLOW
    while int(ask_once(asgi.port, request("/tasks")).body) > before:
        assert time.monotonic() < deadline, "tasks piled up"
        time.sleep(0.02)


def test_a10_sender_is_only_so_far_ahead_of_its_client(asgi: Reported) -> None:
    with Client(asgi.port, receive_buffer=8192) as client:
        client.send(request("/ten-megabytes/a10"))
        client.read_until(b"\r\n\r\n")
        time.sleep(1 * SLOW)
        accepted = asgi.seen("a10").count("sent")
        assert accepted * 1_000_000 <= AHEAD_BYTES_MAX
        client.read_exactly(9_000_000)
        asgi.wait_for("a10", lambda seen: seen.count("sent") == 10, "the stream did not go on")


def test_a11_endless_iterable_is_asked_only_so_far_ahead(wsgi: Reported) -> None:
    with Client(wsgi.port, receive_buffer=8192) as client:
        client.send(request("/endless/a11"))
        client.read_until(b"\0" * 10_000)
        time.sleep(0.7 * SLOW)
        blocks = wsgi.seen("a11")["blocks"]
        assert blocks * 65536 <= AHEAD_BYTES_MAX
        time.sleep(0.3 * SLOW)
        assert wsgi.seen("a11")["blocks"] == blocks, "nobody reads, yet the iterable is asked"
        client.reset()
    wsgi.wait_for("a11", lambda seen: seen["closed"] == 1, "close() was not called")


def test_a12_endless_stream_does_not_starve_the_next_request(start: Start) -> None:
    server = start("reported_wsgi:app", "--interface", "wsgi", "--blocking-threads", "4")
    with Client(server.port) as streaming:
        streaming.send(request("/ticks/a12"))
        streaming.read_until(b"tick\n")
        for _ in range(3):
            assert ask_once(server.port, request("/plain/alone")).body == b"alone"
