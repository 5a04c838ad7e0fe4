"""L: applications that start, and end, in other ways than the good one."""

import contextlib
import signal
import socket
import subprocess
import threading

import pytest
from overbite_conform.client import ask_once
from overbite_conform.servers import SLOW, free_port, overbite_binary, server_environment
from overbite_conform.wire import request

from .conftest import APPS, Reported, Start


def run_to_end(application: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(overbite_binary()), f"reported:{application}", *options],
        env=server_environment(APPS),
        capture_output=True,
        text=True,
        timeout=10 * SLOW,
        check=False,
    )


@pytest.mark.parametrize(
    ("application", "error"),
    [("raises_at_once", "boom before receive"), ("raises_in_startup", "boom in startup")],
)
def test_a17_exception_in_startup_is_shown(start: Start, application: str, error: str) -> None:
    server = start(f"reported:{application}")
    assert f"ValueError: {error}" in server.log()
    assert ask_once(server.port, request("/no-length")).body == b"hello"


@pytest.mark.parametrize("application", ["raises_at_once", "raises_in_startup"])
def test_a17_exception_in_startup_ends_a_server_that_needs_the_lifespan(application: str) -> None:
    ended = run_to_end(application, "--port", "0", "--lifespan", "on")
    assert ended.returncode == 3
    assert "ValueError: boom" in ended.stderr
    assert "Application startup failed. Exiting." in ended.stderr


def test_a17_application_is_not_asked_when_the_lifespan_is_off(start: Start) -> None:
    server = start("reported:startup_fails", "--lifespan", "off")
    assert ask_once(server.port, request("/no-length")).body == b"hello"
    assert "startup" not in server.log()


def test_a18_no_request_is_answered_before_startup_is_complete(start: Start) -> None:
    port = free_port()
    answers: list[object] = []

    def ask_at_once() -> None:
        while not answers:
            with contextlib.suppress(OSError):  # nobody listens yet
                answers.append(ask_once(port, request("/seen/started")).body)

    thread = threading.Thread(target=ask_at_once)
    thread.start()
    start("reported:starts_slowly", "--port", str(port))
    thread.join()
    assert answers == [b"[true]"]


def test_a19_failed_startup_is_a_failure_and_frees_the_port() -> None:
    port = free_port()
    ended = run_to_end("startup_fails", "--port", str(port))
    assert ended.returncode == 3
    assert "Application startup failed. Exiting." in ended.stderr
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", port))


@pytest.mark.parametrize(
    ("application", "said"),
    [
        ("raises_in_shutdown", "ValueError: boom in shutdown"),
        ("shutdown_fails", "Application shutdown failed. Exiting."),
    ],
    ids=["raises", "fails"],
)
def test_a20_failure_in_shutdown_is_logged(start: Start, application: str, said: str) -> None:
    server = start(f"reported:{application}")
    Reported(server).seen("nothing")
    assert server.stop(signal.SIGINT) == 3, "the failure is in no exit status"
    assert said in server.log()
