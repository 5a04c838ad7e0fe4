"""M: who owns what, and for how long."""

import threading

import pytest
from overbite_conform.client import Client, ask_once
from overbite_conform.servers import SLOW
from overbite_conform.wire import request

from .conftest import Reported, Start

REQUESTS = 400


@pytest.mark.parametrize("interface", ["asgi", "wsgi"])
def test_a38_what_an_application_keeps_stays_whole(start: Start, interface: str) -> None:
    name = "reported:app" if interface == "asgi" else "reported_wsgi:app"
    server = start(name, "--interface", interface)
    sizes = []
    with Client(server.port) as client:
        for number in range(REQUESTS):
            sizes.append(int(client.ask(request(f"/keep/{number:04}")).body))
    assert sizes == [sizes[0] * (number + 1) for number in range(REQUESTS)]


@pytest.mark.parametrize("ending", ["answered", "fails"])
def test_a39_objects_of_a_request_die_without_the_collector(asgi: Reported, ending: str) -> None:
    for _ in range(50):
        with Client(asgi.port) as client:
            client.ask(request(f"/weight/{ending}"))
    assert ask_once(asgi.port, request("/alive")).body == b"0"


def test_a40_responses_made_side_by_side_do_not_mix(start: Start) -> None:
    server = start("reported_wsgi:app", "--interface", "wsgi", "--blocking-threads", "8")
    mixed: list[str] = []

    def ask(letter: str) -> None:
        with Client(server.port, limit_s=30) as client:
            for _ in range(int(400 / SLOW)):
                response = client.ask(request(f"/pattern/{letter}"))
                if response.field(b"x-pattern") != letter.encode():
                    mixed.append(letter)
                if response.body != letter.encode() * 4096:
                    mixed.append(letter)

    threads = [threading.Thread(target=ask, args=(letter,)) for letter in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert mixed == []
