"""D: clients that go, and applications that cancel."""

from overbite_conform.client import Client
from overbite_conform.wire import request

from .conftest import Reported


def test_a01_loss_reaches_an_application_at_work(asgi: Reported) -> None:
    with Client(asgi.port) as client:
        client.send(request("/busy-listener/a01"))
        asgi.wait_for("a01", lambda seen: "http.request" in seen, "no request came")
        client.reset()
    seen = asgi.wait_for("a01", lambda seen: "http.disconnect" in seen, "the loss went unheard")
    assert seen == ["waiting", "http.request", "http.disconnect"]


def test_a02_receive_behind_the_body_waits(asgi: Reported) -> None:
    with Client(asgi.port) as client:
        assert client.ask(request("/second-receive")).body == b"http.request False, nothing"


def test_a03_cancelled_listener_is_cancelled(asgi: Reported) -> None:
    with Client(asgi.port) as client:
        assert client.ask(request("/own-listener/a03")).body == b"answered"
        seen = asgi.wait_for("a03", bool, "the cancelled listener did not end")
    # The response is complete, so a listener that had been resumed may know of the end instead.
    assert seen in (["cancelled"], ["http.disconnect"])


def test_a04_iterable_is_left_and_closed_once_when_its_client_goes(wsgi: Reported) -> None:
    with Client(wsgi.port) as client:
        client.send(request("/slow-blocks/a04"))
        client.read_until(b"k" * 1000)
        client.reset()
    seen = wsgi.wait_for("a04", lambda seen: seen["closed"] > 0, "close() was not called")
    assert seen["closed"] == 1
    assert seen["blocks"] < 1000
