"""Applications that raise, return too early, or send messages out of order."""

from overbite_conform.case import CaseTable
from overbite_conform.wire import request

TABLE = CaseTable("asgi")

for _failure in (
    "exc/before",
    "exc/read",
    "exc/start",
    "exc/chunk",
    "exc/end",
    "exc/clstart",
    "exc/clchunk",
    "exc/clend",
    "ret/none",
    "ret/start",
    "ret/partial",
    "ret/value",
    "ret/valuefirst",
    "cancel",
):
    TABLE.add(f"app {_failure}", request(f"/{_failure}"))

for _sequence in (
    "bodyfirst",
    "twostarts",
    "extra",
    "startafter",
    "unknown",
    "notype",
    "nostatus",
    "strbody",
    "strbodychunk",
    "nonebody",
    "bytearray",
    "memview",
    "trailers",
    "push",
    "hint",
    "debug",
    "pathsend",
):
    TABLE.add(f"sequence {_sequence}", request(f"/seq/{_sequence}"))

for _failure in ("exc/before", "exc/start", "ret/none", "ret/value", "seq/twostarts"):
    TABLE.add(f"HEAD app {_failure}", request(f"/{_failure}", method="HEAD"))

TABLE.add("bad header caught, application continues", request("/swallow"))
