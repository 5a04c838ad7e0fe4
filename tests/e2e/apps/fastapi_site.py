"""A FastAPI application: validation, dependencies, sync and async endpoints, generated
documentation."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response, WebSocket
from fastapi.responses import PlainTextResponse, StreamingResponse
from pydantic import BaseModel, Field


class Item(BaseModel):
    name: str = Field(min_length=2)
    price: float = Field(gt=0)
    tags: list[str] = []


@asynccontextmanager
async def lifespan(site: FastAPI) -> AsyncIterator[dict[str, str]]:
    yield {"greeting": "hello from lifespan"}


app = FastAPI(title="Overbite test site", lifespan=lifespan)


def user(x_user: Annotated[str | None, Header()] = None) -> Iterator[str]:
    if x_user is None:
        raise HTTPException(401, "who are you?", {"www-authenticate": "Test"})
    yield x_user


@app.get("/")
async def root(request: Request) -> dict[str, str]:
    return {"greeting": request.state.greeting}


@app.get("/sync/{number}")
def sync_endpoint(number: int, scale: int = 1) -> dict[str, int]:
    return {"value": number * scale}


@app.get("/async/{number}")
async def async_endpoint(number: int, scale: int = 1) -> dict[str, int]:
    return {"value": number * scale}


@app.post("/items", status_code=201)
async def create_item(item: Item) -> Item:
    return item


@app.get("/me")
def me(name: Annotated[str, Depends(user)]) -> dict[str, str]:
    return {"user": name}


@app.get("/text", response_class=PlainTextResponse)
def text() -> str:
    return "plain text\n"


@app.get("/stream")
def stream() -> StreamingResponse:
    return StreamingResponse(b"line %d\n" % number for number in range(5))


@app.delete("/items/{number}", status_code=204)
def delete_item(number: int) -> Response:
    return Response(status_code=204)


@app.get("/teapot")
def teapot() -> None:
    raise HTTPException(418, "short and stout")


@app.get("/failing")
def failing() -> None:
    raise RuntimeError("the endpoint failed")


@app.websocket("/echo")
async def echo(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text(await socket.receive_text())
    await socket.close()
