"""Starts an arm, loads it, reads its processor time."""

from __future__ import annotations

import argparse
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app import BODY
from building import BASE, SOURCES, Arm, say

START_S = 10.0  # until an arm answers
WARM_S = 1  # of load before the one that counts
HEADERS = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:135.0) Gecko/20100101 Firefox/135.0",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en-GB,en;q=0.7,de;q=0.3",
    "Accept-Encoding": "gzip, deflate, br, zstd",
    "Referer": "http://127.0.0.1/start/page?query=of+a+search",
    "Cookie": "session=9f86d081884c7d659a2feaa0c55ad015; theme=dark; csrftoken=a3f5b1",
    "Upgrade-Insecure-Requests": "1",
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Site": "same-origin",
}
"""With wrk's Host: eleven, of a browser's navigation."""


@dataclass
class Row:
    """One arm in one round."""

    arm: str
    round: int
    requests: int = 0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    failed: str = ""  # why it does not count

    @property
    def us(self) -> float:
        """Processor time of a request, in microseconds."""
        return self.cpu_s / self.requests * 1e6


class MeasureError(Exception):
    """An arm that did not start, answered otherwise, or lost requests."""


def family(pid: int) -> list[int]:
    """The process and all below it."""
    pids = [pid]
    for parent in pids:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            pids += [int(child) for child in task.read_text().split()]
    return pids


def cpu_s(pid: int) -> float:
    """Processor seconds of the process and its children, by their CPU clocks (nanoseconds)."""
    # clock_getcpuclockid(3): the complement of the pid, and CPUCLOCK_SCHED (2) in the low bits.
    return sum(time.clock_gettime((~member << 3) | 2) for member in family(pid))


def free_port() -> int:
    """One that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answer(port: int) -> bytes:
    """The whole answer to one request."""
    with socket.create_connection(("127.0.0.1", port), timeout=2) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        got = b""
        while not got.endswith(BODY):
            piece = client.recv(65536)
            if not piece:
                break
            got += piece
    return re.sub(rb"(?i)(\r\ndate: )[^\r]*", rb"\1-", got)


def first_answer(server: subprocess.Popen[bytes], port: int) -> bytes:
    """Waits until the arm answers."""
    end = time.monotonic() + START_S
    while time.monotonic() < end and server.poll() is None:
        with suppress(OSError):
            got = answer(port)
            if not (got.startswith(b"HTTP/1.1 200") and got.endswith(BODY)):
                raise MeasureError(f"answers {got[:60]!r}")
            return got
        time.sleep(0.05)
    raise MeasureError(f"did not start (exit status {server.poll()})")


def load(wrk: Path, port: int, seconds: float, given: argparse.Namespace) -> tuple[int, float]:
    """One run of wrk on its core: requests and seconds."""
    headers = [word for pair in HEADERS.items() for word in ("-H", ": ".join(pair))]
    command = [str(wrk), "-t1", f"-c{given.connections}", f"-d{round(seconds)}s", *headers]
    cores = given.cores if given.unpinned else given.cores[-1:]
    done = subprocess.run(
        [*command, f"http://127.0.0.1:{port}/"],
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds + 30,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )
    counted = re.search(r"(\d+) requests in ([\d.]+)(m?s)", done.stdout)
    if counted is None or int(counted.group(1)) == 0:
        raise MeasureError(f"wrk counted nothing: {(done.stderr or done.stdout).strip()[-80:]}")
    lost = re.search(r"Socket errors.*|Non-2xx.*", done.stdout)
    if lost:
        raise MeasureError(lost.group(0))
    unit = 1.0 if counted.group(3) == "s" else 1e-3
    return int(counted.group(1)), float(counted.group(2)) * unit


def measure_one(wrk: Path, arm: Arm, row: Row, given: argparse.Namespace) -> bytes:
    """A fresh server, a warm-up, the load that counts; fills the row, gives the arm's answer."""
    port = free_port()
    command = [word.replace("{port}", str(port)) for word in arm.command]
    cores = given.cores if given.unpinned else given.cores[:1]
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(
            command,
            cwd=SOURCES,
            env={**os.environ, **arm.environment},
            stdout=log,
            stderr=log,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
            start_new_session=True,
        )
        try:
            got = first_answer(server, port)
            load(wrk, port, WARM_S, given)
            before = cpu_s(server.pid)
            row.requests, row.wall_s = load(wrk, port, given.seconds, given)
            row.cpu_s = cpu_s(server.pid) - before
        finally:
            stop(server)
    return got


def stop(server: subprocess.Popen[bytes]) -> None:
    """TERM, then KILL for what is left, to the group that this script started."""
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        server.wait(timeout=3)
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()


def measure(wrk: Path, arms: list[Arm], given: argparse.Namespace) -> list[Row]:
    """Every arm in every round, in an order that is rotated by one each round."""
    present = [arm for arm in arms if not arm.missing]
    rows: list[Row] = []
    heads: dict[str, bytes] = {}
    for number in range(given.rounds):
        shift = number % max(len(present), 1)
        for arm in present[shift:] + present[:shift]:
            row = Row(arm.name, number)
            rows.append(row)
            try:
                heads[arm.name] = measure_one(wrk, arm, row, given)
            except (MeasureError, OSError, subprocess.TimeoutExpired) as error:
                row.failed = str(error)
            told = row.failed or f"{row.us:.2f} us a request"
            say(f"round {number + 1} of {given.rounds}: {arm.name}: {told}")
    fail_other_answers(present, rows, heads)
    return rows


def fail_other_answers(arms: list[Arm], rows: list[Row], heads: dict[str, bytes]) -> None:
    """What answers otherwise than uvicorn, but should not, is not compared with it."""
    for arm in arms:
        got, wanted = heads.get(arm.name), heads.get(BASE)
        if arm.same_head and got is not None and wanted is not None and got != wanted:
            for row in rows:
                if row.arm == arm.name and not row.failed:
                    row.failed = f"another answer than uvicorn's: {got!r}"
