"""The application of every arm: the same 13 bytes over both protocols."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

BODY = b"Hello, world!"
ASGI_HEADERS = [(b"content-type", b"text/plain"), (b"content-length", b"13")]
WSGI_HEADERS = [("content-type", "text/plain"), ("content-length", "13")]


async def asgi(scope: dict[str, Any], receive: Any, send: Any) -> None:  # noqa: ARG001
    """One head, one body."""
    if scope["type"] != "http":
        raise ValueError("only http")
    await send({"type": "http.response.start", "status": 200, "headers": ASGI_HEADERS})
    await send({"type": "http.response.body", "body": BODY})


def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:  # noqa: ARG001
    """The same."""
    # granian and others may keep the list: each call has its own.
    start_response("200 OK", list(WSGI_HEADERS))
    return [BODY]
