"""Starts and stops servers: by process id, with a bound on every wait, output kept in a file."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

SLOW = float(os.environ.get("OVERBITE_SLOW", "1"))
"""Every time limit is multiplied by this: sanitizer builds set 3."""

START_LIMIT_S = 20.0
STOP_LIMIT_S = 10.0

_RUNNING = re.compile(r"running on https?://[^\s:]+:(\d+)")
_SANITIZER = re.compile(
    r"ERROR: AddressSanitizer|WARNING: ThreadSanitizer|ERROR: LeakSanitizer"
    r"|runtime error: |CHECK failed"
)


class ServerError(RuntimeError):
    """A server could not be started, or ended when it should not have; the message holds its
    output."""


def free_port() -> int:
    """A port nobody listens on now. For servers that do not take port 0 or do not say where they
    listen."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def overbite_binary() -> Path:
    """overbite-serve of the build under test: $OVERBITE_BIN_DIR, else build/dev/bin of this
    checkout."""
    root = Path(__file__).resolve().parents[2]
    folder = Path(os.environ.get("OVERBITE_BIN_DIR", root / "build" / "dev" / "bin"))
    return folder / "overbite-serve"


def server_environment(app_dir: Path | None = None) -> dict[str, str]:
    """The environment of a server: our Python packages, no buffering, no byte code left in the
    tree."""
    paths = [str(Path(__file__).resolve().parents[1])]
    if app_dir is not None:
        paths.insert(0, str(app_dir))
    return {
        **os.environ,
        "VIRTUAL_ENV": os.environ.get("VIRTUAL_ENV", sys.prefix),
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        # An application that prints a set (Flask's Allow field) must print it alike everywhere.
        "PYTHONHASHSEED": "0",
    }


class Server:
    """One running server process. Use as a context manager; leaving it stops the process."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        port: int = 0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Starts `argv`. With `port` 0 the server must say `running on http://HOST:PORT`;
        otherwise it is
        running when it accepts on `port`. Raises ServerError when it does not get that far."""
        self.argv = list(argv)
        self.port = port
        self.ended_as_asked = False
        """Whether somebody stopped the server or waited for its end: any other end is a crash."""
        self._log = tempfile.NamedTemporaryFile(prefix="overbite-server-", suffix=".log")  # noqa: SIM115
        try:
            self.process = subprocess.Popen(
                self.argv,
                env=dict(environment if environment is not None else server_environment()),
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise ServerError(f"cannot start {self.argv[0]}: {error}") from error
        try:
            self._wait_until_running()
        except BaseException:
            self.kill()
            raise

    def _wait_until_running(self) -> None:
        deadline = time.monotonic() + START_LIMIT_S * SLOW
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            if self._is_running():
                return
            time.sleep(0.02)
        state = self.process.poll()
        what = "did not start in time" if state is None else f"exited with status {state}"
        raise ServerError(f"{' '.join(self.argv)}: {what}\n{self.log()}")

    def _is_running(self) -> bool:
        if self.port == 0:
            if found := _RUNNING.search(self.log()):
                self.port = int(found.group(1))
            return self.port != 0
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def log(self) -> str:
        """Everything the server printed so far."""
        return Path(self._log.name).read_text(encoding="utf-8", errors="replace")

    def sanitizer_report(self) -> str | None:
        """The log from the first sanitizer report or failed CHECK on, if there is one."""
        log = self.log()
        found = _SANITIZER.search(log)
        return log[found.start() :] if found else None

    def wait(self, limit_s: float = STOP_LIMIT_S) -> int:
        """Waits for the process to end by itself; its exit status, negative for a signal."""
        self.ended_as_asked = True
        try:
            return self.process.wait(limit_s * SLOW)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ServerError(
                f"{' '.join(self.argv)}: still running after {limit_s * SLOW:g} s\n{self.log()}"
            ) from None

    def stop(self, number: int = signal.SIGTERM, limit_s: float = STOP_LIMIT_S) -> int:
        """Asks the process to end, waits for it, and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.wait(limit_s)

    def kill(self) -> None:
        """Ends the process for certain and reaps it."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def close(self) -> None:
        self.kill()
        self._log.close()

    def __enter__(self) -> "Server":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self.process.poll() is None:
                self.stop()
        finally:
            self.close()


REFERENCES = {
    "uvicorn-httptools": ("--http", "httptools", "--loop", "uvloop"),
    "uvicorn-h11": ("--http", "h11", "--loop", "asyncio"),
}
"""Options of uvicorn by the name of the reference."""


def uvicorn(app: str, *options: str, reference: str = "uvicorn-httptools") -> list[str]:
    """The command of a reference server on a free port."""
    command = [sys.executable, "-m", "uvicorn", app, *REFERENCES[reference]]
    return [*command, "--lifespan", "auto", "--port", "0", *options]


def from_template(template: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """A command with {app}, {port}, {interface} and {quirks} replaced in each of its words."""
    return [
        re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), word)
        for word in template
    ]
