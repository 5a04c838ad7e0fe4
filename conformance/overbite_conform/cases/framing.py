"""Content-Length and Transfer-Encoding given by the application, against the body it sends."""

from overbite_conform.apps.header_sets import LENGTH_SETS
from overbite_conform.case import CaseTable
from overbite_conform.wire import request

TABLE = CaseTable("asgi")

for _key in LENGTH_SETS:
    TABLE.add(f"length {_key}", request(f"/len/{_key}"))
for _key in ("te", "clte", "tecl", "teid", "short", "long", "CLupper"):
    TABLE.add(f"length in parts {_key}", request(f"/lenchunks/{_key}"))
for _key in ("te", "clte", "tecl", "tegzip", "short", "long", "zero"):
    TABLE.add(f"HEAD length {_key}", request(f"/len/{_key}", method="HEAD"))
for _key in ("te", "clte", "tegzip"):
    TABLE.add(f"length {_key}, then a second request", request(f"/len/{_key}") + request("/plain"))
