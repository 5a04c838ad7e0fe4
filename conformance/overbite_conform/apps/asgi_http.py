"""HTTP pages of the ASGI probe. A page is named by the first part of the path; the rest are its
arguments."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from overbite_conform.apps import asgi_sequences
from overbite_conform.apps.asgi_messages import CONTENT_TYPE, body, reply, start
from overbite_conform.apps.header_sets import HEADER_SETS, LENGTH_SETS, length

Scope = dict[str, Any]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


@dataclass(slots=True)
class Request:
    """One request as the pages see it."""

    scope: Scope
    receive: Receive
    send: Send
    arguments: list[str]

    def argument(self, index: int = 0) -> str:
        return self.arguments[index] if index < len(self.arguments) else ""


async def plain(r: Request) -> None:
    await reply(r.send, b"Hello, world!")


async def no_length(r: Request) -> None:
    await reply(r.send, b"hello", with_length=False)


async def no_length_empty(r: Request) -> None:
    await reply(r.send, b"", with_length=False)


async def no_headers(r: Request) -> None:
    await r.send({"type": "http.response.start", "status": 200})
    await r.send({"type": "http.response.body"})


async def _parts(r: Request, parts: Iterable[bytes], last: bytes, pause_s: float = 0) -> None:
    await r.send(start(200, [CONTENT_TYPE]))
    for part in parts:
        await r.send(body(part, more=True))
        if pause_s:
            await asyncio.sleep(pause_s)
    await r.send(body(last))


async def chunks(r: Request) -> None:
    await _parts(r, (b"one", b"", b"three"), b"four" if r.argument() == "last" else b"")


async def slow_chunks(r: Request) -> None:
    await _parts(r, (b"one", b"two"), b"end", pause_s=0.05)


async def stream_forever(r: Request) -> None:
    await _parts(r, [b"x" * 10] * 200, b"", pause_s=0.01)


async def length_in_parts(r: Request) -> None:
    await r.send(start(200, [CONTENT_TYPE, length(10)]))
    await r.send(body(b"12345", more=True))
    await r.send(body(b"67890"))


async def header(r: Request) -> None:
    await reply(r.send, b"hello", headers=[CONTENT_TYPE, *HEADER_SETS[r.argument()]])


async def header_byte(r: Request) -> None:
    byte = bytes([int(r.argument(1))])
    pair = (b"x-a", b"a" + byte + b"b") if r.argument() == "value" else (b"x" + byte + b"a", b"v")
    await reply(r.send, b"hello", headers=[CONTENT_TYPE, pair])


async def given_length(r: Request) -> None:
    await r.send(start(200, [CONTENT_TYPE, *LENGTH_SETS[r.argument()]]))
    await r.send(body(b"hello"))


async def given_length_in_parts(r: Request) -> None:
    await r.send(start(200, [CONTENT_TYPE, *LENGTH_SETS[r.argument()]]))
    await r.send(body(b"he", more=True))
    await r.send(body(b"llo"))


async def status(r: Request) -> None:
    code = int(r.argument())
    match r.argument(1):
        case "nobody":
            await r.send(start(code, [CONTENT_TYPE]))
            await r.send(body(b""))
        case "cl0":
            await r.send(start(code, [length(0)]))
            await r.send(body(b""))
        case option:
            await reply(r.send, b"hello", status=code, with_length=option == "cl")


async def status_text(r: Request) -> None:
    await r.send(start("200", [CONTENT_TYPE]))
    await r.send(body(b"x"))


async def status_enum(r: Request) -> None:
    await r.send(start(HTTPStatus.CREATED, [CONTENT_TYPE]))
    await r.send(body(b"x"))


async def failure(r: Request) -> None:
    where = r.argument()
    if where == "read":
        await r.receive()
    if where in ("before", "read"):
        raise ValueError("boom")
    await r.send(start(200, [CONTENT_TYPE, *([length(9)] if where.startswith("cl") else [])]))
    if where.endswith("start"):
        raise ValueError("boom")
    await r.send(body(b"abc", more=True))
    if where.endswith("chunk"):
        raise ValueError("boom")
    await r.send(body(b"defghi"))
    raise ValueError("late boom")


async def cancel(r: Request) -> None:
    raise asyncio.CancelledError


async def early_return(r: Request) -> str | None:
    match r.argument():
        case "start":
            await r.send(start(200, [CONTENT_TYPE]))
        case "partial":
            await r.send(start(200, [CONTENT_TYPE]))
            await r.send(body(b"abc", more=True))
        case "value":
            await reply(r.send, b"hello")
            return "value"
        case "valuefirst":
            return "value"
    return None


async def sequence(r: Request) -> None:
    await asgi_sequences.SEQUENCES[r.argument()](r.send)


async def swallow(r: Request) -> None:
    try:
        await r.send(start(200, [CONTENT_TYPE, (b"x-a", b"a\nb")]))
    except Exception:
        await reply(r.send, b"after")
        return
    await reply(r.send, b"not refused")


def _pairs(scope: Scope, keys: Iterable[str]) -> bytes:
    return repr({key: scope.get(key) for key in keys}).encode("utf-8", "surrogatepass")


async def whole_scope(r: Request) -> None:
    lines = [f"{list(r.scope)}"]
    lines += [f"{key}: {value!r} {type(value).__name__}" for key, value in r.scope.items()]
    await reply(r.send, "\n".join(lines).encode())


async def mutate(r: Request) -> None:
    r.scope["path"] = "/changed"
    r.scope["extra"] = 1
    r.scope["headers"].append((b"x-added", b"1"))
    r.scope["asgi"]["version"] = r.scope["asgi"]["version"]
    await reply(r.send, b"changed")


async def path(r: Request) -> None:
    keys = ("method", "http_version", "scheme", "path", "raw_path", "query_string", "root_path")
    await reply(r.send, _pairs(r.scope, keys))


async def headers(r: Request) -> None:
    await reply(r.send, repr(r.scope["headers"]).encode())


async def client(r: Request) -> None:
    values = (r.scope["scheme"], r.scope["client"], r.scope["server"])
    await reply(r.send, repr(values).encode())


async def state(r: Request) -> None:
    own = r.scope.get("state")
    before = dict(own) if own is not None else None
    if own is not None:
        own["n"] = own.get("n", 0) + 1
    await reply(r.send, repr((before, own)).encode())


async def messages(r: Request) -> None:
    """The exact messages of a request whose body came in one read with its head."""
    seen = [await r.receive()]
    while seen[-1].get("more_body"):
        seen.append(await r.receive())
    await reply(r.send, repr(seen).encode())


async def echo(r: Request) -> None:
    data = bytearray()
    while True:
        message = await r.receive()
        if message["type"] != "http.request":
            return
        data += message["body"]
        if not message.get("more_body"):
            break
    shown = bytes(data) if len(data) <= 200 else b"<%d bytes>" % len(data)
    await reply(r.send, b"got:" + shown)


async def unread(r: Request) -> None:
    await reply(r.send, b"unread")


async def unread_slow(r: Request) -> None:
    await asyncio.sleep(0.15)
    await reply(r.send, b"unread")


async def read_one(r: Request) -> None:
    await r.receive()
    await reply(r.send, b"one")


async def read_after(r: Request) -> None:
    await reply(r.send, b"done")
    await r.receive()
    await r.receive()


async def read_past(r: Request) -> None:
    await r.receive()
    await r.receive()
    await reply(r.send, b"hello")


async def wait(r: Request) -> None:
    while (await r.receive())["type"] != "http.disconnect":
        pass
    await r.receive()
    await reply(r.send, b"too late")


async def slow(r: Request) -> None:
    await asyncio.sleep(0.2)
    await reply(r.send, b"slow")


async def big(r: Request) -> None:
    await reply(r.send, b"x" * int(r.argument() or 1 << 20))


async def big_chunk(r: Request) -> None:
    await reply(r.send, b"x" * int(r.argument() or 1 << 20), with_length=False)


async def background(r: Request) -> None:
    await reply(r.send, b"fg")
    await asyncio.sleep(0.1)


PAGES: dict[str, Callable[[Request], Awaitable[Any]]] = {
    "": plain,
    "*": plain,
    "plain": plain,
    "nolen": no_length,
    "nolenempty": no_length_empty,
    "nohdrs": no_headers,
    "chunks": chunks,
    "slowchunks": slow_chunks,
    "stream-forever": stream_forever,
    "clparts": length_in_parts,
    "hdr": header,
    "hdrbyte": header_byte,
    "len": given_length,
    "lenchunks": given_length_in_parts,
    "st": status,
    "ststr": status_text,
    "stenum": status_enum,
    "exc": failure,
    "cancel": cancel,
    "ret": early_return,
    "seq": sequence,
    "swallow": swallow,
    "scope": whole_scope,
    "mutate": mutate,
    "path": path,
    "headers": headers,
    "client": client,
    "state": state,
    "messages": messages,
    "echo": echo,
    "noread": unread,
    "noreadslow": unread_slow,
    "readone": read_one,
    "readafter": read_after,
    "readpast": read_past,
    "wait": wait,
    "slow": slow,
    "big": big,
    "bigchunk": big_chunk,
    "bg": background,
}


async def serve(scope: Scope, receive: Receive, send: Send) -> Any:
    name, *arguments = scope["path"].strip("/").split("/")
    page = PAGES.get(name)
    if page is None:
        return await reply(send, b"Not Found", status=404)
    return await page(Request(scope, receive, send, arguments))
