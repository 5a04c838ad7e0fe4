"""Applications that never give control back, as far as a stop is concerned."""

import os
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any


def block() -> None:
    Path(os.environ["STUCK_EVENTS"]).write_text("stuck", encoding="utf-8")
    time.sleep(60)


def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    block()
    start_response("200 OK", [])
    return [b"too late"]


async def asgi(
    scope: dict[str, Any],
    receive: Callable[[], Awaitable[dict[str, Any]]],
    send: Callable[[dict[str, Any]], Awaitable[None]],
) -> None:
    if scope["type"] == "http":
        block()
