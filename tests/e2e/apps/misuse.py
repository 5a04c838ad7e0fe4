"""Applications that use the server in ways it has to survive, for test_misuse.py."""

import asyncio
import json
import os
import threading
import time
import types
from collections.abc import Callable, Coroutine, Generator, Iterator
from pathlib import Path
from typing import Any

Send = Callable[[dict[str, Any]], Any]

START: dict[str, Any] = {"type": "http.response.start", "status": 200, "headers": []}
LAST: dict[str, Any] = {"type": "http.response.body", "body": b"inner"}

noted: list[str] = []
tasks: set[asyncio.Task[None]] = set()


def piece(body: bytes, more: bool = True) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


def behind(work: Coroutine[Any, Any, None]) -> None:
    """Runs `work` in a task that the request does not wait for."""
    tasks.add(asyncio.create_task(work))


# --- tasks that outlive their request -------------------------------------------------------------


async def receive_behind(receive: Any, send: Send) -> None:
    """Fails while a task of its own waits in receive()."""

    async def listen() -> None:
        await receive()
        noted.append((await receive())["type"])

    behind(listen())
    await send(START)
    await send(piece(b"first"))
    await asyncio.sleep(0.05)
    raise ValueError("in the middle of the body")


async def send_behind(receive: Any, send: Send) -> None:
    """Fails; a task of its own goes on sending."""

    message = piece(b"x" * (1 << 20))

    async def speak() -> None:
        await asyncio.sleep(0.1)
        for _ in range(200):
            await send(message)
            await asyncio.sleep(0)
        noted.append("sent")

    behind(speak())
    await send(START)
    await send(piece(b"first"))
    await asyncio.sleep(0.05)
    raise ValueError("in the middle of the body")


async def sender_waits(receive: Any, send: Send) -> None:
    """Fails while a task of its own waits in send() for a client that does not read."""

    async def speak() -> None:
        for _ in range(100):
            await send(piece(b"x" * (1 << 20)))
        noted.append("sent")

    await send(START)
    behind(speak())
    await asyncio.sleep(0.3)
    raise ValueError("in the middle of the body")


async def work_behind(receive: Any, send: Send) -> None:
    """Answers, and works until it is cancelled."""
    await send(START)
    await send(piece(b"answered", more=False))
    await asyncio.sleep(3600)


# --- send() inside send() -------------------------------------------------------------------------


def drive(operation: Any) -> None:
    """Takes an awaitable to its end in one step."""
    try:
        operation.send(None)
    except StopIteration:
        return
    raise AssertionError("send() waits")


class Acting(dict[str, Any]):
    """A message that does something when `key` is read."""

    def __init__(self, message: dict[str, Any], key: str, act: Callable[[], None]) -> None:
        super().__init__(message)
        self.key, self.act = key, act

    def __getitem__(self, key: str) -> Any:
        if key == self.key:
            self.act()
        return super().__getitem__(key)


class ActingHeaders:
    """Headers that do something when they are iterated."""

    def __init__(self, act: Callable[[], None], *, fails: bool = False) -> None:
        self.act, self.fails = act, fails

    def __iter__(self) -> Iterator[Any]:
        self.act()
        if self.fails:
            raise ValueError("no headers")
        return iter(())


class ActingTruth:
    def __init__(self, act: Callable[[], None]) -> None:
        self.act = act

    def __bool__(self) -> bool:
        self.act()
        return True


def nested_messages(send: Send) -> dict[str, list[dict[str, Any]]]:
    """By name: what to send; one of the messages sends another while it is read."""

    def start() -> None:
        drive(send(START))

    def last() -> None:
        drive(send(LAST))

    def whole() -> None:
        start()
        last()

    return {
        "status": [Acting(START, "status", start), LAST],
        "whole-in-status": [Acting(START, "status", whole)],
        "headers": [{**START, "headers": ActingHeaders(start)}, LAST],
        "failing-headers": [{**START, "headers": ActingHeaders(start, fails=True)}, LAST],
        "body": [START, Acting(piece(b"outer"), "body", last)],
        "more-body": [START, {**piece(b"outer"), "more_body": ActingTruth(last)}],
    }


