"""Status codes: the ones with rules about bodies, unknown ones, and ones that cannot be written."""

from overbite_conform.case import CaseTable
from overbite_conform.wire import request

TABLE = CaseTable("asgi")

for _status in (201, 204, 205, 304, 404, 418, 299, 499, 599):
    TABLE.add(f"status {_status}: body, no length", request(f"/st/{_status}"))
for _status in (204, 205, 304):
    TABLE.add(f"status {_status}: body and length", request(f"/st/{_status}/cl"))
    TABLE.add(f"status {_status}: empty body", request(f"/st/{_status}/nobody"))
    TABLE.add(f"status {_status}: length 0", request(f"/st/{_status}/cl0"))
    TABLE.add(f"status {_status}: HEAD with length", request(f"/st/{_status}/cl", method="HEAD"))
for _status in (100, 101, 103, 199, 600, 99, 0, 999, 1000):
    TABLE.add(f"status {_status}: length given", request(f"/st/{_status}/cl"))
    TABLE.add(f"status {_status}: no length", request(f"/st/{_status}"))
for _status in (
    202,
    206,
    301,
    302,
    307,
    400,
    401,
    403,
    405,
    413,
    416,
    422,
    429,
    500,
    502,
    503,
    504,
):
    TABLE.add(f"status {_status}: reason phrase", request(f"/st/{_status}/cl"))
TABLE.add("status '200' as str", request("/ststr"))
TABLE.add("status HTTPStatus.CREATED", request("/stenum"))
# A body after a status that has none must not spoil the next request of the connection.
for _status in (204, 304):
    TABLE.add(
        f"status {_status}: body, no length, then a second request",
        request(f"/st/{_status}") + request("/plain"),
    )
