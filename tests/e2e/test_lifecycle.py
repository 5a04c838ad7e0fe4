"""Starting and stopping: lifespan, signals, drain, and one clear line for every wrong start."""

import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest
from overbite_conform.client import Client, ask_once
from overbite_conform.player import EOF, OPEN
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

BY_SIGTERM = -signal.SIGTERM
"""Exit status after SIGTERM: cleaned up, then ended by the signal, as service managers expect."""


class Lifespans:
    """Starts the applications of lifespans.py and reads what they noted."""

    def __init__(self, servers: ServerFactory, folder: Path) -> None:
        self._servers = servers
        self.file = folder / "events"
        self.file.touch()
        self.env = {"LIFESPAN_EVENTS": str(self.file)}

    def start(self, name: str, *options: str) -> Server:
        return self._servers.overbite(f"lifespans:{name}", *options, app_dir=APPS, env=self.env)

    def events(self) -> list[str]:
        return self.file.read_text(encoding="utf-8").split()

    def wait_for(self, event: str) -> None:
        deadline = time.monotonic() + 5 * SLOW
        while event not in self.events():
            assert time.monotonic() < deadline, f"no {event!r} among {self.events()}"
            time.sleep(0.01)


@pytest.fixture
def lifespans(servers: ServerFactory, tmp_path: Path) -> Lifespans:
    return Lifespans(servers, tmp_path)


def stop_in_background(server: Server) -> threading.Thread:
    """Sends SIGTERM now; the thread ends when the process has."""
    server.ended_as_asked = True
    server.process.terminate()
    thread = threading.Thread(target=server.process.wait)
    thread.start()
    return thread


def test_lifespan_events_come_once_each_and_in_order(lifespans: Lifespans) -> None:
    server = lifespans.start("good")
    assert lifespans.events() == ["startup"]
    assert ask_once(server.port, request("/")).body == b"ok"
    assert server.stop() == BY_SIGTERM
    assert lifespans.events() == ["startup", "shutdown"]


def test_lifespan_state_is_copied_for_every_request(lifespans: Lifespans) -> None:
    server = lifespans.start("good")
    bodies = {ask_once(server.port, request("/state")).body for _ in range(3)}
    assert bodies == {b"{'colour': 'green'}"}


def test_no_request_is_served_before_startup_is_complete(lifespans: Lifespans) -> None:
    port = free_port()
    started = time.monotonic()
    answer: list[bytes] = []

    def connect_early() -> None:
        while time.monotonic() - started < 10 * SLOW:
            try:
                answer.append(ask_once(port, request("/state")).body)
                return
            except ConnectionRefusedError:
                time.sleep(0.01)

    thread = threading.Thread(target=connect_early)
    thread.start()
    lifespans.start("slow_to_start", "--port", str(port))
    thread.join()
    assert answer == [b"{'colour': 'green'}"]


def test_failed_startup_exits_with_3_says_why_and_frees_the_port(lifespans: Lifespans) -> None:
    port = free_port()
    result = run_to_end("lifespans:failing", "--port", str(port), env=lifespans.env)
    assert result.returncode == 3
    assert "the database is down" in result.stderr
    assert "running on" not in result.stderr
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", port))


def test_exception_in_startup_is_shown_and_the_server_goes_on(lifespans: Lifespans) -> None:
    server = lifespans.start("raising")
    assert ask_once(server.port, request("/")).body == b"ok"
    assert server.stop() == BY_SIGTERM
    assert lifespans.events() == ["startup"]
    assert "lifespan" in server.log()


def test_application_without_lifespan_is_served(lifespans: Lifespans) -> None:
    server = lifespans.start("without_lifespan")
    assert ask_once(server.port, request("/")).body == b"ok"
    assert server.stop() == BY_SIGTERM


def test_exception_in_shutdown_is_logged(lifespans: Lifespans) -> None:
    server = lifespans.start("raising_at_shutdown")
    server.stop()
    assert lifespans.events() == ["startup", "shutdown"]
    assert "shutdown boom" in server.log()


