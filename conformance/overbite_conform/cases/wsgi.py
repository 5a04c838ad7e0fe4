"""WSGI applications (PEP 3333): return values, start_response, the write callable, wsgi.input,
environ."""

from overbite_conform.case import CaseTable, Pause, Read
from overbite_conform.wire import chunked, post, request

TABLE = CaseTable("wsgi")

for _page in (
    "plain",
    "nolen",
    "parts",
    "gen",
    "tuple",
    "empty",
    "write",
    "nostart",
    "latestart",
    "startonempty",
    "raise",
    "raisestart",
    "raiseiter",
    "raiseclose",
    "excinfo",
    "excinfolate",
    "twostart",
    "status/299",
    "status/noreason",
    "status/custom",
    "status/204",
    "status/304",
    "status/999",
    "hdr/crlf",
    "hdr/latin",
    "hdr/uni",
    "hdr/bytes",
    "hdr/hop",
    "hdr/te",
    "hdr/date",
    "hdr/cookies",
    "hdr/none",
    "hdr/padded",
    "clshort",
    "cllong",
    "clparts",
    "strbody",
    "rawbytes",
    "filewrap",
    "close",
    "big",
    "nope",
):
    TABLE.add(f"W GET /{_page}", request(f"/{_page}"))
for _page in ("plain", "nolen", "gen", "raise", "clshort", "status/304"):
    TABLE.add(f"W HEAD /{_page}", request(f"/{_page}", method="HEAD"))

TABLE.add("W 1.0 /gen", request("/gen", version="HTTP/1.0"))
TABLE.add("W 1.0 /plain", request("/plain", version="HTTP/1.0"))
TABLE.add("W close /gen", request("/gen", "Connection: close"))
TABLE.add("W two sequential", request("/plain"), Read(0.15), request("/gen"))
TABLE.add("W pipelined three", request("/plain") + request("/gen") + request("/nope"))
TABLE.add("W pipelined slow first", request("/slow") + request("/plain"))
TABLE.add("W pipelined exception first", request("/raise") + request("/plain"))

TABLE.add("W POST echo", post("/echo", b"abcde"))
TABLE.add(
    "W POST echo split",
    request("/echo", "Content-Length: 5", method="POST", body=b"ab"),
    Pause(0.1),
    b"cde",
)
TABLE.add("W POST echo 200k", post("/echo", b"y" * 200_000))
TABLE.add("W POST echo chunked", chunked("/echo", b"3\r\nabc\r\n0\r\n\r\n"))
TABLE.add("W POST readline", post("/readline", b"l1\nl2xyz\nz"))
TABLE.add("W POST readline, ends in newline", post("/readline", b"l1\nl2xyz\nz\n"))
TABLE.add("W POST lines by iteration", post("/lines", b"l1\n\nl3"))
TABLE.add("W POST read in pieces", post("/pieces", b"0123456789"))
TABLE.add("W POST unread, then GET", post("/plain", b"abcde") + request("/plain"))
TABLE.add("W GET echo", request("/echo"))
TABLE.add(
    "W expect",
    request("/echo", "Content-Length: 3", "Expect: 100-continue", method="POST"),
    Read(0.15),
    b"abc",
)
TABLE.add(
    "W expect, app does not read",
    request("/plain", "Content-Length: 3", "Expect: 100-continue", method="POST"),
    Read(0.15),
    b"abc",
    Read(0.15),
    request("/plain"),
)

TABLE.add(
    "W environ",
    post("/environ/a%20b/caf%C3%A9?q=%20", b"", "X-Multi: 1", "x-multi: 2", "Content-Type: a/b"),
)
TABLE.add("W environ cookies", request("/environ", "Cookie: a=1", "Cookie: b=2"))
TABLE.add("W environ underscore name", request("/environ", "X_Under: u", "X-Under: d"))
TABLE.add("W environ latin1 value", request("/environ", "X-A: caf\xe9"))
TABLE.add("W environ of HTTP/1.0", request("/environ", version="HTTP/1.0", host=False))
TABLE.add("W environ empty query", request("/environ?"))
TABLE.add("W environ invalid utf8 path", request("/environ/%ff%fe"))
TABLE.add(
    "W environ https from proxy",
    request("/environ", "X-Forwarded-Proto: https", "X-Forwarded-For: 1.2.3.4"),
)
TABLE.add("W environ keys", request("/keys"))
TABLE.add("W environ threading flags", request("/flags"))
TABLE.add("W bad request", b"BAD\r\n\r\n")
TABLE.add("W missing host", request("/plain", host=False))
TABLE.add("W upgrade to websocket", request("/plain", "Connection: Upgrade", "Upgrade: foo"))
