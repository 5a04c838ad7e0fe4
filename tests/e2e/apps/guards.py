"""Applications for test_guards.py: situations in which one lost line of the server is seen from
outside."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", b"text/plain")],
}


def piece(body: bytes, more: bool = True) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


async def answer_then_work(receive: Any, send: Any) -> None:
    """Answers at once and goes on working behind the response."""
    await send(START)
    await send(piece(b"answered", more=False))
    await asyncio.sleep(0.3)


async def slow_upload(receive: Any, send: Any) -> None:
    """Answers with the body, piece by piece as it comes."""
    body = b""
    while True:
        message = await receive()
        body += message["body"]
        if not message["more_body"]:
            break
    await send(START)
    await send(piece(body, more=False))


async def fail_in_stream(receive: Any, send: Any) -> None:
    await send(START)
    await send(piece(b"first"))
    await asyncio.sleep(0.05)
    raise ValueError("in the middle of the body")


async def wait_for_disconnect(receive: Any, send: Any) -> None:
    """Says what receive() gave behind the request."""
    await receive()
    message = await receive()
    await send(START)
    await send(piece(message["type"].encode(), more=False))


async def large(receive: Any, send: Any) -> None:
    """One message of a megabyte."""
    body = b"x" * (1 << 20)
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send(piece(body, more=False))


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        raise RuntimeError(f"no {scope['type']} here")
    handlers = {
        "/answer-then-work": answer_then_work,
        "/slow-upload": slow_upload,
        "/fail-in-stream": fail_in_stream,
        "/wait-for-disconnect": wait_for_disconnect,
        "/large": large,
    }
    await handlers[scope["path"]](receive, send)


seen = {"pieces": 0, "closed": 0}


def slow_pieces() -> Iterator[bytes]:
    """Five seconds of pieces; counts them, and its own end."""
    try:
        for _ in range(100):
            seen["pieces"] += 1
            yield b"x" * 1000
            time.sleep(0.05)
    finally:
        seen["closed"] += 1


def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterator[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    if environ["PATH_INFO"] == "/seen":
        yield json.dumps(seen).encode()
    elif environ["PATH_INFO"] == "/slow-pieces":
        yield from slow_pieces()
    elif environ["PATH_INFO"] == "/sleep":
        time.sleep(0.5)
        yield b"awake"
    else:
        yield b"first"
        raise ValueError("in the middle of the body")
