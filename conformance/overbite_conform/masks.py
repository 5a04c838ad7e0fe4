"""What is allowed to differ between two runs, and why. Everything else is compared.

| mask | replaced by | reason |
|---|---|---|
| the value of a `date` field, if of this century | `<date>` | two answers, two seconds |
| the server's own port, as a whole number | `<port>` | each server has its own |
| the client's port of this connection, as a whole number | `<client>` | the kernel picks it |

Ports are drawn from the kernel's ephemeral range, which has five digits throughout, so a
Content-Length over text that contains one does not change with it.
"""

import re
from dataclasses import dataclass

_DATE = re.compile(
    rb"(?i)(\r\ndate: ?)[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 20\d\d \d\d:\d\d:\d\d GMT(?=\r\n)"
)


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The two ports of one connection."""

    server_port: int
    client_port: int


def mask(data: bytes, endpoints: Endpoints) -> bytes:
    """`data` with everything replaced that may differ between two servers or two moments."""
    data = _DATE.sub(rb"\1<date>", data)
    for port, label in ((endpoints.server_port, b"<port>"), (endpoints.client_port, b"<client>")):
        data = re.sub(rb"(?<!\d)%d(?!\d)" % port, label, data)
    return data
