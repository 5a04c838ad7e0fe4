"""A Starlette application with one page for each thing a server sees differently."""

import asyncio
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import (
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route


async def home(request: Request) -> Response:
    return PlainTextResponse("home\n")


async def json_page(request: Request) -> Response:
    return JSONResponse({"query": dict(request.query_params), "path": request.url.path})


async def stream(request: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        for number in range(int(request.path_params["count"])):
            yield b"piece %d\n" % number
            await asyncio.sleep(0)

    return StreamingResponse(pieces(), media_type="text/plain")


async def background(request: Request) -> Response:
    return PlainTextResponse("accepted\n", background=BackgroundTask(asyncio.sleep, 0.01))


async def form(request: Request) -> Response:
    fields = await request.form()
    return JSONResponse({key: str(value) for key, value in fields.items()})


async def upload(request: Request) -> Response:
    size = 0
    async for piece in request.stream():
        size += len(piece)
    return PlainTextResponse(f"{size} bytes\n")


async def cookies(request: Request) -> Response:
    response = JSONResponse(request.cookies)
    response.set_cookie("a", "1", path="/")
    response.set_cookie("b", "2", httponly=True, samesite="strict")
    return response


async def redirect(request: Request) -> Response:
    return RedirectResponse("/json?from=redirect", status_code=303)


async def nothing(request: Request) -> Response:
    return Response(status_code=204)


async def not_modified(request: Request) -> Response:
    return Response(status_code=304, headers={"etag": '"v1"'})


async def forbidden(request: Request) -> Response:
    raise HTTPException(403, detail="not for you", headers={"x-reason": "test"})


async def failing(request: Request) -> Response:
    raise RuntimeError("the application failed")


async def failing_stream(request: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"first\n"
        raise RuntimeError("the application failed in the middle")

    return StreamingResponse(pieces())


async def headers(request: Request) -> Response:
    names = sorted({name for name in request.headers if name != "host"})
    return JSONResponse({name: request.headers.getlist(name) for name in names})


async def large(request: Request) -> Response:
    return Response(b"0123456789abcdef" * 16384, media_type="application/octet-stream")


app = Starlette(
    routes=[
        Route("/", home),
        Route("/json", json_page),
        Route("/stream/{count:int}", stream),
        Route("/background", background),
        Route("/form", form, methods=["POST"]),
        Route("/upload", upload, methods=["POST", "PUT"]),
        Route("/cookies", cookies),
        Route("/redirect", redirect),
        Route("/nothing", nothing),
        Route("/not-modified", not_modified),
        Route("/forbidden", forbidden),
        Route("/failing", failing),
        Route("/failing-stream", failing_stream),
        Route("/headers", headers),
        Route("/large", large),
        Mount("/mounted", routes=[Route("/json", json_page)]),
    ],
    middleware=[Middleware(GZipMiddleware, minimum_size=100_000)],
)
