"""The three messages nearly every page sends."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from overbite_conform.apps.header_sets import length

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]

CONTENT_TYPE = (b"content-type", b"text/plain")


def start(status: Any = 200, headers: Iterable[Any] = (), **more: Any) -> Message:
    return {"type": "http.response.start", "status": status, "headers": list(headers), **more}


def body(data: bytes = b"", *, more: bool = False) -> Message:
    return {"type": "http.response.body", "body": data, "more_body": more}


async def reply(
    send: Send,
    data: bytes,
    *,
    status: Any = 200,
    headers: Iterable[Any] = (CONTENT_TYPE,),
    with_length: bool = True,
) -> None:
    """A whole response in two messages."""
    await send(start(status, [*headers, *([length(len(data))] if with_length else [])]))
    await send(body(data))