async def nested(receive: Any, send: Send, name: str) -> None:
    for message in nested_messages(send)[name]:
        try:
            await send(message)
        except (RuntimeError, ValueError) as error:
            noted.append(f"{type(error).__name__}: {error}")


# --- a cycle that steps itself --------------------------------------------------------------------


async def step_itself(receive: Any, send: Send, how: str) -> None:
    """Its task's coroutine, stepped from the inside."""
    task = asyncio.current_task()
    assert task is not None
    cycle: Any = task.get_coro()
    try:
        if how == "send":
            cycle.send(None)
        else:
            cycle.throw(KeyError("from inside"))
    except ValueError as error:
        noted.append(str(error))
    await at_once(receive, send)


# --- tasks that begin inside create_task() --------------------------------------------------------


@types.coroutine
def rest_of(coroutine: Any, yielded: Any) -> Generator[Any, Any, Any]:
    """A coroutine that has made its first step, to its end."""
    while True:
        try:
            value = yield yielded
        except BaseException as error:
            step, value = coroutine.throw, error
        else:
            step = coroutine.send
        try:
            yielded = step(value)
        except StopIteration as end:
            return end.value


def eager(loop: asyncio.AbstractEventLoop, coroutine: Any, **_: Any) -> asyncio.Future[Any]:
    """As asyncio.eager_task_factory of Python 3.12."""
    try:
        yielded = coroutine.send(None)
    except StopIteration as end:
        done = loop.create_future()
        done.set_result(end.value)
        return done
    return asyncio.Task(rest_of(coroutine, yielded), loop=loop)


def refusing(loop: asyncio.AbstractEventLoop, coroutine: Any, **_: Any) -> Any:
    """Makes the first step, then refuses the rest."""
    coroutine.send(None)
    raise RuntimeError("no more tasks")


async def use_factory(receive: Any, send: Send, factory: Any) -> None:
    asyncio.get_running_loop().set_task_factory(factory)
    await at_once(receive, send)


async def at_once(receive: Any, send: Send) -> None:
    await send(START)
    await send(piece(b"at once", more=False))


async def after_a_while(receive: Any, send: Send) -> None:
    await asyncio.sleep(0.05)
    await send(START)
    await send(piece(b"after a while", more=False))


# --- a log that nobody reads ----------------------------------------------------------------------


def tick(path: Path) -> None:
    while True:
        with path.open("a", encoding="ascii") as file:
            file.write(".")
        time.sleep(0.01)


async def start_ticking(receive: Any, send: Send) -> None:
    """Starts a thread that shows whether Python threads run."""
    threading.Thread(target=tick, args=(Path(os.environ["TICKS"]),), daemon=True).start()
    await at_once(receive, send)


async def no_answer(receive: Any, send: Send) -> None:
    """Returns without an answer, which is logged."""


# --- the application ------------------------------------------------------------------------------


async def seen(receive: Any, send: Send) -> None:
    await send(START)
    await send(piece(json.dumps(noted).encode(), more=False))


async def forget(receive: Any, send: Send) -> None:
    noted.clear()
    await at_once(receive, send)


async def app(scope: dict[str, Any], receive: Any, send: Send) -> None:
    if scope["type"] != "http":
        raise RuntimeError(f"no {scope['type']} here")
    _, name, *rest = scope["path"].split("/")
    if name == "nested":
        await nested(receive, send, rest[0])
    elif name == "step-itself":
        await step_itself(receive, send, rest[0])
    elif name == "use-factory":
        factories = {"eager": eager, "refusing": refusing, "usual": None}
        await use_factory(receive, send, factories[rest[0]])
    else:
        handlers = {
            "receive-behind": receive_behind,
            "send-behind": send_behind,
            "sender-waits": sender_waits,
            "work-behind": work_behind,
            "at-once": at_once,
            "after-a-while": after_a_while,
            "start-ticking": start_ticking,
            "no-answer": no_answer,
            "seen": seen,
            "forget": forget,
        }
        await handlers[name](receive, send)
