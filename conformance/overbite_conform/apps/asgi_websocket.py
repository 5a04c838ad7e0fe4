"""WebSocket pages of the ASGI probe (/ws/NAME); an unknown name accepts and echoes."""

from typing import Any

from overbite_conform.apps.asgi_messages import CONTENT_TYPE

_ACCEPT_HEADERS = [
    (b"X-Custom", b"1"),
    (b"set-cookie", b"a=1"),
    (b"set-cookie", b"b=2"),
    (b"Date", b"mine"),
]


async def _before_accept(name: str, receive: Any, send: Any) -> bool:
    """Pages that never accept. True if this was one."""
    if name == "raise-first":
        raise ValueError("boom")
    if name == "return-first":
        return True
    await receive()
    match name:
        case "deny":
            await send({"type": "websocket.close"})
        case "deny-code":
            await send({"type": "websocket.close", "code": 4001, "reason": "no"})
        case "deny-ext":
            head = {"type": "websocket.http.response.start", "status": 401}
            await send({**head, "headers": [(b"x-why", b"auth"), CONTENT_TYPE]})
            part = {"type": "websocket.http.response.body"}
            await send({**part, "body": b"no ", "more_body": True})
            await send({**part, "body": b"entry"})
        case "raise":
            raise ValueError("boom")
        case "return":
            return True
        case _:
            return False
    return True


def _accept(name: str, offered: list[str]) -> dict[str, Any]:
    message: dict[str, Any] = {"type": "websocket.accept"}
    if name == "sub":
        message["subprotocol"] = offered[0] if offered else None
    if name == "subother":
        message["subprotocol"] = "nonsense"
    if name == "headers":
        message["headers"] = _ACCEPT_HEADERS
    return message


async def serve(scope: dict[str, Any], receive: Any, send: Any) -> None:
    name = scope["path"].removeprefix("/ws/")
    if await _before_accept(name, receive, send):
        return
    if name == "sendfirst":
        await send({"type": "websocket.send", "text": "x"})
    await send(_accept(name, scope["subprotocols"]))
    match name:
        case "raise-after":
            raise ValueError("boom")
        case "close":
            await send({"type": "websocket.close", "code": 4000, "reason": "bye"})
            await receive()
            return
        case "hello":
            await send({"type": "websocket.send", "text": "hi"})
            await send({"type": "websocket.send", "bytes": b"\x00\x01"})
            return
        case "scope":
            lines = [f"{key}: {value!r}" for key, value in scope.items()]
            await send({"type": "websocket.send", "text": "\n".join(lines)})
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            return
        if message.get("text") is not None:
            await send({"type": "websocket.send", "text": message["text"]})
        else:
            await send({"type": "websocket.send", "bytes": message["bytes"]})
