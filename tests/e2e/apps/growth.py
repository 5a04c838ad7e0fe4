"""The smallest ASGI and WSGI applications that still use headers, a body and the scope."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

BODY = b"0123456789" * 10
LENGTH = str(len(BODY))


async def asgi(
    scope: dict[str, Any],
    receive: Callable[[], Awaitable[dict[str, Any]]],
    send: Callable[[dict[str, Any]], Awaitable[None]],
) -> None:
    if scope["type"] != "http":
        raise NotImplementedError(scope["type"])
    await receive()
    path = scope["path"].encode()
    headers = [(b"content-length", LENGTH.encode()), (b"set-cookie", b"a=1"), (b"x-path", path)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": BODY})


def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    environ["wsgi.input"].read()
    headers = [("Content-Length", LENGTH), ("Set-Cookie", "a=1"), ("X-Path", environ["PATH_INFO"])]
    start_response("200 OK", headers)
    return [BODY]
