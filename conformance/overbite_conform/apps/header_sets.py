"""Header lists of the probe applications, by the name that stands in the path (/hdr/NAME,
/len/NAME).

Values are sometimes of a wrong type on purpose: a server must answer that in its own way, not
crash.
"""

from typing import Any

HeaderList = list[Any]


def length(size: int) -> tuple[bytes, bytes]:
    return (b"content-length", str(size).encode())


HEADER_SETS: dict[str, HeaderList] = {
    "cr": [(b"x-a", b"a\rb")],
    "lf": [(b"x-a", b"a\nb")],
    "crlf": [(b"x-a", b"a\r\nx-b: 1")],
    "nul": [(b"x-a", b"a\0b")],
    "latin": [(b"x-a", b"caf\xe9")],
    "utf8": [(b"x-a", "caf\u00e9\u20ac".encode())],
    "emptyname": [(b"", b"v")],
    "emptyvalue": [(b"x-a", b"")],
    "spacename": [(b"x a", b"v")],
    "colonname": [(b"x:a", b"v")],
    "lfname": [(b"x\na", b"v")],
    "latinname": [(b"x-\xe9", b"v")],
    "slashname": [(b"x/a", b"v")],
    "quotename": [(b'x"a', b"v")],
    "padvalue": [(b"x-a", b"  v  ")],
    "tabvalue": [(b"x-a", b"a\tb")],
    "tablead": [(b"x-a", b"\tv")],
    "del": [(b"x-a", b"a\x7fb")],
    "esc": [(b"x-a", b"a\x1bb")],
    "upper": [(b"X-UPPER-Case", b"v")],
    "strname": [("x-a", b"v")],
    "strvalue": [(b"x-a", "v")],
    "strboth": [("x-a", "v")],
    "triple": [(b"x-a", b"v", b"w")],
    "single": [(b"x-a",)],
    "list": [[b"x-a", b"v"]],
    "bytearray": [(bytearray(b"x-a"), bytearray(b"v"))],
    "memview": [(memoryview(b"x-a"), memoryview(b"v"))],
    "intvalue": [(b"x-a", 1)],
    "none": [(b"x-a", None)],
    "date": [(b"date", b"Thu, 01 Jan 1970 00:00:00 GMT")],
    "Date": [(b"Date", b"x")],
    "server": [(b"server", b"mine")],
    "Server": [(b"Server", b"mine")],
    "close": [(b"connection", b"close")],
    "Close": [(b"Connection", b"Close")],
    "closelist": [(b"connection", b"foo, close")],
    "ka": [(b"connection", b"keep-alive")],
    "connup": [(b"connection", b"upgrade"), (b"upgrade", b"foo")],
    "hophop": [
        (b"keep-alive", b"timeout=5"),
        (b"proxy-connection", b"x"),
        (b"te", b"x"),
        (b"trailer", b"x-t"),
    ],
    "dup": [(b"x-b", b"1"), (b"X-A", b"2"), (b"x-b", b"3")],
    "cookies": [(b"set-cookie", b"a=1"), (b"x-mid", b"m"), (b"set-cookie", b"b=2; Path=/")],
    "huge": [(b"x-a", b"v" * 20000)],
    "many": [(b"x-%d" % i, b"v") for i in range(200)],
}

LENGTH_SETS: dict[str, HeaderList] = {
    "te": [(b"transfer-encoding", b"chunked")],
    "TE": [(b"Transfer-Encoding", b"Chunked")],
    "teid": [(b"transfer-encoding", b"identity")],
    "tegzip": [(b"transfer-encoding", b"gzip, chunked")],
    "clte": [length(5), (b"transfer-encoding", b"chunked")],
    "tecl": [(b"transfer-encoding", b"chunked"), length(5)],
    "cl2same": [length(5), length(5)],
    "cl2diff": [length(5), length(6)],
    "cl2diffrev": [length(6), length(5)],
    "clbad": [(b"content-length", b"abc")],
    "clneg": [(b"content-length", b"-1")],
    "clplus": [(b"content-length", b"+5")],
    "clspace": [(b"content-length", b" 5 ")],
    "clus": [(b"content-length", b"0_5")],
    "clzero": [(b"content-length", b"005")],
    "clempty": [(b"content-length", b"")],
    "cllist": [(b"content-length", b"5, 5")],
    "clhuge": [(b"content-length", b"1" * 30)],
    "CLupper": [(b"Content-Length", b"5")],
    "short": [length(10)],
    "long": [length(3)],
    "zero": [length(0)],
}
