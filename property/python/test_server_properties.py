"""Properties of the running server, by hypothesis: what holds for any split, any number, any bytes.

Examples are derived from the test's name, so a run is the same everywhere; a failure prints its
input.
"""

import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from overbite_conform.client import Client, Response
from overbite_conform.pytest_plugin import ServerFactory
from overbite_conform.servers import SLOW, Server
from overbite_conform.wire import chunked, post, request

APPS = Path(__file__).resolve().parents[2] / "tests" / "e2e" / "apps"
REASONABLE = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

# A conversation with every kind of request, its answers known: (bytes, is it a HEAD).
CONVERSATION: list[tuple[bytes, bool]] = [
    (request("/plain/1"), False),
    (post("/echo/x", b"hello\r\n\r\nGET / HTTP/1.1\r\n"), False),
    (chunked("/echo/x", b"3\r\nabc\r\n5;x=y\r\ndefgh\r\n0\r\nx-t: 1\r\n\r\n"), False),
    (request("/plain/head", method="HEAD"), True),
    (request("/status/204"), False),
    (request("/plain/last?q=1#f", "X-Long: " + "v" * 300), False),
]
STREAM = b"".join(data for data, _ in CONVERSATION)


@pytest.fixture(scope="module")
def server(module_servers: ServerFactory) -> Server:
    return module_servers.overbite("situations_asgi:app", app_dir=APPS)


@pytest.fixture(scope="module")
def wsgi_server(module_servers: ServerFactory) -> Server:
    return module_servers.overbite("situations_wsgi:app", "--interface", "wsgi", app_dir=APPS)


def without_date(response: Response) -> bytes:
    """What a response says apart from the moment it was given."""
    date = response.field(b"date")
    return response.raw.replace(date, b"<date>") if date else response.raw


def converse(server: Server, writes: Iterator[bytes]) -> list[bytes]:
    """Sends the writes as separate segments and reads one answer for each request."""
    with Client(server.port) as client:
        for data in writes:
            client.send(data)
            # Gives the server the chance to read before the next segment; it need not take it.
            time.sleep(0.0005)
        return [without_date(client.response(head_only=head)) for _, head in CONVERSATION]


def pieces(data: bytes, cuts: list[int]) -> Iterator[bytes]:
    edges = [0, *sorted(cuts), len(data)]
    return (data[a:b] for a, b in pairwise(edges) if a < b)


@REASONABLE
@given(cuts=st.lists(st.integers(1, len(STREAM) - 1), unique=True, max_size=12))
def test_answers_do_not_depend_on_how_the_requests_are_split(
    server: Server, cuts: list[int]
) -> None:
    whole = converse(server, iter([STREAM]))
    assert converse(server, pieces(STREAM, cuts)) == whole


def test_answers_do_not_depend_on_a_cut_at_any_one_place(server: Server) -> None:
    whole = converse(server, iter([STREAM]))
    for cut in range(1, len(STREAM), 3):
        assert converse(server, pieces(STREAM, [cut])) == whole, f"cut at byte {cut}"


@REASONABLE
@given(keys=st.lists(st.text("abcdefghij0123456789", min_size=1), min_size=1, max_size=60))
def test_pipelined_requests_get_one_answer_each_in_order(server: Server, keys: list[str]) -> None:
    with Client(server.port) as client:
        client.send(b"".join(request(f"/plain/{key}") for key in keys))
        assert [client.response().body for _ in keys] == [b"plain " + k.encode() for k in keys]


@REASONABLE
@given(keys=st.lists(st.text("abcdefghij0123456789", min_size=1), min_size=1, max_size=40))
def test_pipelined_wsgi_requests_get_one_answer_each_in_order(
    wsgi_server: Server, keys: list[str]
) -> None:
    with Client(wsgi_server.port) as client:
        client.send(b"".join(request(f"/plain/{key}") for key in keys))
        assert [client.response().body for _ in keys] == [b"plain " + k.encode() for k in keys]


TOKEN = st.binary(min_size=1, max_size=12)
ALLOWED_NAMES = {b"date", b"server", b"content-length", b"connection"}


@settings(REASONABLE, max_examples=200)
@given(name=st.one_of(st.just(b"x-echo"), TOKEN), value=st.binary(max_size=40))
def test_field_of_any_bytes_never_adds_a_line_to_the_head(
    server: Server, name: bytes, value: bytes
) -> None:
    body = b"%d\n" % len(name) + name + value
    with Client(server.port) as client:
        client.send(post("/field/x", body, "Connection: close"))
        answer = client.read_to_end()
    if not answer:
        return  # refused before a byte was written
    head, _, rest = answer.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")[1:]
    names = [line.partition(b":")[0] for line in lines]
    ours = [n for n in names if n in ALLOWED_NAMES and n != name.lower()]
    assert len(names) <= len(ours) + 1, f"a line too many: {head!r}"
    assert b"\n" not in head.replace(b"\r\n", b"")
    assert b"\0" not in head
    if head.startswith(b"HTTP/1.1 200"):
        assert name.lower() + b": " + value in lines
        assert rest == b"ok"


CHUNK_SIZES = st.lists(st.integers(1, 3000), max_size=20)


@REASONABLE
@given(body=st.binary(max_size=4000), sizes=CHUNK_SIZES, cuts=st.lists(st.integers(1, 4000)))
def test_body_makes_the_round_trip_for_any_chunking(
    server: Server, body: bytes, sizes: list[int], cuts: list[int]
) -> None:
    raw, left = bytearray(), body
    for size in [*sizes, len(body)]:
        piece, left = left[:size], left[size:]
        if piece:
            raw += b"%x\r\n%s\r\n" % (len(piece), piece)
    data = chunked("/echo/x", bytes(raw) + b"0\r\n\r\n")
    with Client(server.port) as client:
        for part in pieces(data, [cut for cut in cuts if cut < len(data)]):
            client.send(part)
        assert client.response().body == body
        assert client.ask(request("/plain/next")).body == b"plain next"


@REASONABLE
@given(body=st.binary(max_size=4000), cut=st.integers(0, 4000))
def test_wsgi_body_makes_the_round_trip(wsgi_server: Server, body: bytes, cut: int) -> None:
    data = post("/echo/x", body)
    with Client(wsgi_server.port) as client:
        for part in pieces(data, [cut] if 0 < cut < len(data) else []):
            client.send(part)
        assert client.response().body == body


@REASONABLE
@given(garbage=st.binary(min_size=1, max_size=200))
def test_any_bytes_leave_the_server_alive(server: Server, garbage: bytes) -> None:
    with Client(server.port) as client:
        client.send(garbage)
        client.half_close()
        answer = client.read_to_end()
    assert not answer or answer.startswith(b"HTTP/1.1 ")
    assert server.process.poll() is None, server.log()


@REASONABLE
@given(end=st.integers(1, len(STREAM) - 1))
def test_client_that_goes_at_any_byte_leaves_the_server_alive(server: Server, end: int) -> None:
    client = Client(server.port)
    client.send(STREAM[:end])
    client.reset()
    with Client(server.port, limit_s=5 * SLOW) as other:
        assert other.ask(request("/plain/other")).body == b"plain other"
