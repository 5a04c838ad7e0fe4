"""ASGI applications of the reports: each does what the reporter's did, and notes what it saw.

/NAME/KEY runs one; /seen/KEY answers what it noted, as JSON.
"""

import asyncio
import gc
import json
import weakref
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import unquote_to_bytes

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Fields = list[tuple[bytes, bytes]]

SEEN: defaultdict[str, list[Any]] = defaultdict(list)


class Weight(bytearray):
    """Eight megabytes that can be watched."""


ALIVE: "weakref.WeakSet[Weight]" = weakref.WeakSet()
KEPT: list[Scope] = []


async def answer(send: Send, body: bytes, status: int = 200, fields: Fields | None = None) -> None:
    if fields is None:
        fields = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body})


async def whole_body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message["body"]
        more = message["more_body"]
    return body


async def busy_listener(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """A task listens for the client's loss while the request is being worked on."""

    async def listen() -> None:
        SEEN[key].append("waiting")
        while SEEN[key][-1] != "http.disconnect":
            SEEN[key].append((await receive())["type"])

    task = asyncio.create_task(listen())
    await asyncio.wait({task}, timeout=5)
    await answer(send, b"too late")


async def second_receive(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    first = await receive()
    try:
        second = (await asyncio.wait_for(receive(), 0.2))["type"]
    except TimeoutError:
        second = "nothing"
    await answer(send, f"{first['type']} {first['more_body']}, {second}".encode())


async def own_listener(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await receive()
    task = asyncio.create_task(receive())
    await answer(send, b"answered")
    task.cancel()
    try:
        SEEN[key].append((await task)["type"])
    except asyncio.CancelledError:
        SEEN[key].append("cancelled")


async def slow(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await asyncio.sleep(float(key))
    await answer(send, b"slow")


async def raise_behind(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await answer(send, b"answered")
    await asyncio.sleep(0.1)
    raise RuntimeError("behind the response")


async def ten_megabytes(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    try:
        for _ in range(10):
            await send({"type": "http.response.body", "body": b"m" * 1_000_000, "more_body": True})
            SEEN[key].append("sent")
    except OSError as error:
        SEEN[key].append(type(error).__name__)
    finally:
        SEEN[key].append("ended")


async def tasks(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await answer(send, str(len(asyncio.all_tasks()) - 1).encode())


async def until_told(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """An endless response that looks for a disconnect every 100 ms."""
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    listener = asyncio.create_task(receive())
    while not listener.done():
        await send({"type": "http.response.body", "body": b"tick\n", "more_body": True})
        await asyncio.wait({listener}, timeout=0.1)
    SEEN[key].append(listener.result()["type"])
    print("told", listener.result()["type"], flush=True)


async def unread(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await answer(send, b"unread", 401)


async def echo(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await answer(send, await whole_body(receive))


async def count_pieces(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Reads the body message by message."""
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message["body"])
        more = message["more_body"]
    await answer(send, str(size).encode())


async def bodiless(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """A status that has no body, with one."""
    await answer(send, b"null", int(key), [(b"content-type", b"application/json")])


async def no_length(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await answer(send, b"hello", 200, [])


async def location(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await answer(send, b"", 302, [(b"location", unquote_to_bytes(scope["raw_path"]))])


async def both_framings(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    fields = [(b"content-length", b"5"), (b"transfer-encoding", b"chunked")]
    await answer(send, b"hello", 200, fields)


async def keep(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Keeps every scope, and shows all of them."""
    KEPT.append(scope)
    size = sum(len(repr(old["headers"])) for old in KEPT)
    await answer(send, str(size).encode())


async def weight(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Puts eight megabytes into the request's state, with the collector off."""
    gc.disable()
    heavy = Weight(8 << 20)
    ALIVE.add(heavy)
    scope["state"] = {"heavy": heavy}
    if key == "fails":
        raise RuntimeError("with a heavy scope")
    await answer(send, b"heavy")


async def alive(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await answer(send, str(len(ALIVE)).encode())


async def one_wait(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await asyncio.sleep(0)
    await answer(send, b"waited")


async def seen(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await answer(send, json.dumps(SEEN[key]).encode())


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] != "http":
        raise NotImplementedError(scope["type"])
    _, name, *rest = scope["path"].split("/")
    await globals()[name.replace("-", "_")]("/".join(rest), scope, receive, send)


# --- lifespans ------------------------------------------------------------------------------------


def lifespan(before: str, after: str = "complete") -> Any:
    """An application whose startup goes `before`, and whose shutdown goes `after`."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await app(scope, receive, send)
            return
        if before == "raise-at-once":
            raise ValueError("boom before receive")
        await receive()
        if before == "raise":
            raise ValueError("boom in startup")
        if before == "slow":
            await asyncio.sleep(0.5)
            SEEN["started"].append(True)
        await send({"type": f"lifespan.startup.{before if before == 'failed' else 'complete'}"})
        await receive()
        if after == "raise":
            raise ValueError("boom in shutdown")
        await send({"type": f"lifespan.shutdown.{after}"})

    return application


raises_at_once = lifespan("raise-at-once")
raises_in_startup = lifespan("raise")
startup_fails = lifespan("failed")
starts_slowly = lifespan("slow")
raises_in_shutdown = lifespan("complete", "raise")
shutdown_fails = lifespan("complete", "failed")
