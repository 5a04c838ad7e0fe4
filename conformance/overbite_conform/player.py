"""Plays one case on one connection and writes down what came back and how the connection ended.

Two kinds of windows. The reference is read until it falls silent for a fixed time: nobody knows
beforehand what
it will say. The server under test is read until it has said as much as the reference did
(bounded), and then for a
short settle time in which nothing more may come: that is what proves "still open".
"""

import socket
import struct
import time
from dataclasses import dataclass, field

from overbite_conform.case import Case, Fin, HalfClose, Pause, Read, Reset
from overbite_conform.masks import Endpoints, mask

OPEN, EOF, RESET, CLIENT_CLOSED, REFUSED = "open", "eof", "reset", "client closed", "refused"

_RECEIVE_BYTES = 1 << 16
_TRANSCRIPT_BYTES_MAX = 64 << 20
"""A server that never stops sending must not fill the memory of the harness."""

_STALL_MAX_S = 4.0
"""Below the keep-alive limit of five seconds: a longer wait would itself end the connection."""


@dataclass(frozen=True, slots=True)
class Windows:
    """How long to wait, in seconds."""

    silence: float = 0.25
    """Reference: nothing came for so long, so nothing more will come."""
    first_byte: float = 0.6
    """Reference: the same before the first byte of a part, when the application still has to
    run."""
    settle: float = 0.15
    """Server under test: after the expected bytes, nothing more may come for so long."""
    catch_up: float = 3.0
    """Server under test: time to say what the reference said."""
    stall: float = 1.5
    """Server under test: so long without a byte after the first one, and no more will come."""

    def scaled(self, factor: float) -> "Windows":
        values = (self.silence, self.first_byte, self.settle, self.catch_up)
        stall = min(self.stall * factor, _STALL_MAX_S)
        return Windows(*(value * factor for value in values), stall)


@dataclass(frozen=True, slots=True)
class Transcript:
    """What one server did with one case, masks applied."""

    parts: tuple[bytes, ...]
    end: str
    sizes: tuple[int, ...] = field(default=(), compare=False)
    """Bytes of each part before the masks, which change lengths."""

    @property
    def data(self) -> bytes:
        return b"".join(self.parts)


@dataclass(frozen=True, slots=True)
class _Goal:
    """What a read waits for: as many bytes as the reference sent, and its end if there was one."""

    size: int
    ended: bool


def _receive(sock: socket.socket, timeout_s: float) -> bytes | str:
    """Some bytes, or how the connection stands: OPEN after silence, EOF, RESET."""
    sock.settimeout(max(timeout_s, 0.001))
    try:
        data = sock.recv(_RECEIVE_BYTES)
    except TimeoutError:
        return OPEN
    except OSError:
        return RESET
    return data or EOF


def _read_until_silent(sock: socket.socket, idle_s: float, first_s: float) -> tuple[bytes, str]:
    out = bytearray()
    while len(out) < _TRANSCRIPT_BYTES_MAX:
        got = _receive(sock, idle_s if out else max(idle_s, first_s))
        if isinstance(got, str):
            return bytes(out), got
        out += got
    return bytes(out), "endless"


def _read_until_goal(
    sock: socket.socket, goal: _Goal, settle_s: float, windows: Windows
) -> tuple[bytes, str]:
    out = bytearray()
    while len(out) < _TRANSCRIPT_BYTES_MAX:
        reached = len(out) >= goal.size and not goal.ended
        patience_s = windows.stall if out else windows.catch_up
        got = _receive(sock, settle_s if reached else patience_s)
        if isinstance(got, str):
            return bytes(out), got
        out += got
    return bytes(out), "endless"


class _Connection:
    """The client's end of one case."""

    def __init__(self, port: int, windows: Windows, model: Transcript | None) -> None:
        self._sock = socket.create_connection(("127.0.0.1", port), timeout=windows.catch_up)
        self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._windows = windows
        self._model = model
        self._parts: list[bytes] = []
        self._sizes: list[int] = []
        self.endpoints = Endpoints(port, self._sock.getsockname()[1])

    def send(self, data: bytes) -> None:
        self._sock.settimeout(self._windows.catch_up)
        try:
            self._sock.sendall(data)
        except OSError:
            # The server has closed already; what it said before is still to be read.
            return

    def half_close(self) -> None:
        try:
            self._sock.shutdown(socket.SHUT_WR)
        except OSError:
            return  # the server has closed already

    def read(self, idle_s: float, *, last: bool) -> str:
        """Reads one part and returns how the connection stands."""
        windows = self._windows
        if self._model is None:
            first_s = windows.first_byte if last else idle_s
            data, state = _read_until_silent(self._sock, idle_s, first_s)
        else:
            index = len(self._parts)
            size = self._model.sizes[index] if index < len(self._model.sizes) else 0
            goal = _Goal(size, last and self._model.end in (EOF, RESET))
            # Silence has to be waited for; after a part in the middle a shorter wait shows what
            # is too much.
            settle_s = windows.settle if last or not size else windows.settle / 3
            data, state = _read_until_goal(self._sock, goal, settle_s, windows)
        self._sizes.append(len(data))
        self._parts.append(mask(data, self.endpoints))
        return state

    def close(self, *, reset: bool = False) -> None:
        if reset:
            linger = struct.pack("ii", 1, 0)
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._sock.close()

    def transcript(self, end: str) -> Transcript:
        return Transcript(tuple(self._parts), end, tuple(self._sizes))


def play(
    case: Case, port: int, windows: Windows | None = None, model: Transcript | None = None
) -> Transcript:
    """Plays `case` against the server on `port`. With `model`, the reference's transcript
    (masked), reading
    waits for as much as the reference said; without it, for silence. Raises nothing for what a
    server does."""
    windows = windows or Windows()
    try:
        connection = _Connection(port, windows, model)
    except OSError as error:
        return Transcript((), f"{REFUSED}: {error}")
    try:
        for step in case.steps:
            match step:
                case bytes():
                    connection.send(step)
                case Pause(seconds):
                    time.sleep(seconds)
                case Read(idle_s):
                    connection.read(idle_s, last=False)
                case HalfClose():
                    connection.half_close()
                case Fin() | Reset():
                    connection.close(reset=isinstance(step, Reset))
                    return connection.transcript(CLIENT_CLOSED)
        return connection.transcript(connection.read(windows.silence, last=True))
    finally:
        connection.close()
