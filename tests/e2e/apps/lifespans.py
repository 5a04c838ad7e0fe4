"""Applications that start and stop in every way the ASGI lifespan protocol knows.

Events go to the file named by $LIFESPAN_EVENTS, one word a line.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]


def note(event: str) -> None:
    with Path(os.environ["LIFESPAN_EVENTS"]).open("a", encoding="utf-8") as file:
        file.write(event + "\n")


async def answer(send: Send, text: str) -> None:
    body = text.encode()
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": body})


async def stream_until_disconnect(receive: Receive, send: Send) -> None:
    """Sends a piece every 50 ms and looks for a disconnect in between."""
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    waiting = asyncio.create_task(receive())
    while True:
        await send({"type": "http.response.body", "body": b"tick\n", "more_body": True})
        await asyncio.wait({waiting}, timeout=0.05)
        if waiting.done():
            note(waiting.result()["type"])
            return


async def serve_http(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    match scope["path"]:
        case "/slow":
            note("slow-begins")
            await asyncio.sleep(0.5)
            await answer(send, "slow")
        case "/state":
            state = scope["state"]
            before = dict(state)
            state["seen"] = state.get("seen", 0) + 1
            await answer(send, repr(before))
        case "/stream":
            await stream_until_disconnect(receive, send)
        case _:
            await answer(send, "ok")


def application(
    startup: Callable[[dict[str, Any], Send], Awaitable[None]],
    shutdown: Callable[[Send], Awaitable[None]],
) -> App:
    async def app(scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            return await serve_http(scope, receive, send)
        assert (await receive())["type"] == "lifespan.startup"
        note("startup")
        await startup(scope["state"], send)
        assert (await receive())["type"] == "lifespan.shutdown"
        note("shutdown")
        await shutdown(send)

    return app


async def complete_startup(state: dict[str, Any], send: Send) -> None:
    state["colour"] = "green"
    await send({"type": "lifespan.startup.complete"})


async def slow_startup(state: dict[str, Any], send: Send) -> None:
    await asyncio.sleep(0.5)
    await complete_startup(state, send)


async def fail_startup(state: dict[str, Any], send: Send) -> None:
    await send({"type": "lifespan.startup.failed", "message": "the database is down"})


async def raise_in_startup(state: dict[str, Any], send: Send) -> None:
    raise ValueError("startup boom")


async def complete_shutdown(send: Send) -> None:
    await send({"type": "lifespan.shutdown.complete"})


async def raise_in_shutdown(send: Send) -> None:
    raise ValueError("shutdown boom")


good = application(complete_startup, complete_shutdown)
slow_to_start = application(slow_startup, complete_shutdown)
failing = application(fail_startup, complete_shutdown)
raising = application(raise_in_startup, complete_shutdown)
raising_at_shutdown = application(complete_startup, raise_in_shutdown)


async def without_lifespan(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    assert scope["type"] == "http"
    await serve_http(scope, receive, send)


not_callable = 7
