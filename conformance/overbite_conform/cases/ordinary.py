"""Ordinary requests with well-behaved applications: one part, several parts, with and without a
length."""

from overbite_conform.case import CaseTable
from overbite_conform.wire import request

TABLE = CaseTable("asgi")

for _page in (
    "plain",
    "nolen",
    "nolenempty",
    "nohdrs",
    "chunks",
    "chunks/last",
    "slowchunks",
    "clparts",
    "nosuch",
):
    TABLE.add(f"GET /{_page}", request(f"/{_page}"))

for _page in (
    "plain",
    "nolen",
    "chunks",
    "clparts",
    "nosuch",
    "st/204/nobody",
    "st/304/nobody",
    "exc/before",
):
    TABLE.add(f"HEAD /{_page}", request(f"/{_page}", method="HEAD"))

for _method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "REPORT"):
    TABLE.add(f"{_method} /path", request("/path", method=_method))

TABLE.add("big 1 MiB, length given", request("/big"))
TABLE.add("big 1 MiB, chunked", request("/bigchunk"))
TABLE.add("big 70000, length given", request("/big/70000"))
TABLE.add("big 65536, chunked", request("/bigchunk/65536"))
