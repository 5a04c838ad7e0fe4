"""Request framing that two parsers may read differently: lengths, transfer codings, upgrades not
taken."""

from overbite_conform.case import CaseTable, Pause, Read
from overbite_conform.wire import chunked, post, request

TABLE = CaseTable("asgi")

_ABC = b"3\r\nabc\r\n0\r\n\r\n"

_LENGTHS: dict[str, tuple[str, bytes]] = {
    "huge 20 digits": ("99999999999999999999", b""),
    "2^63": ("9223372036854775808", b""),
    "2^64": ("18446744073709551616", b""),
    "5 GB": ("5000000000", b""),
    "30 digits": ("1" * 30, b""),
    "negative": ("-1", b""),
    "plus": ("+3", b"abc"),
    "text": ("abc", b""),
    "hex": ("0x3", b"abc"),
    "underscore": ("1_0", b"0123456789"),
    "3abc": ("3abc", b"abc"),
    "spaces inside": ("1 2", b""),
    "trailing space": ("3 ", b"abc"),
    "list same": ("3, 3", b"abc"),
    "leading zero": ("003", b"abc"),
}
for _name, (_value, _body) in _LENGTHS.items():
    TABLE.add(
        f"CL {_name}", request("/echo", f"Content-Length: {_value}", method="POST", body=_body)
    )

_FRAMINGS: dict[str, tuple[tuple[str, ...], bytes]] = {
    "CL empty": (("Content-Length:",), b""),
    "CL twice same": (("Content-Length: 3", "Content-Length: 3"), b"abc"),
    "CL twice different": (("Content-Length: 3", "Content-Length: 4"), b"abcd"),
    "CL + TE": (("Content-Length: 3", "Transfer-Encoding: chunked"), _ABC),
    "TE + CL": (("Transfer-Encoding: chunked", "Content-Length: 3"), _ABC),
    "TE gzip": (("Transfer-Encoding: gzip",), b"abc"),
    "TE gzip, chunked": (("Transfer-Encoding: gzip, chunked",), _ABC),
    "TE identity, chunked": (("Transfer-Encoding: identity, chunked",), _ABC),
    "TE comma chunked": (("Transfer-Encoding: ,chunked",), _ABC),
    "TE gzip and chunked on two lines": (
        ("Transfer-Encoding: gzip", "Transfer-Encoding: chunked"),
        _ABC,
    ),
    "TE chunked, gzip": (("Transfer-Encoding: chunked, gzip",), _ABC),
    "TE identity": (("Transfer-Encoding: identity",), b"abc"),
    "TE chunked twice": (("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), _ABC),
    "TE chunked, chunked": (("Transfer-Encoding: chunked, chunked",), _ABC),
    "TE chunkedd": (("Transfer-Encoding: chunkedd",), _ABC),
    "TE xchunked": (("Transfer-Encoding: xchunked",), _ABC),
    "TE empty": (("Transfer-Encoding:",), b"abc"),
    "TE vertical tab": (("Transfer-Encoding: \x0bchunked",), _ABC),
    "TE no-break space": (("Transfer-Encoding: \xa0chunked",), _ABC),
    "TE obs-fold": (("Transfer-Encoding:\r\n chunked",), _ABC),
    "underscore Content_Length": (("Content_Length: 3",), b""),
}
for _name, (_fields, _body) in _FRAMINGS.items():
    TABLE.add(_name, request("/echo", *_fields, method="POST", body=_body))

TABLE.add("TE on 1.0", chunked("/echo", _ABC, version="HTTP/1.0"))

_UPGRADE = ("Connection: Upgrade", "Upgrade: foo")
_H2C = (
    "Connection: Upgrade, HTTP2-Settings",
    "Upgrade: h2c",
    "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
)
TABLE.add("upgrade h2c", request("/path", *_H2C))
TABLE.add("upgrade h2c with body", post("/echo", b"abc", *_H2C))
TABLE.add("upgrade h2c with chunked body", chunked("/echo", _ABC, *_H2C))
TABLE.add(
    "upgrade h2c with body in a later read",
    request("/echo", "Content-Length: 3", *_H2C, method="POST"),
    Pause(0.1),
    b"abc",
)
TABLE.add("upgrade other", request("/path", *_UPGRADE))
TABLE.add("upgrade other with data", request("/path", *_UPGRADE) + request("/plain"))
TABLE.add(
    "upgrade other, then a request", request("/path", *_UPGRADE), Read(0.15), request("/plain")
)
TABLE.add("upgrade header alone", request("/path", "Upgrade: websocket"))
