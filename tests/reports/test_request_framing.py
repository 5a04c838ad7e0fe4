"""Q: where a request ends."""

import pytest
from overbite_conform.client import Client
from overbite_conform.player import EOF, OPEN
from overbite_conform.wire import chunked, post, request

from .conftest import Reported

ONE_CHUNK = b"1\r\nZ\r\n0\r\n\r\n"


@pytest.mark.parametrize("before", [True, False], ids=["before", "behind"])
def test_a25_only_space_and_tab_may_stand_around_a_coding(asgi: Reported, before: bool) -> None:
    """A comma is an empty element of the list; a tab behind a coding is refused by llhttp."""
    for byte in set(range(256)) - set(b"\r\n"):
        around = bytes([byte])
        value = around + b"chunked" if before else b"chunked" + around
        head = request("/echo", method="POST")[:-2] + b"Transfer-Encoding: " + value
        with Client(asgi.port) as client:
            client.send(head + b"\r\n\r\n" + ONE_CHUNK)
            response = client.response()
            if response.status == 200:
                assert around in b" \t,", value
                assert response.body == b"Z", value
            else:
                assert around != b" ", value
                assert response.status == 400, value
                assert client.state(1) == EOF, value


def test_a26_every_beginning_of_a_chunked_body_is_incomplete(asgi: Reported) -> None:
    whole = chunked("/echo", ONE_CHUNK)
    for size in range(len(whole) - len(ONE_CHUNK), len(whole)):
        with Client(asgi.port) as client:
            client.send(whole[:size])
            client.half_close()
            assert not client.read_to_end().startswith(b"HTTP/1.1 200"), whole[:size]


def test_a26_wrong_byte_behind_the_last_chunk_is_refused(asgi: Reported) -> None:
    with Client(asgi.port) as client:
        client.send(chunked("/echo", b"0\r\n\rX"))
        assert client.response().status == 400
        assert client.state(1) == EOF


@pytest.mark.parametrize("framing", ["chunked", "length"])
def test_a27_upgrade_that_is_not_taken_changes_nothing(asgi: Reported, framing: str) -> None:
    offer = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAA")
    if framing == "chunked":
        upload = chunked("/echo", b"3\r\nabc\r\n0\r\n\r\n", *offer)
    else:
        upload = post("/echo", b"abc", *offer)
    with Client(asgi.port) as client:
        client.send(upload + request("/no-length"))
        assert client.response().body == b"abc"
        assert client.response().body == b"hello"


@pytest.mark.parametrize("first", [0, 10, 50])
def test_a28_unread_body_is_never_a_request(asgi: Reported, first: int) -> None:
    body = b"0123456789" + b"GET /seen/smuggled HTTP/1.1\r\nHost: t\r\n\r\n"
    with Client(asgi.port) as client:
        client.send(post("/unread", body)[: -len(body) or None] + body[:first])
        assert client.response().body == b"unread"
        client.send(body[first:])
        if client.state() == OPEN:
            assert client.ask(request("/no-length")).body == b"hello"
        assert not client.unread
