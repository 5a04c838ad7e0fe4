"""Message sequences that break the ASGI specification in one way each (/seq/NAME)."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from overbite_conform.apps.asgi_messages import CONTENT_TYPE, Send, body, reply, start
from overbite_conform.apps.header_sets import length

SEQUENCES: dict[str, Callable[[Send], Awaitable[None]]] = {}


def _sequence(name: str) -> Callable[[Callable[[Send], Awaitable[None]]], None]:
    def register(function: Callable[[Send], Awaitable[None]]) -> None:
        SEQUENCES[name] = function

    return register


@_sequence("bodyfirst")
async def _(send: Send) -> None:
    await send(body(b"x"))


@_sequence("twostarts")
async def _(send: Send) -> None:
    await send(start(200, [CONTENT_TYPE, length(5)]))
    await send(start(201, [CONTENT_TYPE]))


@_sequence("extra")
async def _(send: Send) -> None:
    await reply(send, b"hello")
    await send(body(b"more"))


@_sequence("startafter")
async def _(send: Send) -> None:
    await reply(send, b"hello")
    await send(start(200, []))


@_sequence("unknown")
async def _(send: Send) -> None:
    await send({"type": "http.response.nonsense"})


@_sequence("notype")
async def _(send: Send) -> None:
    await send({"status": 200})


@_sequence("nostatus")
async def _(send: Send) -> None:
    await send({"type": "http.response.start"})


@_sequence("strbody")
async def _(send: Send) -> None:
    await send(start(200, [CONTENT_TYPE, length(5)]))
    await send({"type": "http.response.body", "body": "hello"})


@_sequence("strbodychunk")
async def _(send: Send) -> None:
    await send(start(200, [CONTENT_TYPE]))
    await send({"type": "http.response.body", "body": "hello"})


@_sequence("nonebody")
async def _(send: Send) -> None:
    await send(start(200, [CONTENT_TYPE]))
    await send({"type": "http.response.body", "body": None})


@_sequence("bytearray")
async def _(send: Send) -> None:
    await send(start(200, [CONTENT_TYPE]))
    await send({"type": "http.response.body", "body": bytearray(b"hello")})


@_sequence("memview")
async def _(send: Send) -> None:
    await send(start(200, [CONTENT_TYPE]))
    await send({"type": "http.response.body", "body": memoryview(b"hello")})


@_sequence("trailers")
async def _(send: Send) -> None:
    await send(start(200, [CONTENT_TYPE], trailers=True))
    await send(body(b"hello"))
    await send({"type": "http.response.trailers", "headers": [(b"x-t", b"1")]})


@_sequence("push")
async def _(send: Send) -> None:
    await send({"type": "http.response.push", "path": "/x", "headers": []})


@_sequence("hint")
async def _(send: Send) -> None:
    await send({"type": "http.response.early_hint", "links": [b"</x>; rel=preload"]})


@_sequence("debug")
async def _(send: Send) -> None:
    await send({"type": "http.response.debug", "info": {}})
    await reply(send, b"hello")


@_sequence("pathsend")
async def _(send: Send) -> None:
    file = Path(__file__)
    await send(start(200, [CONTENT_TYPE, length(file.stat().st_size)]))
    await send({"type": "http.response.pathsend", "path": str(file)})
