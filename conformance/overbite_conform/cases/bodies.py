"""Request bodies: lengths, chunks, early answers, disconnects, and Expect: 100-continue."""

from overbite_conform.case import CaseTable, Fin, HalfClose, Pause, Read, Reset
from overbite_conform.wire import chunked, post, request

TABLE = CaseTable("asgi")

TABLE.add("POST CL", post("/echo", b"abcde"))
TABLE.add(
    "POST CL split",
    request("/echo", "Content-Length: 5", method="POST", body=b"ab"),
    Pause(0.1),
    b"cde",
)
TABLE.add("POST CL 0", request("/echo", "Content-Length: 0", method="POST"))
TABLE.add("POST no CL", request("/echo", method="POST"))
TABLE.add("GET with body", request("/echo", "Content-Length: 3", body=b"abc"))
TABLE.add(
    "GET with body, then GET",
    request("/echo", "Content-Length: 3", body=b"abc") + request("/plain"),
)
TABLE.add(
    "POST longer than CL", request("/echo", "Content-Length: 3", method="POST", body=b"abcdefgh")
)
TABLE.add("large body 200k", post("/echo", b"y" * 200_000))
TABLE.add("large body 200k unread", post("/noread", b"y" * 200_000), Read(0.25), request("/plain"))

_ABC = b"3\r\nabc\r\n0\r\n\r\n"
TABLE.add("chunked", chunked("/echo", b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"))
TABLE.add(
    "chunked, upper case coding",
    request("/echo", "Transfer-Encoding: CHUNKED", method="POST", body=_ABC),
)
TABLE.add(
    "chunked split",
    chunked("/echo", b"3\r\nab"),
    Pause(0.1),
    b"c\r\n2\r\nd",
    Pause(0.1),
    b"e\r\n0\r\n\r\n",
)
TABLE.add("chunked extensions", chunked("/echo", b'3;a=b;c\r\nabc\r\n0;x="y"\r\n\r\n'))
TABLE.add(
    "chunked trailers",
    chunked("/echo", b"3\r\nabc\r\n0\r\nx-t: 1\r\nx-u: 2\r\n\r\n", "Trailer: x-t"),
)
TABLE.add("chunked trailers, then headers view", chunked("/headers", b"0\r\nx-t: 1\r\n\r\n"))
TABLE.add("chunked empty, then GET", chunked("/echo", b"0\r\n\r\n") + request("/plain"))

_ODD_CHUNKS = {
    "upper hex": b"A\r\n0123456789\r\n0\r\n\r\n",
    "lower hex": b"a\r\n0123456789\r\n0\r\n\r\n",
    "leading zeros": b"0003\r\nabc\r\n000\r\n\r\n",
    "empty size": b"\r\nabc\r\n0\r\n\r\n",
    "bad hex": b"zz\r\nabc\r\n0\r\n\r\n",
    "0x": b"0x3\r\nabc\r\n0\r\n\r\n",
    "plus": b"+3\r\nabc\r\n0\r\n\r\n",
    "minus": b"-3\r\nabc\r\n0\r\n\r\n",
    "underscore": b"0_3\r\nabc\r\n0\r\n\r\n",
    "leading space": b" 3\r\nabc\r\n0\r\n\r\n",
    "space after size": b"3 \r\nabc\r\n0\r\n\r\n",
    "LF only": b"3\nabc\n0\n\n",
    "LF after data": b"3\r\nabc\n0\r\n\r\n",
    "LF at the end": b"0\n\r\n",
    "overflow 17 hex": b"10000000000000000\r\nabc\r\n",
    "overflow F*16": b"FFFFFFFFFFFFFFFF\r\nabc\r\n",
    "overflow 21 hex": b"1" * 21 + b"\r\nabc\r\n",
    "long data": b"3\r\nabcd\r\n0\r\n\r\n",
    "two bytes instead of CRLF": b"3\r\nabcXX0\r\n\r\n",
    "bad trailer": b"0\r\nbad trailer\r\n\r\n",
    "trailer Content-Length": b"0\r\nContent-Length: 5\r\n\r\n",
    "extension with CR": b"3;a\rb\r\nabc\r\n0\r\n\r\n",
    "extension with LF": b"3;a\nb\r\nabc\r\n0\r\n\r\n",
    "extension bare semicolon": b"3;\r\nabc\r\n0\r\n\r\n",
    "extension two semicolons": b"3;;\r\nabc\r\n0\r\n\r\n",
    "extension without name": b"3;=b\r\nabc\r\n0\r\n\r\n",
    "extension without value": b"3;a=\r\nabc\r\n0\r\n\r\n",
    "extension quoted": b'3;a="x;y"\r\nabc\r\n0\r\n\r\n',
    "no last CRLF, wrong byte": b"0\r\nX",
}
for _name, _raw in _ODD_CHUNKS.items():
    TABLE.add(f"chunked: {_name}", chunked("/echo", _raw))
TABLE.add(
    "chunked: no last CRLF, then half close",
    chunked("/echo", b"3\r\nabc\r\n0\r\n"),
    Pause(0.05),
    HalfClose(),
)

TABLE.add(
    "chunked bad after app read one", chunked("/readone", b"3\r\nabc\r\n"), Pause(0.1), b"zz\r\n"
)
TABLE.add(
    "bad chunk while app mid stream",
    chunked("/slowchunks", b"3\r\nabc\r\n"),
    Pause(0.05),
    b"zz\r\n",
    unstable="where the 400 lands in the running body depends on the application's 50 ms sleeps",
)
TABLE.add("bad chunk while app waits", chunked("/slow", b"3\r\nabc\r\n"), Pause(0.05), b"zz\r\n")

_SHORT = request("/noread", "Content-Length: 10", method="POST", body=b"abc")
TABLE.add(
    "early response, rest later", _SHORT, Pause(0.15), b"defghij", Read(0.15), request("/plain")
)
TABLE.add(
    "early response, rest before", post("/noreadslow", b"abcdefghij"), Read(0.25), request("/plain")
)
TABLE.add(
    "early response chunked, rest later",
    chunked("/noread", b"3\r\nabc\r\n"),
    Pause(0.15),
    b"0\r\n\r\n",
    Read(0.15),
    request("/plain"),
)
TABLE.add(
    "early response, rest looks like a request",
    _SHORT,
    Read(0.15),
    b"GET /xy",
    Read(0.15),
    request("/plain"),
)

TABLE.add("receive after response", post("/readafter", b"abc"))
TABLE.add("receive after response, GET", request("/readafter"))
TABLE.add("receive past body, then reset", request("/readpast"), Pause(0.15), Reset())
TABLE.add("wait for disconnect, close", request("/wait"), Pause(0.15), Fin())
TABLE.add("wait for disconnect, reset", request("/wait"), Pause(0.15), Reset())
TABLE.add("wait for disconnect, half close", request("/wait"), Pause(0.1), HalfClose())
TABLE.add(
    "disconnect mid body",
    request("/echo", "Content-Length: 10", method="POST", body=b"abc"),
    Pause(0.1),
    Fin(),
)
TABLE.add("disconnect mid stream", request("/stream-forever"), Pause(0.1), Fin())
TABLE.add("background work after response", request("/bg"), Read(0.05), request("/plain"))


def _expect(target: str, *fields: str, version: str = "HTTP/1.1", body: bytes = b"") -> bytes:
    return request(target, "Content-Length: 3", *fields, method="POST", version=version, body=body)


_CONTINUE = "Expect: 100-continue"
TABLE.add("expect, app reads", _expect("/echo", _CONTINUE), Read(0.15), b"abc")
TABLE.add(
    "expect, app does not read",
    _expect("/noread", _CONTINUE),
    Read(0.15),
    b"abc",
    Read(0.15),
    request("/plain"),
)
TABLE.add("expect, body already sent", _expect("/echo", _CONTINUE, body=b"abc"))
TABLE.add("expect in upper case", _expect("/echo", "Expect: 100-CONTINUE"), Read(0.15), b"abc")
TABLE.add("expect twice", _expect("/echo", _CONTINUE, _CONTINUE), Read(0.15), b"abc")
TABLE.add("expect in a list", _expect("/echo", "Expect: 100-continue, x"), Read(0.15), b"abc")
TABLE.add("expect, trailing space", _expect("/echo", "Expect: 100-continue "), Read(0.15), b"abc")
TABLE.add("expect on 1.0", _expect("/echo", _CONTINUE, version="HTTP/1.0"), Read(0.15), b"abc")
TABLE.add("expect something else", _expect("/echo", "Expect: 200-ok"), Read(0.15), b"abc")
TABLE.add("expect on GET without body", request("/echo", _CONTINUE))
TABLE.add(
    "expect, application fails before reading",
    _expect("/exc/before", _CONTINUE),
    Read(0.15),
    b"abc",
)
TABLE.add(
    "expect, application fails after reading", _expect("/exc/read", _CONTINUE), Read(0.15), b"abc"
)
