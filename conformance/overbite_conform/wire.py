"""Bytes of a client: an HTTP/1 request head with its body, and a masked WebSocket frame."""

WEBSOCKET_HANDSHAKE = (
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version: 13",
)


def request(
    target: str,
    *fields: str,
    method: str = "GET",
    version: str = "HTTP/1.1",
    host: bool = True,
    body: bytes = b"",
) -> bytes:
    """A request with `Host: t` first, then `fields` exactly as given. No length is ever added."""
    lines = [f"{method} {target} {version}"]
    if host:
        lines.append("Host: t")
    lines += fields
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def post(target: str, body: bytes, *fields: str, version: str = "HTTP/1.1") -> bytes:
    """A POST whose Content-Length is the length of `body`."""
    length = f"Content-Length: {len(body)}"
    return request(target, length, *fields, method="POST", version=version, body=body)


def chunked(target: str, raw_body: bytes, *fields: str, version: str = "HTTP/1.1") -> bytes:
    """A POST with `Transfer-Encoding: chunked`; `raw_body` is put on the wire as it is."""
    coding = "Transfer-Encoding: chunked"
    return request(target, coding, *fields, method="POST", version=version, body=raw_body)


def frame(opcode: int, payload: bytes, *, final: bool = True, reserved: int = 0) -> bytes:
    """A masked client frame (RFC 6455 section 5.2); the mask is fixed, so the bytes are too."""
    mask = b"abcd"
    size = len(payload)
    head = bytes([(0x80 if final else 0) | (reserved << 4) | opcode])
    if size < 126:
        head += bytes([0x80 | size])
    elif size < 1 << 16:
        head += bytes([0x80 | 126]) + size.to_bytes(2, "big")
    else:
        head += bytes([0x80 | 127]) + size.to_bytes(8, "big")
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
