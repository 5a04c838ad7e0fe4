"""An ASGI application that gets into the situations of test_asgi.py and remembers what it saw.

/SITUATION/KEY runs a situation; /events/KEY answers what it noted, as JSON.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import unquote

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

EVENTS: defaultdict[str, list[Any]] = defaultdict(list)
PIECE = b"x" * 65536


async def reply(send: Send, body: bytes, status: int = 200, *more: tuple[bytes, bytes]) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [length, *more]})
    await send({"type": "http.response.body", "body": body})


async def read_body(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return bytes(body)
        body += message["body"]
        if not message["more_body"]:
            return bytes(body)


async def listen(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Waits for the disconnect in a task of its own while the request is still being worked on."""
    await read_body(receive)

    async def listener() -> None:
        EVENTS[key].append("waiting")  # nothing runs between here and the wait
        EVENTS[key].append((await receive())["type"])
        EVENTS[key].append((await receive())["type"])

    task = asyncio.create_task(listener())
    await asyncio.wait({task}, timeout=10)
    task.cancel()
    await reply(send, b"too late")


async def twice(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """receive() after the complete body: nothing until the client goes or the response is
    complete."""
    first = await receive()
    try:
        second = (await asyncio.wait_for(receive(), 0.2))["type"]
    except TimeoutError:
        second = "nothing"
    await reply(send, f"{first['more_body']} {second}".encode())
    EVENTS[key].append((await receive())["type"])
    EVENTS[key].append((await receive())["type"])


async def cancel_listener(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """The application cancels its own disconnect listener after the response."""
    await read_body(receive)
    task = asyncio.create_task(receive())
    await asyncio.sleep(0.05)
    task.cancel()
    try:
        result = repr(await task)
    except asyncio.CancelledError:
        result = "cancelled"
    # No message may have been eaten by the cancelled wait, and none invented.
    other = asyncio.create_task(receive())
    await asyncio.wait({other}, timeout=0.1)
    state = "pending" if not other.done() else repr(other.result())
    await reply(send, f"{result} {state}".encode())
    EVENTS[key].append((await other)["type"])


async def flood(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Sends as fast as send() returns, and counts what it was allowed to send."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    EVENTS[key].append(0)
    try:
        for _ in range(4096):
            await send({"type": "http.response.body", "body": PIECE, "more_body": True})
            EVENTS[key][0] += len(PIECE)
            if scope["query_string"] == b"watch" and await disconnected(receive):
                break
        await send({"type": "http.response.body"})
    except OSError as error:
        EVENTS[key].append(type(error).__name__)
    finally:
        EVENTS[key].append("ended")


async def disconnected(receive: Receive) -> bool:
    try:
        while (await asyncio.wait_for(receive(), 0.001))["type"] != "http.disconnect":
            pass
    except TimeoutError:
        return False
    return True


async def three_pieces(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for piece in (b"one", b"two"):
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        await asyncio.sleep(0.02)
    await send({"type": "http.response.body", "body": b"three"})


async def echo(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await reply(send, await read_body(receive))


async def echo_stream(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Sends every piece of the body back as it comes."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    more = True
    while more:
        message = await receive()
        more = message["more_body"]
        await send({"type": "http.response.body", "body": message["body"], "more_body": more})


async def unread(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await reply(send, b"refused", 401)


async def status(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": int(key), "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def location(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Puts the decoded path into a field: the classic way to an injection."""
    value = unquote(scope["raw_path"].decode()).encode("latin-1", "replace")
    await reply(send, b"moved", 302, (b"location", value))


async def field(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the field that the body names: a name, a newline, a value (any bytes)."""
    size, _, rest = (await read_body(receive)).partition(b"\n")
    name, value = rest[: int(size)], rest[int(size) :]
    await reply(send, b"ok", 200, (name, value))


async def keep_scope(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """The application may keep what it was given for as long as it likes."""
    EVENTS["kept"].append((scope, scope["headers"]))
    await reply(send, str(len(repr(EVENTS["kept"][-20:]))).encode())


async def events(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await reply(send, json.dumps(EVENTS[key]).encode())


async def tasks(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    """How many tasks are alive in the loop besides this one."""
    await reply(send, str(len(asyncio.all_tasks()) - 1).encode())


async def plain(key: str, scope: Scope, receive: Receive, send: Send) -> None:
    await reply(send, b"plain " + key.encode())


SITUATIONS = {
    "listen": listen,
    "twice": twice,
    "cancel-listener": cancel_listener,
    "flood": flood,
    "pieces": three_pieces,
    "echo": echo,
    "echo-stream": echo_stream,
    "unread": unread,
    "status": status,
    "location": location,
    "field": field,
    "keep-scope": keep_scope,
    "events": events,
    "tasks": tasks,
    "plain": plain,
}


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] != "http":
        raise NotImplementedError(scope["type"])
    _, name, *rest = scope["path"].split("/")
    await SITUATIONS[name](rest[0] if rest else "", scope, receive, send)
