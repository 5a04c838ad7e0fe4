"""What the report tests share. Each file is a kind of report, each test begins with its number; the
reports themselves, whom they befell and what is right are in docs/reports.md."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from overbite_conform.client import ask_once
from overbite_conform.pytest_plugin import ServerFactory
from overbite_conform.servers import SLOW, Server
from overbite_conform.wire import request

APPS = Path(__file__).parent / "apps"

Start = Callable[..., Server]


class Reported:
    """A server that runs the reported applications, and what they noted."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.port = server.port

    def seen(self, key: str) -> Any:
        return json.loads(ask_once(self.port, request(f"/seen/{key}")).body)

    def wait_for(self, key: str, wanted: Callable[[Any], bool], why: str) -> Any:
        """What was noted, once it is as wanted."""
        deadline = time.monotonic() + 5 * SLOW
        while not wanted(found := self.seen(key)):
            assert time.monotonic() < deadline, f"{why}: {found}"
            time.sleep(0.02)
        return found


@pytest.fixture
def start(servers: ServerFactory) -> Start:
    """start(name, *options): a server of this test that runs one of the applications."""

    def start_one(application: str, *options: str) -> Server:
        return servers.overbite(application, *options, app_dir=APPS)

    return start_one


@pytest.fixture(scope="module")
def asgi(module_servers: ServerFactory) -> Reported:
    return Reported(module_servers.overbite("reported:app", app_dir=APPS))


WSGI_SHAPES = {"pool": (), "inline": ("--blocking-threads", "0")}


@pytest.fixture(scope="module", params=list(WSGI_SHAPES))
def wsgi(request: pytest.FixtureRequest, module_servers: ServerFactory) -> Reported:
    options = ("--interface", "wsgi", *WSGI_SHAPES[request.param])
    return Reported(module_servers.overbite("reported_wsgi:app", *options, app_dir=APPS))
