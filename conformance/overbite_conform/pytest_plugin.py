"""pytest fixtures that start servers, stop them by process id, and fail a test whose server
crashed.

A conftest.py imports the names it needs; nothing registers itself.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from overbite_conform.servers import (
    SLOW,
    Server,
    ServerError,
    overbite_binary,
    server_environment,
    uvicorn,
)

_BY_SIGTERM = -15
"""Exit status after SIGTERM: both servers clean up and then end by that signal."""


class ServerFactory:
    """Starts servers for one test or one module and checks each of them at the end."""

    def __init__(self) -> None:
        self._servers: list[Server] = []

    def overbite(
        self,
        app: str,
        *options: str,
        app_dir: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Server:
        """overbite-serve running `app` on a free port."""
        port = [] if "--port" in options else ["--port", "0"]
        command = [str(overbite_binary()), app, *port, *options]
        return self._start(command, app_dir, env)

    def uvicorn(
        self,
        app: str,
        *options: str,
        app_dir: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Server:
        """The reference running `app` on a free port."""
        return self._start(uvicorn(app, *options), app_dir, env)

    def _start(
        self, command: list[str], app_dir: Path | None, env: Mapping[str, str] | None
    ) -> Server:
        server = Server(command, environment={**server_environment(app_dir), **(env or {})})
        self._servers.append(server)
        return server

    def finish(self) -> None:
        """Stops what still runs. Fails for a crash, a sanitizer report, or a server that does not
        stop."""
        faults = []
        for server in self._servers:
            try:
                faults += self._finish_one(server)
            finally:
                server.close()
        self._servers.clear()
        if faults:
            pytest.fail("\n".join(faults), pytrace=False)

    @staticmethod
    def _finish_one(server: Server) -> Iterator[str]:
        name = Path(server.argv[0]).name
        if server.process.poll() is None:
            try:
                status = server.stop()
            except ServerError as error:
                yield str(error)
                return
            if status != _BY_SIGTERM:
                yield f"{name} ended with status {status} when stopped\n{server.log()}"
        elif not server.ended_as_asked:
            yield f"{name} ended by itself with status {server.process.poll()}\n{server.log()}"
        if report := server.sanitizer_report():
            yield f"{name} reported:\n{report}"


@pytest.fixture
def servers() -> Iterator[ServerFactory]:
    """Servers that live for one test."""
    factory = ServerFactory()
    yield factory
    factory.finish()


@pytest.fixture(scope="module")
def module_servers() -> Iterator[ServerFactory]:
    """Servers that live for all tests of a module."""
    factory = ServerFactory()
    yield factory
    factory.finish()


@pytest.fixture
def serve(servers: ServerFactory) -> object:
    """serve(app, *options, app_dir=..., env=...) starts overbite-serve."""
    return servers.overbite


@pytest.fixture
def uvicorn_serve(servers: ServerFactory) -> object:
    """uvicorn_serve(app, *options, app_dir=..., env=...) starts the reference."""
    return servers.uvicorn


def write_library_proof() -> None:
    """Writes which server library overbite-serve has loaded to the file that
    $OVERBITE_LIBRARY_PROOF
    names: a sabotage run must be able to prove that the altered library was the one tested."""
    target = os.environ.get("OVERBITE_LIBRARY_PROOF")
    if not target:
        return
    result = subprocess.run(
        [str(overbite_binary()), "--version"],
        capture_output=True,
        text=True,
        timeout=20 * SLOW,
        check=True,
    )
    lines = [line for line in result.stdout.splitlines() if line.startswith("overbite-library: ")]
    if len(lines) != 1:
        raise pytest.UsageError(f"overbite-serve --version names no library: {result.stdout!r}")
    Path(target).write_text(lines[0] + "\n", encoding="utf-8")
