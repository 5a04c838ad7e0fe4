"""A WSGI application that gets into the situations of test_wsgi.py and remembers what it saw.

/SITUATION/KEY runs a situation; /events/KEY answers what it noted, as JSON.
"""

import contextlib
import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Environ = dict[str, Any]
Start = Callable[..., Callable[[bytes], Any]]

COUNTS: defaultdict[str, dict[str, int]] = defaultdict(
    lambda: {"pieces": 0, "closed": 0, "threads": 0}
)
KEPT: list[Environ] = []


class Pieces:
    """Yields `piece` `count` times; counts what was asked for and how often close() was called."""

    def __init__(
        self, key: str, piece: bytes, count: int, pause_s: float, fail_at: int = -1
    ) -> None:
        self._counts = COUNTS[key]
        self._piece = piece
        self._left = count
        self._pause_s = pause_s
        self._fail_at = fail_at

    def __iter__(self) -> "Pieces":
        return self

    def __next__(self) -> bytes:
        if self._counts["pieces"] == self._fail_at:
            raise ValueError("the iterable failed")
        if self._left == 0:
            raise StopIteration
        self._left -= 1
        self._counts["pieces"] += 1
        if self._pause_s:
            time.sleep(self._pause_s)
        return self._piece

    def close(self) -> None:
        self._counts["closed"] += 1


def slow_stream(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [])
    return Pieces(key, b"x" * 1024, 10_000, 0.01)


def flood(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [])
    return Pieces(key, b"\0" * 65536, 4096, 0)


def three_pieces(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [])
    return Pieces(key, b"abc", 3, 0)


def failing_pieces(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [])
    return Pieces(key, b"abc", 10, 0, fail_at=2)


def short_body(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Length", "300")])
    return Pieces(key, b"hello world", 1, 0)


def writer(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    write = start("200 OK", [("X-Writer", "yes")])
    write(b"written ")
    return [b"and returned"]


def slow_writer(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    """Writes, and takes its time before it returns."""
    write = start("200 OK", [])
    write(b"written ")
    time.sleep(0.7)
    write(b"later ")
    time.sleep(0.7)
    return [b"and returned"]


def write_flood(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    """Writes 256 MB; counts the pieces, and what ended it."""
    write = start("200 OK", [])
    try:
        for _ in range(4096):
            write(b"\0" * 65536)
            COUNTS[key]["pieces"] += 1
    except OSError as error:
        COUNTS[key][type(error).__name__] = 1
        raise
    except RuntimeError as error:
        COUNTS[key][str(error)] = 1
        raise
    finally:
        COUNTS[key]["closed"] += 1
    return []


def stubborn_writer(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    """Goes on though its head was refused."""
    write = start("200 OK", [("Content-Length", "3"), ("Content-Length", "4")])
    for _ in range(2):
        with contextlib.suppress(RuntimeError):
            write(b"abc")
    return [b"abc"]


def late_start(key: str, environ: Environ, start: Start) -> Iterator[bytes]:
    start("404 Not Found", [("X-Late", "yes")])
    yield b""
    yield b"x"


def replaced_start(key: str, environ: Environ, start: Start) -> Iterator[bytes]:
    """An error found before the first byte of body replaces the head (PEP 3333)."""
    start("200 OK", [("X-First", "yes")])
    yield b""
    try:
        raise ValueError("found late")
    except ValueError as error:
        start("503 Service Unavailable", [("X-Second", "yes")], (type(error), error, None))
    yield b"replaced"


def sleep(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    time.sleep(0.3)
    COUNTS["sleep"]["threads"] = threading.active_count()
    start("200 OK", [("Content-Length", "5")])
    return [b"slept"]


def echo(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    body = environ["wsgi.input"].read()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]


def lines(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    shown = repr(list(environ["wsgi.input"])).encode()
    start("200 OK", [("Content-Length", str(len(shown)))])
    return [shown]


def status(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    start(f"{key} Of Our Own", [])
    return []


def keep(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    """The application may keep its environ for as long as it likes."""
    KEPT.append(environ)
    shown = str(sum(len(repr(old)) for old in KEPT[-10:])).encode()
    start("200 OK", [("Content-Length", str(len(shown)))])
    return [shown]


def events(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    shown = json.dumps(COUNTS[key]).encode()
    start("200 OK", [("Content-Length", str(len(shown)))])
    return [shown]


def plain(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    body = b"plain " + key.encode()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]


SITUATIONS = {
    "slow-stream": slow_stream,
    "flood": flood,
    "pieces": three_pieces,
    "failing-pieces": failing_pieces,
    "short-body": short_body,
    "writer": writer,
    "slow-writer": slow_writer,
    "write-flood": write_flood,
    "stubborn-writer": stubborn_writer,
    "late-start": late_start,
    "replaced-start": replaced_start,
    "sleep": sleep,
    "echo": echo,
    "lines": lines,
    "status": status,
    "keep": keep,
    "events": events,
    "plain": plain,
}


def app(environ: Environ, start_response: Start) -> Iterable[bytes]:
    _, name, *rest = environ["PATH_INFO"].split("/")
    return SITUATIONS[name](rest[0] if rest else "", environ, start_response)
