"""The comparison itself: it sees every kind of difference, and says so when it could not look."""

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from overbite_conform import cli, known
from overbite_conform.case import Case, CaseTable, Pause, Read
from overbite_conform.cases import ALL
from overbite_conform.differ import compare, cut_short, escaped, first_difference
from overbite_conform.known import KnownDifference, KnownDifferencesError
from overbite_conform.masks import Endpoints, mask
from overbite_conform.player import EOF, OPEN, REFUSED, RESET, Transcript, Windows, play
from overbite_conform.verdict import Kind, judge

CASE = Case("a case", "asgi", (b"ping",))
FAST = Windows(silence=0.05, first_byte=0.3, settle=0.05, catch_up=0.5)


def said(data: bytes, end: str = OPEN) -> Transcript:
    return Transcript((data,), end, (len(data),))


@pytest.fixture
def answering() -> Iterator[Callable[[Callable[[socket.socket], None]], int]]:
    """answering(handler) listens on a port and runs the handler with its first connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []

    def start(handler: Callable[[socket.socket], None]) -> int:
        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                handler(connection)

        threads.append(threading.Thread(target=serve))
        threads[-1].start()
        return listener.getsockname()[1]

    yield start
    for thread in threads:
        thread.join()
    listener.close()


# --- masks ----------------------------------------------------------------------------------------


def test_date_of_the_answer_is_masked_and_a_date_of_the_application_is_not() -> None:
    endpoints = Endpoints(40000, 50000)
    ours = b"\r\ndate: Mon, 30 Nov 2026 21:07:50 GMT\r\nx: 1"
    theirs = b"\r\ndate: Thu, 01 Jan 1970 00:00:00 GMT\r\nx: 1"
    assert mask(ours, endpoints) == b"\r\ndate: <date>\r\nx: 1"
    assert mask(theirs, endpoints) == theirs


def test_ports_are_masked_as_whole_numbers_only() -> None:
    endpoints = Endpoints(40000, 50000)
    assert mask(b"40000 50000 140000 500001", endpoints) == b"<port> <client> 140000 500001"


# --- differ ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "subject", "offset"),
    [(b"abc", b"abc", None), (b"abc", b"abd", 2), (b"abc", b"ab", 2), (b"", b"x", 0)],
)
def test_first_difference_is_an_offset(reference: bytes, subject: bytes, offset: int) -> None:
    assert first_difference(reference, subject) == offset


def test_difference_shows_hex_and_text_of_both_sides() -> None:
    text = compare(said(b"a: 1\r\n"), said(b"a: 2\r\n")).text
    assert "at byte 3" in text
    assert "61 3a 20 31 0d 0a" in text
    assert "61 3a 20 32 0d 0a" in text
    assert r"a: 2\r\n" in text


def test_same_bytes_with_another_end_differ() -> None:
    assert "reference open, server eof" in compare(said(b"x"), said(b"x", EOF)).text


def test_same_bytes_at_another_moment_differ() -> None:
    early, late = Transcript((b"ab", b""), OPEN), Transcript((b"a", b"b"), OPEN)
    assert "not at the same moments" in compare(early, late).text


def test_only_a_prefix_that_is_still_open_is_worth_a_second_look() -> None:
    assert cut_short(said(b"abc"), said(b"ab"))
    assert cut_short(said(b"abc", EOF), said(b"abc"))
    assert not cut_short(said(b"abc"), said(b"abd"))
    assert not cut_short(said(b"abc", EOF), said(b"ab", EOF))


def test_escaped_text_keeps_the_length_of_what_it_leaves_out() -> None:
    assert escaped(b"\r\n\x00\xe9") == r"\r\n\x00\xe9"
    assert "5000 bytes" in escaped(b"x" * 5000)


# --- player ---------------------------------------------------------------------------------------


def test_player_sees_an_open_connection(answering: Callable[..., int]) -> None:
    def handler(connection: socket.socket) -> None:
        connection.recv(10)
        connection.sendall(b"pong")
        connection.recv(10)

    assert play(CASE, answering(handler), FAST) == said(b"pong")


def test_player_sees_the_end_of_the_connection(answering: Callable[..., int]) -> None:
    def handler(connection: socket.socket) -> None:
        connection.recv(10)
        connection.sendall(b"pong")

    assert play(CASE, answering(handler), FAST) == said(b"pong", EOF)


def test_player_sees_a_reset(answering: Callable[..., int]) -> None:
    def handler(connection: socket.socket) -> None:
        connection.recv(2)  # closing with two bytes unread resets the connection

    assert play(CASE, answering(handler), FAST).end == RESET


def test_player_sees_bytes_that_come_too_much(answering: Callable[..., int]) -> None:
    def handler(connection: socket.socket) -> None:
        connection.recv(10)
        connection.sendall(b"pong and more")
        connection.recv(10)

    actual = play(CASE, answering(handler), FAST, model=said(b"pong"))
    assert actual.data == b"pong and more"


def test_player_splits_the_answer_where_the_script_reads(answering: Callable[..., int]) -> None:
    def handler(connection: socket.socket) -> None:
        for answer in (b"one", b"two"):
            connection.recv(10)
            connection.sendall(answer)
        connection.recv(10)

    case = Case("two", "asgi", (b"a", Read(0.1), b"b", Pause(0.01)))
    assert play(case, answering(handler), FAST).parts == (b"one", b"two")


def test_player_says_when_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert play(CASE, port, FAST).end.startswith(REFUSED)


# --- verdicts -------------------------------------------------------------------------------------

ENTRY = KnownDifference("a case", "a-quirk", "RFC 0", "because", "ours", OPEN)


@pytest.mark.parametrize(
    ("reference", "subject", "entry", "kind"),
    [
        (said(b"same"), said(b"same"), None, Kind.IDENTICAL),
        (said(b"theirs"), said(b"ours"), None, Kind.DIFFERENT),
        (said(b"theirs"), said(b"ours"), ENTRY, Kind.KNOWN),
        (said(b"theirs"), said(b"something else"), ENTRY, Kind.DIFFERENT),
        (said(b"theirs"), said(b"ours", EOF), ENTRY, Kind.DIFFERENT),
        (said(b"same"), said(b"same"), ENTRY, Kind.DIFFERENT),
        (Transcript((), f"{REFUSED}: no"), said(b"x"), None, Kind.INCOMPLETE),
    ],
    ids=[
        "same",
        "different",
        "as the entry says",
        "not as the entry says",
        "another end than the entry says",
        "stale entry",
        "reference silent",
    ],
)
def test_verdict(
    reference: Transcript, subject: Transcript, entry: KnownDifference | None, kind: Kind
) -> None:
    assert judge(CASE, reference, subject, entry).kind is kind


# --- the list of differences ----------------------------------------------------------------------

GOOD_QUIRK = """
[quirk.q]
source = "RFC 0"
reason = "because"
"""
GOOD_CASE = """
[[quirk.q.case]]
name = "a case"
answer = "ours"
end = "open"
"""


def test_good_list_is_read(tmp_path: Path) -> None:
    path = tmp_path / "differences.toml"
    path.write_text(GOOD_QUIRK + GOOD_CASE, encoding="utf-8")
    entry = KnownDifference("a case", "q", "RFC 0", "because", "ours", OPEN)
    assert known.load(path, {"a case": CASE}) == {"a case": entry}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (GOOD_QUIRK + GOOD_CASE.replace("a case", "no such case"), "no case 'no such case'"),
        (GOOD_QUIRK + GOOD_CASE + GOOD_CASE, "listed twice"),
        (GOOD_QUIRK, "no case shows it"),
        (GOOD_CASE, "'source' is missing"),
        (GOOD_QUIRK.replace('"because"', "1") + GOOD_CASE, "'reason' is missing or not a string"),
        (GOOD_QUIRK + GOOD_CASE + 'colour = "red"', "unknown keys ['colour']"),
        ('colour = "red"', "unknown keys ['colour']"),
        ("[quirk", "differences.toml"),
    ],
)
def test_faulty_list_is_refused_with_its_fault(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "differences.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(KnownDifferencesError) as error:
        known.load(path, {"a case": CASE})
    assert fault in str(error.value)


def test_list_of_this_project_loads() -> None:
    assert known.load(known.DEFAULT_FILE, ALL).keys() <= ALL.keys()


# --- cases and command line -----------------------------------------------------------------------


def test_two_cases_of_one_name_are_refused() -> None:
    table = CaseTable("asgi")
    table.add("x", b"1")
    with pytest.raises(ValueError, match="two cases are named 'x'"):
        table.add("x", b"2")


def test_there_are_enough_cases_and_few_are_left_out() -> None:
    stable = [case for case in ALL.values() if not case.unstable]
    assert sum(case.interface == "asgi" for case in stable) >= 600
    assert sum(case.interface == "wsgi" for case in stable) >= 75
    assert len(ALL) - len(stable) <= 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "--only", "("], "--only"),
        (["run", "--only", "no such case at all"], "no case matches"),
        (["run", "-j", "0"], "must be 1 or more"),
        (["run", "--known", "/nowhere/x.toml", "--only", "^GET /plain$"], "/nowhere/x.toml"),
        (["run", "--server", "/nowhere/server {app}", "--only", "^GET /plain$"], "/nowhere/server"),
    ],
)
def test_nothing_established_is_status_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert cli.main(arguments) == 2
    assert told in capsys.readouterr().err
