"""Keep-alive, HTTP/1.0, pipelining, and a client that half-closes."""

from overbite_conform.case import CaseTable, HalfClose, Read
from overbite_conform.wire import post, request

TABLE = CaseTable("asgi")
_BAD = b"BAD\x00 / HTTP/1.1\r\n\r\n"

TABLE.add("1.1 two sequential", request("/plain"), Read(0.15), request("/nolen"))
TABLE.add("1.1 Connection: close", request("/plain", "Connection: close"))
TABLE.add("1.1 Connection: Close", request("/plain", "Connection: Close"))
TABLE.add("1.1 Connection: keep-alive, close", request("/plain", "Connection: keep-alive, close"))
TABLE.add("1.1 Proxy-Connection: close", request("/plain", "Proxy-Connection: close"))
TABLE.add("1.1 Connection: close chunked", request("/nolen", "Connection: close"))
TABLE.add("1.1 close and app close", request("/hdr/close", "Connection: close"))
TABLE.add("1.1 close and app keep-alive", request("/hdr/ka", "Connection: close"))
TABLE.add("1.1 Connection: keep-alive", request("/plain", "Connection: keep-alive"))
TABLE.add("1.1 HEAD with close", request("/nolen", "Connection: close", method="HEAD"))
TABLE.add("1.1 close, 404", request("/nosuch", "Connection: close"))

_V10 = "HTTP/1.0"
_KEEP = "Connection: keep-alive"
TABLE.add("1.0 plain", request("/plain", version=_V10))
TABLE.add("1.0 no host", request("/plain", version=_V10, host=False))
TABLE.add("1.0 nolen", request("/nolen", version=_V10))
TABLE.add("1.0 chunks", request("/chunks", version=_V10))
TABLE.add("1.0 keep-alive", request("/plain", _KEEP, version=_V10))
TABLE.add("1.0 keep-alive nolen", request("/nolen", _KEEP, version=_V10))
TABLE.add("1.0 keep-alive and app keep-alive", request("/hdr/ka", _KEEP, version=_V10))
TABLE.add("1.0 app te chunked", request("/len/te", version=_V10))
TABLE.add("1.0 404", request("/nosuch", version=_V10))
TABLE.add("1.0 HEAD nolen", request("/nolen", version=_V10, method="HEAD"))
TABLE.add("1.0 204", request("/st/204/nobody", version=_V10))
TABLE.add("1.0 app exception", request("/exc/before", version=_V10))
TABLE.add("1.0 two pipelined", request("/plain", version=_V10) + request("/nolen", version=_V10))
TABLE.add("0.9 simple", b"GET /plain\r\n\r\n")

TABLE.add("pipelined three", request("/plain") + request("/nolen") + request("/nosuch"))
TABLE.add("pipelined twenty", request("/plain") * 20)
TABLE.add("pipelined slow first", request("/slow") + request("/plain"))
TABLE.add("pipelined close first", request("/plain", "Connection: close") + request("/nolen"))
TABLE.add("pipelined app close first", request("/hdr/close") + request("/nolen"))
TABLE.add("pipelined bad second", request("/plain") + _BAD)
TABLE.add("pipelined bad second, slow first", request("/slow") + _BAD)
TABLE.add("pipelined bad third", request("/plain") + request("/nolen") + _BAD)
TABLE.add("sequential, then bad", request("/plain"), Read(0.15), _BAD)
TABLE.add("pipelined exception first", request("/exc/before") + request("/plain"))
TABLE.add("pipelined late exception first", request("/exc/end") + request("/plain"))
TABLE.add("pipelined POST unread and GET", post("/noread", b"abcde") + request("/plain"))
TABLE.add("pipelined POST read and GET", post("/echo", b"abcde") + request("/plain"))
TABLE.add("pipelined GET slow and POST", request("/slow") + post("/echo", b"abcde"))
TABLE.add("pipelined HEAD and GET", request("/plain", method="HEAD") + request("/plain"))
TABLE.add(
    "pipelined HEAD without length and GET", request("/nolen", method="HEAD") + request("/nolen")
)
TABLE.add(
    "pipelined second cut in its line",
    request("/plain") + b"GET /no",
    Read(0.15),
    b"len HTTP/1.1\r\nHost: t\r\n\r\n",
)

TABLE.add("leading CRLF", b"\r\n\r\n" + request("/plain"))
TABLE.add("leading LF", b"\n" + request("/plain"))
TABLE.add("trailing CRLF after POST", post("/echo", b"ab") + b"\r\n" + request("/plain"))

TABLE.add("half close after request", request("/slow"), HalfClose())
TABLE.add("half close before end of headers", b"GET /plain HTTP/1.1\r\nHost: t\r\n", HalfClose())
TABLE.add(
    "half close mid body",
    request("/echo", "Content-Length: 10", method="POST", body=b"abc"),
    HalfClose(),
)
TABLE.add(
    "half close mid chunked body",
    request("/echo", "Transfer-Encoding: chunked", method="POST", body=b"3\r\nabc\r\n"),
    HalfClose(),
)
TABLE.add("half close between requests", request("/plain"), Read(0.15), HalfClose())
TABLE.add("connect, then half close", HalfClose())
