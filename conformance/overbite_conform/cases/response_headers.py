"""Header fields given by the application: bytes that are allowed, refused, doubled, or of the
wrong type."""

from overbite_conform.apps.header_sets import HEADER_SETS
from overbite_conform.case import CaseTable
from overbite_conform.wire import request

TABLE = CaseTable("asgi")

for _key in HEADER_SETS:
    TABLE.add(f"header {_key}", request(f"/hdr/{_key}"))

# The refusal must leave nothing behind for the next connection, and a byte at either end counts
# too.
for _byte in (0x00, 0x01, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1F, 0x20, 0x7F, 0x80, 0xA0, 0xFF):
    TABLE.add(f"header value with byte {_byte:02x}", request(f"/hdrbyte/value/{_byte}"))
    TABLE.add(f"header name with byte {_byte:02x}", request(f"/hdrbyte/name/{_byte}"))