@pytest.mark.parametrize(
    ("signal_number", "status"),
    [(signal.SIGINT, 0), (signal.SIGTERM, BY_SIGTERM)],
    ids=["SIGINT", "SIGTERM"],
)
def test_stop_signal_wakes_a_server_without_connections(
    lifespans: Lifespans, signal_number: int, status: int
) -> None:
    server = lifespans.start("good")
    began = time.monotonic()
    assert server.stop(signal_number) == status
    assert time.monotonic() - began < 2 * SLOW


def test_sigterm_lets_a_running_response_finish(lifespans: Lifespans) -> None:
    server = lifespans.start("good")
    with Client(server.port) as client:
        client.send(request("/slow"))
        lifespans.wait_for("slow-begins")
        stopping = stop_in_background(server)
        response = client.response()
        assert (response.status, response.body) == (200, b"slow")
        assert client.state(within_s=2) == EOF
        stopping.join()
    assert server.process.returncode == BY_SIGTERM
    assert lifespans.events() == ["startup", "slow-begins", "shutdown"]


def test_response_finished_during_the_drain_announces_the_close(lifespans: Lifespans) -> None:
    server = lifespans.start("good")
    with Client(server.port) as client:
        client.send(request("/slow"))
        lifespans.wait_for("slow-begins")
        stopping = stop_in_background(server)
        time.sleep(0.1)
        assert client.response().field(b"connection") == b"close"
        stopping.join()


def test_sigterm_closes_idle_connections_at_once(lifespans: Lifespans) -> None:
    server = lifespans.start("good")
    with Client(server.port) as client, Client(server.port) as silent:
        client.ask(request("/"))
        began = time.monotonic()
        stopping = stop_in_background(server)
        assert client.state(within_s=2) == EOF
        assert silent.state(within_s=2) == EOF
        stopping.join()
        assert time.monotonic() - began < 2 * SLOW
    assert server.process.returncode == BY_SIGTERM


def test_client_that_keeps_asking_does_not_keep_the_server_alive(lifespans: Lifespans) -> None:
    server = lifespans.start("good")
    with Client(server.port) as client:
        client.ask(request("/"))
        stopping = stop_in_background(server)
        answered = 0
        while client.state(within_s=0.05) == OPEN and answered < 100:
            client.ask(request("/"))
            answered += 1
        assert answered <= 1
        stopping.join()
    assert server.process.returncode == BY_SIGTERM


def test_endless_response_is_told_about_the_stop(lifespans: Lifespans) -> None:
    server = lifespans.start("good")
    with Client(server.port, limit_s=15) as client:
        client.send(request("/stream"))
        client.read_until(b"tick\n")
        stopping = stop_in_background(server)
        client.read_to_end()
        stopping.join(15 * SLOW)
    assert server.process.returncode == BY_SIGTERM
    assert lifespans.events() == ["startup", "http.disconnect", "shutdown"]


def test_port_is_free_again_after_the_stop(lifespans: Lifespans) -> None:
    port = free_port()
    for _ in range(2):
        server = lifespans.start("good", "--port", str(port))
        assert ask_once(port, request("/")).body == b"ok"
        assert server.stop() == BY_SIGTERM


@pytest.mark.parametrize(
    ("application", "options"),
    [
        ("stuck:wsgi", ["--blocking-threads", "0"]),
        ("stuck:wsgi", ["--blocking-threads", "2"]),
        ("stuck:asgi", ["--interface", "asgi"]),
    ],
    ids=["wsgi-inline", "wsgi-pool", "asgi"],
)
@pytest.mark.parametrize(
    ("signal_number", "status"),
    [(signal.SIGINT, 0), (signal.SIGTERM, BY_SIGTERM)],
    ids=["SIGINT", "SIGTERM"],
)
def test_application_that_never_gives_control_back_does_not_hold_up_the_stop(
    servers: ServerFactory,
    tmp_path: Path,
    application: str,
    options: list[str],
    signal_number: int,
    status: int,
) -> None:
    stuck = tmp_path / "stuck"
    server = servers.overbite(
        application,
        *options,
        "--timeout-graceful-shutdown",
        "1",
        app_dir=APPS,
        env={"STUCK_EVENTS": str(stuck)},
    )
    with Client(server.port) as client:
        client.send(request("/"))
        while not stuck.exists():
            time.sleep(0.01)
        began = time.monotonic()
        assert server.stop(signal_number) == status
        # one second of grace and the margin of two behind it
        assert time.monotonic() - began < 3.5 * SLOW


