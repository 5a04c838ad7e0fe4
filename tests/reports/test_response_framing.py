"""R: where a response ends, and what it is made of."""

import pytest
from overbite_conform.client import Client
from overbite_conform.player import EOF
from overbite_conform.wire import request

from .conftest import Reported


@pytest.mark.parametrize("status", [204, 304])
def test_a29_status_without_a_body_has_none(asgi: Reported, status: int) -> None:
    with Client(asgi.port) as client:
        response = client.ask(request(f"/bodiless/{status}"))
        assert response.status == status
        assert response.field(b"transfer-encoding") is None
        if client.state() != EOF:
            assert client.ask(request("/no-length")).body == b"hello"
        assert not client.unread


def test_a30_head_has_no_last_chunk(asgi: Reported) -> None:
    with Client(asgi.port) as client:
        client.send(request("/no-length", method="HEAD") + request("/no-length"))
        head = client.response(head_only=True)
        get = client.response()
    assert get.body == b"hello"
    names = [name for name, _ in get.fields if name != b"transfer-encoding"]
    assert [name for name, _ in head.fields] == names


@pytest.mark.parametrize("line_end", ["%0d%0a", "%0a", "%0d", "%00"])
def test_a31_value_cannot_break_its_line(asgi: Reported, line_end: str) -> None:
    with Client(asgi.port) as client:
        client.send(request(f"/location/a{line_end}X-Evil:%201"))
        assert b"x-evil" not in client.read_to_end().lower()


def test_a32_response_has_one_framing(asgi: Reported) -> None:
    with Client(asgi.port) as client:
        response = client.ask(request("/both-framings"))
        assert response.body == b"hello"
        framings = [response.field(b"content-length"), response.field(b"transfer-encoding")]
        assert framings.count(None) == 1
        assert client.ask(request("/no-length")).body == b"hello"
