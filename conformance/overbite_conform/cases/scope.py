"""What the application is told: scope, client address, lifespan state."""

from overbite_conform.case import CaseTable, Read
from overbite_conform.wire import chunked, post, request

TABLE = CaseTable("asgi")

TABLE.add(
    "scope", request("/scope?a=b", "X-Multi: 1", "User-Agent: ua", "x-multi: 2", "Accept: */*")
)
TABLE.add("scope of HTTP/1.0", request("/scope", version="HTTP/1.0", host=False))
TABLE.add("scope of POST", post("/scope", b"abc", "Content-Type: a/b"))
TABLE.add("scope of chunked", chunked("/scope", b"0\r\n\r\n"))
TABLE.add("scope changed by the application", request("/mutate") + request("/scope"))
TABLE.add("state is a copy", request("/state"), Read(0.15), request("/state"))
TABLE.add("client", request("/client"))
TABLE.add(
    "client xff",
    request("/client", "X-Forwarded-For: 1.2.3.4, 5.6.7.8", "X-Forwarded-Proto: https"),
)
TABLE.add("client xff with port", request("/client", "X-Forwarded-For: 1.2.3.4:99"))
TABLE.add("client xff IPv6", request("/client", "X-Forwarded-For: 2001:db8::1"))
TABLE.add("client xff IPv6 with port", request("/client", "X-Forwarded-For: [2001:db8::1]:99"))
TABLE.add("client xff empty", request("/client", "X-Forwarded-For:"))
TABLE.add(
    "client xff on two lines",
    request("/client", "X-Forwarded-For: 1.2.3.4", "X-Forwarded-For: 5.6.7.8"),
)
TABLE.add("client xff own address last", request("/client", "X-Forwarded-For: 9.9.9.9, 127.0.0.1"))
TABLE.add("client proto wss", request("/client", "X-Forwarded-Proto: wss"))
TABLE.add("client proto unknown", request("/client", "X-Forwarded-Proto: gopher"))
TABLE.add("client forwarded", request("/client", "Forwarded: for=1.2.3.4;proto=https"))
for _what in ("get", "post", "chunked", "empty"):
    _requests = {
        "get": request("/messages"),
        "post": post("/messages", b"abc"),
        "chunked": chunked("/messages", b"3\r\nabc\r\n0\r\n\r\n"),
        "empty": post("/messages", b""),
    }
    TABLE.add(f"messages received: {_what}", _requests[_what])
