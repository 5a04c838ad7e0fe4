"""The WSGI application of the conformance cases: a page by the first part of the path."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Environ = dict[str, Any]
Start = Callable[..., Callable[[bytes], Any]]
Page = Callable[[Environ, Start, str], Iterable[Any]]

TEXT = ("Content-Type", "text/plain")
PAGES: dict[str, Page] = {}

_STATUSES = {
    "299": "299 Odd",
    "noreason": "200",
    "custom": "404 Gone Fishing",
    "204": "204 No Content",
    "304": "304 Not Modified",
    "999": "999 X",
}
_HEADERS: dict[str, list[Any]] = {
    "crlf": [("X-A", "a\r\nb: 1")],
    "latin": [("X-A", "caf\xe9")],
    "uni": [("X-A", "\u20ac")],
    "bytes": [(b"X-A", b"v")],
    "hop": [("Connection", "close")],
    "te": [("Transfer-Encoding", "chunked")],
    "date": [("Date", "mine"), ("Server", "mine")],
    "cookies": [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")],
    "none": [("X-A", None)],
    "padded": [("X-A", "  v  ")],
}
# Objects of the server's own making: their text holds an address, so only their names are compared.
_OBJECTS = ("wsgi.input", "wsgi.errors", "wsgi.file_wrapper", "asgi.scope")


def _page(name: str) -> Callable[[Page], Page]:
    def register(function: Page) -> Page:
        PAGES[name] = function
        return function

    return register


def _fixed(*parts: Any, status: str = "200 OK", headers: Iterable[Any] = ()) -> Page:
    """A page that starts the response and returns `parts` as a list."""

    def page(environ: Environ, start: Start, argument: str) -> Iterable[Any]:
        start(status, [TEXT, *headers])
        return list(parts)

    return page


PAGES |= {
    "": _fixed(b"Hello, world!", headers=[("Content-Length", "13")]),
    "plain": _fixed(b"Hello, world!", headers=[("Content-Length", "13")]),
    "nolen": _fixed(b"hello"),
    "parts": _fixed(b"one", b"", b"three"),
    "empty": _fixed(),
    "clshort": _fixed(b"hello", headers=[("Content-Length", "10")]),
    "cllong": _fixed(b"hello", headers=[("Content-Length", "3")]),
    "clparts": _fixed(b"12345", b"67890", headers=[("Content-Length", "10")]),
    "strbody": _fixed("str"),
    "big": _fixed(b"x" * (1 << 20)),
}


@_page("gen")
def generator(environ: Environ, start: Start, argument: str) -> Iterator[bytes]:
    start("200 OK", [TEXT])
    yield b"one"
    yield b""
    yield b"three"


@_page("tuple")
def as_tuple(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    start("200 OK", [TEXT])
    return (b"one", b"two")


@_page("rawbytes")
def as_bytes(environ: Environ, start: Start, argument: str) -> Iterable[Any]:
    start("200 OK", [TEXT])
    return b"abc"


@_page("write")
def write(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    writer = start("200 OK", [TEXT])
    writer(b"w1")
    writer(b"w2")
    return [b"tail"]


@_page("nostart")
def no_start(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    return [b"x"]


@_page("latestart")
def late_start(environ: Environ, start: Start, argument: str) -> Iterator[bytes]:
    start("201 Created", [TEXT])
    yield b"late"


@_page("startonempty")
def start_on_empty(environ: Environ, start: Start, argument: str) -> Iterator[bytes]:
    yield b""
    start("201 Created", [TEXT])
    yield b"late"


@_page("slow")
def slow(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    time.sleep(0.2)
    start("200 OK", [TEXT])
    return [b"slow"]


@_page("raise")
def raise_first(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    raise ValueError("boom")


@_page("raisestart")
def raise_after_start(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    start("200 OK", [TEXT])
    raise ValueError("boom")


@_page("raiseiter")
def raise_in_iteration(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    start("200 OK", [TEXT])

    def parts() -> Iterator[bytes]:
        yield b"one"
        raise ValueError("boom")

    return parts()


class _Closing:
    """An iterable with close(); `fails` makes close() raise."""

    def __init__(self, *, fails: bool) -> None:
        self._fails = fails

    def __iter__(self) -> Iterator[bytes]:
        return iter([b"it"])

    def close(self) -> None:
        if self._fails:
            raise ValueError("close boom")


@_page("close")
def with_close(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    start("200 OK", [TEXT])
    return _Closing(fails=False)


@_page("raiseclose")
def with_failing_close(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    start("200 OK", [TEXT])
    return _Closing(fails=True)


@_page("excinfo")
def replace_by_exc_info(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    start("200 OK", [TEXT])
    try:
        raise ValueError("x")
    except ValueError:
        start("500 Oops", [TEXT, ("X-Err", "1")], sys.exc_info())
    return [b"err"]


@_page("excinfolate")
def exc_info_after_first_part(environ: Environ, start: Start, argument: str) -> Iterator[bytes]:
    start("200 OK", [TEXT])
    yield b"sent"
    try:
        raise ValueError("x")
    except ValueError:
        start("500 Oops", [TEXT], sys.exc_info())
    yield b"err"


@_page("twostart")
def two_starts(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    start("200 OK", [TEXT])
    start("201 Created", [TEXT])
    return [b"x"]


@_page("status")
def status(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    start(_STATUSES[argument], [TEXT])
    return [b"body"]


@_page("hdr")
def headers(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    start("200 OK", [TEXT, *_HEADERS[argument]])
    return [b"hello"]


@_page("echo")
def echo(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    data = environ["wsgi.input"].read()
    start("200 OK", [TEXT])
    return [b"got:" + (data if len(data) <= 200 else b"<%d bytes>" % len(data))]


@_page("readline")
def read_lines(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    stream = environ["wsgi.input"]
    seen = (stream.readline(), stream.read(3), stream.readlines())
    start("200 OK", [TEXT])
    return [repr(seen).encode()]


@_page("lines")
def iterate_lines(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    seen = list(environ["wsgi.input"])
    start("200 OK", [TEXT])
    return [repr(seen).encode()]


@_page("pieces")
def read_pieces(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    stream = environ["wsgi.input"]
    seen = [stream.read(4) for _ in range(5)]
    start("200 OK", [TEXT])
    return [repr(seen).encode()]


@_page("environ")
def show_environ(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    """The CGI variables and the request's fields, by name; wsgi.* has pages of its own."""
    names = [name for name in environ if name.isupper() or name.startswith("HTTP_")]
    start("200 OK", [TEXT])
    return ["\n".join(f"{name}={environ[name]!r}" for name in sorted(names)).encode()]


@_page("keys")
def environ_keys(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    start("200 OK", [TEXT])
    return [repr(sorted(name for name in environ if name not in _OBJECTS)).encode()]


@_page("flags")
def environ_flags(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    names = ("version", "url_scheme", "multithread", "multiprocess", "run_once")
    start("200 OK", [TEXT])
    return [repr({name: environ[f"wsgi.{name}"] for name in names}).encode()]


@_page("filewrap")
def file_wrapper(environ: Environ, start: Start, argument: str) -> Iterable[bytes]:
    wrapper = environ.get("wsgi.file_wrapper")
    start("200 OK", [TEXT])
    return [b"a wrapper" if wrapper else b"no wrapper"]


def app(environ: Environ, start_response: Start) -> Iterable[Any]:
    name, _, argument = environ["PATH_INFO"].strip("/").partition("/")
    page = PAGES.get(name)
    if page is None:
        start_response("404 Not Found", [TEXT])
        return [b"nope"]
    return page(environ, start_response, argument)
