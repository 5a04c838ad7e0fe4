"""WebSocket: handshakes good and bad, frames, closes, and applications that refuse or fail."""

from overbite_conform.case import CaseTable, Fin, Read
from overbite_conform.wire import WEBSOCKET_HANDSHAKE, frame, post, request

TABLE = CaseTable("asgi")

_CONNECTION, _UPGRADE, _KEY, _VERSION = WEBSOCKET_HANDSHAKE
_OPEN = request("/ws/plain", *WEBSOCKET_HANDSHAKE)
_TEXT, _BINARY, _CLOSE, _PING, _PONG = 1, 2, 8, 9, 10

TABLE.add("ws accept", _OPEN)
TABLE.add(
    "ws echo and close",
    _OPEN,
    Read(0.1),
    frame(_TEXT, b"hi"),
    Read(0.1),
    frame(_BINARY, b"\0\1"),
    Read(0.1),
    frame(_CLOSE, b"\x03\xe8bye"),
)

_FRAMES: dict[str, bytes] = {
    "ping": frame(_PING, b"p"),
    "pong unasked": frame(_PONG, b"p"),
    "fragmented": frame(_TEXT, b"he", final=False) + frame(_PING, b"mid") + frame(0, b"llo"),
    "text of 126 bytes": frame(_TEXT, b"x" * 126),
    "binary of 70000 bytes": frame(_BINARY, b"x" * 70_000),
    "text empty": frame(_TEXT, b""),
    "text utf8": frame(_TEXT, "caf\u00e9\u20ac".encode()),
    "close empty": frame(_CLOSE, b""),
    "close 1 byte": frame(_CLOSE, b"x"),
    "close 4000": frame(_CLOSE, b"\x0f\xa0why"),
    "close bad code 1005": frame(_CLOSE, b"\x03\xed"),
    "close bad utf8 reason": frame(_CLOSE, b"\x03\xe8\xff"),
    "unmasked": b"\x81\x02hi",
    "rsv1": frame(_TEXT, b"hi", reserved=4),
    "rsv2": frame(_TEXT, b"hi", reserved=2),
    "bad opcode 3": frame(3, b"hi"),
    "bad opcode 11": frame(11, b"hi"),
    "bad utf8": frame(_TEXT, b"\xff"),
    "big ping": frame(_PING, b"x" * 126),
    "fragmented ping": frame(_PING, b"x", final=False),
    "continuation first": frame(0, b"x"),
    "text inside fragments": frame(_TEXT, b"a", final=False) + frame(_TEXT, b"b"),
    "too big": b"\x82\xff\x00\x00\x00\x00\x01\x10\x00\x00abcd",
}
for _name, _raw in _FRAMES.items():
    TABLE.add(f"ws frame: {_name}", _OPEN, Read(0.1), _raw)
TABLE.add("ws dropped", _OPEN, Read(0.1), Fin())

_EXTENSIONS = "Sec-WebSocket-Extensions: permessage-deflate"
TABLE.add(
    "ws deflate offer with window",
    request("/ws/hello", *WEBSOCKET_HANDSHAKE, f"{_EXTENSIONS}; client_max_window_bits"),
)
TABLE.add("ws deflate offer", request("/ws/hello", *WEBSOCKET_HANDSHAKE, _EXTENSIONS))
TABLE.add("ws hello", request("/ws/hello", *WEBSOCKET_HANDSHAKE))

for _app in (
    "sub",
    "subother",
    "headers",
    "deny",
    "deny-code",
    "deny-ext",
    "raise-first",
    "return-first",
    "raise",
    "return",
    "sendfirst",
    "raise-after",
    "close",
):
    TABLE.add(
        f"ws app {_app}",
        request(f"/ws/{_app}", *WEBSOCKET_HANDSHAKE, "Sec-WebSocket-Protocol: a, b"),
    )
TABLE.add(
    "ws sub two lines",
    request(
        "/ws/sub", *WEBSOCKET_HANDSHAKE, "Sec-WebSocket-Protocol: a", "Sec-WebSocket-Protocol: b"
    ),
)

_WS = "/ws/plain"
TABLE.add("ws version 12", request(_WS, _CONNECTION, _UPGRADE, _KEY, "Sec-WebSocket-Version: 12"))
TABLE.add("ws no version", request(_WS, _CONNECTION, _UPGRADE, _KEY))
TABLE.add("ws no key", request(_WS, _CONNECTION, _UPGRADE, _VERSION))
TABLE.add("ws short key", request(_WS, _CONNECTION, _UPGRADE, "Sec-WebSocket-Key: abc", _VERSION))
TABLE.add("ws no connection", request(_WS, _UPGRADE, _KEY, _VERSION))
TABLE.add("ws no upgrade", request(_WS, _CONNECTION, _KEY, _VERSION))
TABLE.add("ws POST", request(_WS, *WEBSOCKET_HANDSHAKE, method="POST"))
TABLE.add("ws POST with body", post(_WS, b"abc", *WEBSOCKET_HANDSHAKE))
TABLE.add("ws HTTP/1.0", request(_WS, *WEBSOCKET_HANDSHAKE, version="HTTP/1.0"))
TABLE.add("ws no host", request(_WS, *WEBSOCKET_HANDSHAKE, host=False))
TABLE.add(
    "ws Connection: keep-alive, Upgrade",
    request(_WS, "Connection: keep-alive, Upgrade", _UPGRADE, _KEY, _VERSION),
)
TABLE.add("ws Upgrade: WebSocket", request(_WS, _CONNECTION, "Upgrade: WebSocket", _KEY, _VERSION))
TABLE.add(
    "ws Upgrade: websocket, h2c",
    request(_WS, _CONNECTION, "Upgrade: websocket, h2c", _KEY, _VERSION),
)
TABLE.add("ws frame in the same write", _OPEN + frame(_TEXT, b"early"))
TABLE.add("ws stray byte behind the handshake", _OPEN + b"x")
TABLE.add("ws after http keep-alive", request("/plain"), Read(0.1), _OPEN)
TABLE.add("ws path escapes and query", request("/ws/a%20b?x=%20", *WEBSOCKET_HANDSHAKE))
TABLE.add("ws scope", request("/ws/scope?x=%20", *WEBSOCKET_HANDSHAKE, "X-Multi: 1", "x-multi: 2"))
