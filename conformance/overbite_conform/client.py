"""A small HTTP/1 client for tests: exact bytes out, whole responses in, every wait bounded.

It checks framing while it reads: a response that is not delimited as its head says raises
ProtocolError.
"""

import socket
import struct
import time
from dataclasses import dataclass
from types import TracebackType

from overbite_conform.player import EOF, OPEN, RESET
from overbite_conform.servers import SLOW

DEFAULT_LIMIT_S = 5.0


class ProtocolError(AssertionError):
    """What the server sent is not a response, or ended in the middle of one."""


@dataclass(frozen=True, slots=True)
class Response:
    """One response: `raw` is exactly what came, body with its chunk framing removed."""

    raw: bytes
    status: int
    fields: tuple[tuple[bytes, bytes], ...]
    body: bytes
    chunks: tuple[bytes, ...] = ()

    def field(self, name: bytes) -> bytes | None:
        """The value of the first field of this name (lower case), or None."""
        return next((value for key, value in self.fields if key == name), None)

    def values(self, name: bytes) -> list[bytes]:
        return [value for key, value in self.fields if key == name]


def parse_head(head: bytes) -> tuple[int, tuple[tuple[bytes, bytes], ...]]:
    """Status and fields (names lower-cased) of a head without its blank line."""
    line, *lines = head.split(b"\r\n")
    words = line.split(b" ", 2)
    if len(words) != 3 or words[0] != b"HTTP/1.1" or not words[1].isdigit():
        raise ProtocolError(f"not a status line: {line!r}")
    fields = []
    for text in lines:
        name, colon, value = text.partition(b":")
        if not colon:
            raise ProtocolError(f"a header line without a colon: {text!r}")
        fields.append((name.lower(), value.strip(b" \t")))
    return int(words[1]), tuple(fields)


class Client:
    """One connection to 127.0.0.1. `receive_buffer` sets SO_RCVBUF before connecting (a slow
    reader)."""

    def __init__(
        self, port: int, *, limit_s: float = DEFAULT_LIMIT_S, receive_buffer: int | None = None
    ) -> None:
        self.limit_s = limit_s * SLOW
        self.sock = socket.socket()
        if receive_buffer is not None:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.sock.settimeout(self.limit_s)
        self.sock.connect(("127.0.0.1", port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread = bytearray()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.sock.close()

    def send(self, data: bytes) -> None:
        self.sock.settimeout(self.limit_s)
        self.sock.sendall(data)

    def half_close(self) -> None:
        self.sock.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """Closes with a TCP reset."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def state(self, within_s: float = 0.2) -> str:
        """OPEN if nothing happens for so long, EOF or RESET; bytes that come are kept in
        `unread`."""
        self.sock.settimeout(within_s * SLOW)
        try:
            data = self.sock.recv(65536)
        except TimeoutError:
            return OPEN
        except OSError:
            return RESET
        self.unread += data
        return OPEN if data else EOF

    def _more(self, deadline: float) -> bool:
        """Receives once; False at the end of the connection."""
        self.sock.settimeout(max(deadline - time.monotonic(), 0.001))
        data = self.sock.recv(1 << 16)
        self.unread += data
        return bool(data)

    def read_until(self, mark: bytes) -> bytes:
        """Everything up to and including `mark`."""
        deadline = time.monotonic() + self.limit_s
        while (at := self.unread.find(mark)) < 0:
            if not self._more(deadline):
                raise ProtocolError(f"ended before {mark!r}: {bytes(self.unread)!r}")
        return self._take(at + len(mark))

    def read_exactly(self, size: int) -> bytes:
        deadline = time.monotonic() + self.limit_s
        while len(self.unread) < size:
            if not self._more(deadline):
                raise ProtocolError(f"ended after {len(self.unread)} of {size} bytes")
        return self._take(size)

    def read_to_end(self) -> bytes:
        """Everything until the server closes."""
        deadline = time.monotonic() + self.limit_s
        while self._more(deadline):
            pass
        return self._take(len(self.unread))

    def _take(self, size: int) -> bytes:
        taken = bytes(self.unread[:size])
        del self.unread[:size]
        return taken

    def response(self, *, head_only: bool = False) -> Response:
        """The next response. `head_only`: it answers a HEAD request, so no body may follow."""
        head = self.read_until(b"\r\n\r\n")
        status, fields = parse_head(head[:-4])
        known = dict(fields)
        if head_only or status in (204, 304) or 100 <= status < 200:
            return Response(head, status, fields, b"")
        if known.get(b"transfer-encoding") == b"chunked":
            raw, chunks = self._chunks()
            return Response(head + raw, status, fields, b"".join(chunks), chunks)
        if (length := known.get(b"content-length")) is not None:
            body = self.read_exactly(int(length))
        else:
            body = self.read_to_end()
        return Response(head + body, status, fields, body)

    def _chunks(self) -> tuple[bytes, tuple[bytes, ...]]:
        raw, chunks = bytearray(), []
        while True:
            line = self.read_until(b"\r\n")
            size = int(line[:-2], 16)
            data = self.read_exactly(size + 2)
            if data[-2:] != b"\r\n":
                raise ProtocolError(f"a chunk of {size} bytes does not end in CRLF: {data!r}")
            raw += line + data
            if size == 0:
                return bytes(raw), tuple(chunks)
            chunks.append(data[:-2])

    def ask(self, data: bytes, *, head_only: bool = False) -> Response:
        """Sends a request and reads its response."""
        self.send(data)
        return self.response(head_only=head_only)


def ask_once(port: int, data: bytes) -> Response:
    """One request on a connection of its own."""
    with Client(port) as client:
        return client.ask(data)
