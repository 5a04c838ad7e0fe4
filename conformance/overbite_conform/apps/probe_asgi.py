"""The ASGI application of the conformance cases: lifespan, and dispatch by the first part of the
path."""

from typing import Any

from overbite_conform.apps import asgi_http, asgi_websocket
from overbite_conform.apps.asgi_http import Receive, Scope, Send


async def _lifespan(scope: Scope, receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            scope.get("state", {})["started"] = "yes"
            await send({"type": "lifespan.startup.complete"})
        else:
            await send({"type": "lifespan.shutdown.complete"})
            return


async def app(scope: Scope, receive: Receive, send: Send) -> Any:
    if scope["type"] == "lifespan":
        return await _lifespan(scope, receive, send)
    if scope["type"] == "websocket":
        return await asgi_websocket.serve(scope, receive, send)
    return await asgi_http.serve(scope, receive, send)
