"""Request heads that are wrong, odd, or at a limit, one variation each."""

from overbite_conform.case import CaseTable, Pause
from overbite_conform.wire import request

TABLE = CaseTable("asgi")


def _head(*lines: str) -> bytes:
    """GET /headers with these header lines after Host; the answer shows what the application
    got."""
    return "\r\n".join(("GET /headers HTTP/1.1", "Host: t", *lines, "", "")).encode("latin-1")


def _line(line: str) -> bytes:
    """A request that consists of this request line and a Host field."""
    return f"{line}\r\nHost: t\r\n\r\n".encode("latin-1")


_LONG = b"GET /noread HTTP/1.1\r\nHost: t\r\nX-A: "

_REQUEST_LINES = {
    "garbage": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "garbage line": b"hello there\r\n\r\n",
    "empty method": _line(" / HTTP/1.1"),
    "lower method": _line("get /plain HTTP/1.1"),
    "unknown method FOO": _line("FOO /plain HTTP/1.1"),
    "unknown method with prefix GETX": _line("GETX /plain HTTP/1.1"),
    "method QUERY": _line("QUERY /path HTTP/1.1"),
    "method M-SEARCH": _line("M-SEARCH /path HTTP/1.1"),
    "method DESCRIBE": _line("DESCRIBE /path HTTP/1.1"),
    "method PRI": _line("PRI /path HTTP/1.1"),
    "method CONNECT": _line("CONNECT a.b:443 HTTP/1.1"),
    "method with paren": _line("G(T /path HTTP/1.1"),
    "method of 300 letters": b"A" * 300 + _line(" /path HTTP/1.1"),
    "h2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
    "version 3.0": _line("GET /path HTTP/3.0"),
    "version 2.0": _line("GET /path HTTP/2.0"),
    "version 1.2": _line("GET /path HTTP/1.2"),
    "version 0.9": _line("GET /path HTTP/0.9"),
    "version 9.9": _line("GET /path HTTP/9.9"),
    "version 1.10": _line("GET /path HTTP/1.10"),
    "version 1.11": _line("GET /path HTTP/1.11"),
    "version lower": _line("GET /path http/1.1"),
    "version HTTPS": _line("GET /path HTTPS/1.1"),
    "version ICE": _line("GET /path ICE/1.0"),
    "SOURCE ICE": _line("SOURCE /path ICE/1.0"),
    "RTSP": _line("DESCRIBE /path RTSP/1.0"),
    "two spaces before version": _line("GET /path  HTTP/1.1"),
    "two spaces before target": _line("GET  /path HTTP/1.1"),
    "tab separators": _line("GET\t/path\tHTTP/1.1"),
    "trailing space after version": _line("GET /path HTTP/1.1 "),
    "space in target": _line("GET /pa th HTTP/1.1"),
    "url 9000": request("/noread?" + "q" * 9000),
    "url 65535": request("/noread?" + "q" * 65527),
    "url 65536": request("/noread?" + "q" * 65528),
}

_HOSTS = {
    "missing host": b"GET /plain HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /plain HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "same host twice": b"GET /plain HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    "empty host": b"GET /plain HTTP/1.1\r\nHost:\r\n\r\n",
    "bad host": b"GET /plain HTTP/1.1\r\nHost: a b\r\n\r\n",
    "host with path": b"GET /plain HTTP/1.1\r\nHost: a/b\r\n\r\n",
    "host with userinfo": b"GET /plain HTTP/1.1\r\nHost: u@a\r\n\r\n",
}

_FIELDS = {
    "obs-fold": _head("X-A: one\r\n two"),
    "obs-fold first": b"GET /headers HTTP/1.1\r\n Host: t\r\n\r\n",
    "space before colon": _head("X-A : one"),
    "tab before colon": _head("X-A\t: one"),
    "space in name": _head("X A: one"),
    "no colon": _head("XA"),
    "empty header name": _head(": one"),
    "empty header value": _head("X-A:"),
    "header value padding": _head("X-A:  \t one \t "),
    "header value all blank": _head("X-A:  \t "),
    "header inner tab": _head("X-A: o\tne"),
    "header underscore": _head("X_A: one"),
    "header all token chars": _head("!#$%&'*+-.^_`|~: one"),
    "header quote in name": _head('X"A: one'),
    "header braces in name": _head("X{}A: one"),
    "header latin1 value": _head("X-A: caf\xe9"),
    "header utf8 value": _head("X-A: caf\xc3\xa9"),
    "header 8bit name": _head("X-\xe9: one"),
    "header NUL value": _head("X-A: o\0ne"),
    "header NUL name": _head("X\0A: one"),
    "header control value": _head("X-A: o\x01ne"),
    "header bell value": _head("X-A: o\x07ne"),
    "header DEL value": _head("X-A: o\x7fne"),
    "header bare CR": _head("X-A: o\rne"),
    "bare LF everywhere": b"GET /headers HTTP/1.1\nHost: t\n\n",
    "bare LF request line": b"GET /headers HTTP/1.1\nHost: t\r\n\r\n",
    "bare LF one header": b"GET /headers HTTP/1.1\r\nHost: t\nX-A: 1\r\n\r\n",
    "bare LF at end": b"GET /headers HTTP/1.1\r\nHost: t\r\n\n",
    "CR only lines": b"GET /headers HTTP/1.1\rHost: t\r\r",
    "CR only end": b"GET /headers HTTP/1.1\r\nHost: t\r\n\r",
    "CR CR LF": b"GET /headers HTTP/1.1\r\r\nHost: t\r\n\r\n",
    "duplicate headers": _head("X-B: 1", "x-a: 2", "X-B: 3", "Cookie: a=1", "Cookie: b=2"),
    "header 8000": _LONG + b"v" * 8000 + b"\r\n\r\n",
    "header 20000": _LONG + b"v" * 20000 + b"\r\n\r\n",
    "header 70000": _LONG + b"v" * 70000 + b"\r\n\r\n",
    "120 headers": request("/noread", *(f"x-{i}: v" for i in range(120))),
    "1000 headers": request("/noread", *(f"x-{i}: v" for i in range(1000))),
}

for _name, _raw in (_REQUEST_LINES | _HOSTS | _FIELDS).items():
    TABLE.add(f"bad: {_name}", _raw)

TABLE.add("bad: header 300000", _LONG + b"v" * 300_000 + b"\r\n\r\n")
TABLE.add("bad: header 300000 unfinished", _LONG + b"v" * 300_000)
TABLE.add(
    "bad: url 70000",
    request("/noread?" + "q" * 70_000),
    unstable="FIN or reset: it depends on how much of the request was still unread",
)

_CUT = request("/path?x=1")
_PIECES = [_CUT[i : i + 7] for i in range(0, len(_CUT), 7)]
TABLE.add("split every 7 bytes", *(step for piece in _PIECES for step in (piece, Pause(0.005))))
TABLE.add(
    "split in header name and value",
    b"GET /head",
    Pause(0.02),
    b"ers HTTP/1.1\r\nHo",
    Pause(0.02),
    b"st: t\r\nX-",
    Pause(0.02),
    b"Long: va",
    Pause(0.02),
    b"lue\r",
    Pause(0.02),
    b"\n\r",
    Pause(0.02),
    b"\n",
)
