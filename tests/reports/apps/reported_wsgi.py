"""WSGI applications of the reports; /NAME/KEY runs one, /seen/KEY answers what it counted."""

import itertools
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Environ = dict[str, Any]
Start = Callable[..., Callable[[bytes], Any]]

SEEN: defaultdict[str, dict[str, int]] = defaultdict(lambda: {"blocks": 0, "closed": 0})
KEPT: list[Environ] = []


class Blocks:
    """Blocks that are counted, as is every close()."""

    def __init__(self, key: str, blocks: Iterable[bytes], pause_s: float = 0) -> None:
        self._seen, self._blocks, self._pause_s = SEEN[key], iter(blocks), pause_s

    def __iter__(self) -> "Blocks":
        return self

    def __next__(self) -> bytes:
        time.sleep(self._pause_s)
        block = next(self._blocks)
        self._seen["blocks"] += 1
        return block

    def close(self) -> None:
        self._seen["closed"] += 1


def failing(at: int) -> Iterator[bytes]:
    """Fails in place of block number `at`."""
    for number in range(3):
        if number == at:
            raise ValueError(f"at block {number}")
        yield b"block"


def slow_blocks(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [])
    return Blocks(key, itertools.repeat(b"k" * 1000, 10_000), 0.01)


def endless(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [])
    return Blocks(key, itertools.repeat(b"\0" * 65536))


def ticks(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [])
    return Blocks(key, itertools.repeat(b"tick\n", 200), 0.05)


def slow(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    time.sleep(float(key))
    start("200 OK", [("Content-Length", "4")])
    return [b"slow"]


def plain(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    body = key.encode()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]


def fails_at(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [])
    return Blocks(key, failing(int(key)))


def writer(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    write = start("200 OK", [("Content-Length", "11")])
    write(b"hello ")
    return Blocks(key, [b"world"])


def short(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Length", "300")])
    return Blocks(key, [b"hello world"])


def starts_late(key: str, environ: Environ, start: Start) -> Iterator[bytes]:
    """start_response() in front of block number `key`; all blocks before it are empty."""
    for _ in range(int(key)):
        yield b""
    start("404 Not Found", [("X-Late", key)])
    yield b""
    yield b"x"


def starts_again(key: str, environ: Environ, start: Start) -> Iterator[bytes]:
    """A second call, with exc_info, behind `key` empty blocks."""
    start("200 OK", [("X-First", "yes")])
    for _ in range(int(key)):
        yield b""
    try:
        raise ValueError("found late")
    except ValueError as error:
        start("503 Service Unavailable", [("X-Second", "yes")], (type(error), error, None))
    yield b"replaced"


def keep(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    """Keeps every environ, and looks at all of them."""
    KEPT.append(environ)
    size = str(sum(len(old["PATH_INFO"]) + len(old) for old in KEPT)).encode()
    start("200 OK", [("Content-Length", str(len(size)))])
    return [size]


def pattern(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    """Four kilobytes that nobody else sends, in a head of its own length."""
    start("200 OK", [("X-Pattern", key), ("Content-Length", "4096")])
    return [(key.encode() * 4096)[:4096]]


def seen(key: str, environ: Environ, start: Start) -> Iterable[bytes]:
    body = json.dumps(SEEN[key]).encode()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]


def app(environ: Environ, start_response: Start) -> Iterable[bytes]:
    _, name, *rest = environ["PATH_INFO"].split("/")
    handler = globals()[name.replace("-", "_")]
    return handler("/".join(rest), environ, start_response)