# --- wrong starts ---------------------------------------------------------------------------------


def run_to_end(
    *arguments: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """overbite-serve with these arguments, expected to end by itself."""
    return subprocess.run(
        [str(overbite_binary()), *arguments],
        env={**server_environment(APPS), **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20 * SLOW,
    )


def one_line(result: subprocess.CompletedProcess[str]) -> str:
    """The error text, which is one line (the parser of options may add where to find help)."""
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    told = [line for line in lines if "--help" not in line]
    assert len(told) == 1, f"not one clear line: {result.stderr!r}"
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    return told[0]


def test_unknown_module_is_named() -> None:
    result = run_to_end("no_such_module:app", "--port", "0")
    assert result.returncode == 1
    assert "no_such_module" in one_line(result)


def test_unknown_attribute_is_named_with_its_module() -> None:
    result = run_to_end("lifespans:no_such_app", "--port", "0")
    assert result.returncode == 1
    line = one_line(result)
    assert "no_such_app" in line
    assert "lifespans" in line


def test_attribute_that_is_not_callable_is_named() -> None:
    result = run_to_end("lifespans:not_callable", "--port", "0")
    assert result.returncode == 1
    assert "not_callable" in one_line(result)


def test_application_without_a_colon_is_explained() -> None:
    result = run_to_end("lifespans", "--port", "0")
    assert result.returncode in (1, 2)
    assert "lifespans" in one_line(result)


def test_module_that_fails_while_importing_is_shown_with_its_error() -> None:
    result = run_to_end("broken_at_import:app", "--port", "0")
    assert result.returncode == 1
    assert "broken while importing" in result.stderr


def test_port_in_use_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = run_to_end("starlette_site:app", "--port", port)
    assert result.returncode == 1
    told = [line for line in result.stderr.splitlines() if port in line]
    assert len(told) == 1, result.stderr
    assert "running on" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["starlette_site:app", "--no-such-option"], "--no-such-option"),
        (["starlette_site:app", "--port", "abc"], "abc"),
        (["starlette_site:app", "--port", "70000"], "70000"),
        (["starlette_site:app", "--interface", "cgi"], "cgi"),
        (["starlette_site:app", "--quirks", "no-such-quirk"], "no-such-quirk"),
        (["starlette_site:app", "--blocking-threads", "-1"], "-1"),
        (["starlette_site:app", "--quirks", "uvicorn,body-with-204"], "'uvicorn' stands alone"),
        (["starlette_site:app", "--loop", "trio"], "trio"),
        (["starlette_site:app", "--app-dir", "no/such/folder"], "no/such/folder"),
        ([], "app"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_option_is_named_and_exits_with_2(arguments: list[str], named: str) -> None:
    result = run_to_end(*arguments)
    assert result.returncode == 2
    assert named.lower() in one_line(result).lower()


def test_virtual_environment_that_is_none_is_named() -> None:
    result = run_to_end("starlette_site:app", env={"VIRTUAL_ENV": "/no/such/environment"})
    assert result.returncode == 1
    assert "/no/such/environment" in one_line(result)


def test_host_that_is_no_address_is_named() -> None:
    result = run_to_end("starlette_site:app", "--host", "not an address", "--port", "0")
    assert result.returncode in (1, 2)
    assert "not an address" in result.stderr


def test_version_names_the_library() -> None:
    result = run_to_end("--version")
    assert result.returncode == 0
    lines = [line for line in result.stdout.splitlines() if line.startswith("overbite-library: ")]
    assert len(lines) == 1
    path, build_id = lines[0].split(" ")[1:]
    assert Path(path).is_file()
    assert len(build_id) >= 8
