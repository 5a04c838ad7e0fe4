"""E: Expect: 100-continue."""

import pytest
from overbite_conform.client import Client
from overbite_conform.player import OPEN
from overbite_conform.wire import post, request

from .conftest import Reported

EXPECT = "Expect: 100-continue"


@pytest.mark.parametrize(
    ("fields", "version", "interim"),
    [
        ((EXPECT,), "HTTP/1.1", 1),
        ((EXPECT, EXPECT), "HTTP/1.1", 1),
        ((EXPECT,), "HTTP/1.0", 0),
        (("Expect: something",), "HTTP/1.1", 0),
    ],
    ids=["once", "twice", "old", "unknown"],
)
def test_a33_one_continue_for_one_request(
    asgi: Reported, fields: tuple[str, ...], version: str, interim: int
) -> None:
    with Client(asgi.port) as client:
        upload = post("/count-pieces", b"0123456789", *fields, "Connection: close", version=version)
        client.send(upload[:-10])
        if interim:
            assert client.response().status == 100
        for byte in b"0123456789":
            client.send(bytes([byte]))
        response = client.response()
        assert (response.status, response.body) == (200, b"10")
        assert client.read_to_end() == b""


@pytest.mark.parametrize("body_first", [True, False], ids=["body-comes", "body-comes-late"])
def test_a34_body_behind_a_refusal_is_no_request(asgi: Reported, body_first: bool) -> None:
    body = b"GET /admin HTTP/1.1\r\nHost: t\r\n\r\n"
    upload = post("/unread", body, EXPECT)
    with Client(asgi.port) as client:
        client.send(upload if body_first else upload[: -len(body)])
        assert client.response().status == 401
        if client.state() == OPEN:
            if not body_first:
                client.send(body)
            assert client.ask(request("/no-length")).body == b"hello"
        assert not client.unread
