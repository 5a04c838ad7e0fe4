"""G: what PEP 3333 promises an application."""

import pytest
from overbite_conform.client import Client, ask_once
from overbite_conform.player import EOF
from overbite_conform.wire import request

from .conftest import Reported


@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_a35_close_is_called_once_wherever_the_iterable_fails(wsgi: Reported, at: int) -> None:
    with Client(wsgi.port) as client:
        client.send(request(f"/fails-at/{at}", "Connection: close"))
        client.read_to_end()
    seen = wsgi.wait_for(str(at), lambda seen: seen["closed"] > 0, "close() was not called")
    assert seen == {"blocks": min(at, 3), "closed": 1}


def test_a35_writer_is_a_writer(wsgi: Reported) -> None:
    assert ask_once(wsgi.port, request("/writer/a35")).body == b"hello world"
    wsgi.wait_for("a35", lambda seen: seen["closed"] == 1, "close() was not called")


def test_a35_body_that_is_too_short_ends_with_its_connection(wsgi: Reported) -> None:
    with Client(wsgi.port) as client:
        client.send(request("/short/a35-short"))
        assert client.read_to_end().endswith(b"\r\n\r\nhello world")
        assert client.state() == EOF
    assert "shorter than Content-Length" in wsgi.server.log()


@pytest.mark.parametrize("step", [0, 1, 2, 5])
def test_a36_head_waits_for_the_first_block(wsgi: Reported, step: int) -> None:
    response = ask_once(wsgi.port, request(f"/starts-late/{step}"))
    assert (response.status, response.body) == (404, b"x")
    assert response.field(b"x-late") == str(step).encode()


@pytest.mark.parametrize("step", [0, 1, 5])
def test_a36_head_may_be_replaced_until_then(wsgi: Reported, step: int) -> None:
    response = ask_once(wsgi.port, request(f"/starts-again/{step}"))
    assert (response.status, response.body) == (503, b"replaced")
    assert response.field(b"x-first") is None
