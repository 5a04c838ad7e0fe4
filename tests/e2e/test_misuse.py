"""Applications that use the server as nobody should, and what it makes of them: an error for the
application, never the end of the server, and never memory or waiting without a bound."""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from overbite_conform.client import Client, ask_once
from overbite_conform.pytest_plugin import ServerFactory
from overbite_conform.servers import (
    SLOW,
    Server,
    free_port,
    overbite_binary,
    server_environment,
)
from overbite_conform.wire import request

APPS = Path(__file__).parent / "apps"
SHORT_GRACE = ("--timeout-graceful-shutdown", "1")


@pytest.fixture
def server(servers: ServerFactory) -> Server:
    return servers.overbite("misuse:app", *SHORT_GRACE, app_dir=APPS)


def noted(server: Server) -> list[str]:
    return json.loads(ask_once(server.port, request("/seen")).body)


def wait_for(server: Server, note: str, why: str) -> None:
    deadline = time.monotonic() + 3 * SLOW
    while note not in noted(server):
        assert time.monotonic() < deadline, why
        time.sleep(0.05)


def peak_kb(server: Server) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))


# --- tasks that outlive their request -------------------------------------------------------------


def test_receive_behind_a_failed_request_ends(server: Server) -> None:
    with Client(server.port) as client:
        client.send(request("/receive-behind"))
        client.read_to_end()
    wait_for(server, "http.disconnect", "a task waits for ever for a request that is over")


def test_send_behind_a_failed_request_keeps_nothing(server: Server) -> None:
    ask_once(server.port, request("/forget"))
    before = peak_kb(server)
    with Client(server.port) as client:
        client.send(request("/send-behind"))
        client.read_to_end()
    wait_for(server, "sent", "a task waits for ever for a request that is over")
    assert peak_kb(server) - before < 64 << 10, "what nobody can be sent is kept"


def test_send_that_waits_while_its_request_fails_ends(server: Server) -> None:
    with Client(server.port, receive_buffer=32768) as client:
        client.send(request("/sender-waits"))
        client.read_until(b"\r\n\r\n")
        wait_for(server, "sent", "a task waits for ever for a request that is over")


def test_many_late_errors_do_not_hold_up_the_stop(servers: ServerFactory) -> None:
    """Each failure behind a response is a message, and more come than the channel holds, when
    nobody reads them any more."""
    server = servers.overbite("misuse:app", "--quirks", "uvicorn", app_dir=APPS)
    for _ in range(400):
        assert ask_once(server.port, request("/work-behind")).body == b"answered"
    began = time.monotonic()
    server.process.send_signal(signal.SIGINT)
    server.ended_as_asked = True
    try:
        server.process.wait(5 * SLOW)
    except subprocess.TimeoutExpired:
        server.kill()
        pytest.fail("the executor waits for ever for a loop that has finished")
    assert server.process.returncode == 0
    assert time.monotonic() - began < 4 * SLOW


# --- a log that nobody reads ----------------------------------------------------------------------


def test_log_that_nobody_reads_does_not_stop_the_applications_threads(tmp_path: Path) -> None:
    ticks = tmp_path / "ticks"
    port = free_port()
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    process = subprocess.Popen(
        [str(overbite_binary()), "misuse:app", "--port", str(port)],
        env={**server_environment(APPS), "TICKS": str(ticks)},
        stdin=subprocess.DEVNULL,
        stderr=writing,
    )
    os.close(writing)
    try:
        deadline = time.monotonic() + 10 * SLOW
        while True:
            with contextlib.suppress(ConnectionRefusedError):
                ask_once(port, request("/start-ticking"))
                break
            assert time.monotonic() < deadline
            time.sleep(0.05)
        with contextlib.suppress(TimeoutError):
            while True:
                with Client(port, limit_s=1) as client:
                    client.ask(request("/no-answer"))
        before = ticks.stat().st_size
        time.sleep(0.5 * SLOW)
        assert ticks.stat().st_size > before, "every thread waits for whoever reads the log"
    finally:
        os.close(reading)
        process.kill()
        process.wait()


# --- send() inside send() -------------------------------------------------------------------------

EXPECTED_BODY = (
    "RuntimeError: Expected ASGI message 'http.response.body', but got 'http.response.start'."
)


@pytest.mark.parametrize(
    ("name", "body", "error"),
    [
        ("status", b"inner", EXPECTED_BODY),
        (
            "whole-in-status",
            b"inner",
            "RuntimeError: Unexpected ASGI message 'http.response.start' sent, after response "
            "already completed.",
        ),
        ("headers", b"inner", EXPECTED_BODY),
        ("failing-headers", b"inner", "ValueError: no headers"),
        (
            "body",
            b"inner",
            "RuntimeError: Unexpected ASGI message 'http.response.body' sent, after response "
            "already completed.",
        ),
        (
            "more-body",
            b"inner",
            "RuntimeError: Unexpected ASGI message 'http.response.body' sent, after response "
            "already completed.",
        ),
    ],
    ids=["status", "whole-in-status", "headers", "failing-headers", "body", "more-body"],
)
def test_message_that_sends_while_it_is_read_is_out_of_order(
    server: Server, name: str, body: bytes, error: str
) -> None:
    with Client(server.port) as client:
        client.send(request(f"/nested/{name}"))
        try:
            answer = client.response().body
        except (AssertionError, OSError):
            answer = b"nothing"
    assert server.process.poll() is None, "the message ended the server"
    assert answer == body
    assert noted(server) == [error]


@pytest.mark.parametrize("how", ["send", "throw"])
def test_request_that_steps_itself_is_running_already(server: Server, how: str) -> None:
    with Client(server.port) as client:
        client.send(request(f"/step-itself/{how}"))
        try:
            answer = client.response().body
        except (AssertionError, OSError):
            answer = b"nothing"
    assert answer == b"at once"
    time.sleep(0.1)
    assert server.process.poll() is None, "the step from inside ended the server"
    assert noted(server) == ["coroutine already executing"]


# --- tasks that begin inside create_task() --------------------------------------------------------


@pytest.fixture(params=["asyncio", "uvloop"])
def either_loop(request: pytest.FixtureRequest, servers: ServerFactory) -> Server:
    return servers.overbite("misuse:app", "--loop", request.param, *SHORT_GRACE, app_dir=APPS)


def test_task_factory_may_begin_at_once(either_loop: Server) -> None:
    server = either_loop
    with Client(server.port) as client:
        client.ask(request("/use-factory/eager"))
        for _ in range(3):
            client.send(request("/at-once"))
            try:
                answer = client.response().body
            except (AssertionError, OSError):
                answer = b"nothing"
            assert answer == b"at once", "a task that ends in create_task() ends the server"
        assert client.ask(request("/after-a-while")).body == b"after a while"
        assert client.ask(request("/at-once")).body == b"at once"


def test_request_that_no_task_goes_on_with_fails(either_loop: Server) -> None:
    server = either_loop
    with Client(server.port) as client:
        client.ask(request("/use-factory/refusing"))
        assert client.ask(request("/after-a-while")).status == 500
    assert "no more tasks" in server.log()
    assert server.stop(signal.SIGINT) == 0
