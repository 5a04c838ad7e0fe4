"""Plays many cases at once, each on its own connection, against one pair of servers."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from overbite_conform.case import Case
from overbite_conform.differ import compare, cut_short
from overbite_conform.known import KnownDifference, NotCovered
from overbite_conform.player import REFUSED, Transcript, Windows, play
from overbite_conform.servers import SLOW, Server, ServerError
from overbite_conform.verdict import Summary, Verdict, judge

StartServer = Callable[[], Server]
Progress = Callable[[int, int, Verdict], None]

_REPLAY_FACTOR = 4.0
"""Windows of the second play, when the first one may have stopped reading too early."""

_RESTARTS_MAX = 20
"""A server that dies at every case is reported, not restarted for ever."""


class Subject:
    """The server under test. It is started again when a case has ended it, and each end is
    written down."""

    def __init__(self, start: StartServer) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._server: Server | None = start()
        self.deaths: list[str] = []

    def port(self) -> int | None:
        """The port of a running server, or None if it cannot be kept running."""
        with self._lock:
            if self._server is not None and self._server.process.poll() is None:
                return self._server.port
            self._note_end()
            if len(self.deaths) > _RESTARTS_MAX:
                return None
            try:
                self._server = self._start()
            except ServerError as error:
                self.deaths.append(str(error))
                return None
            return self._server.port

    def _note_end(self) -> None:
        if self._server is None:
            return
        status = self._server.process.poll()
        self.deaths.append(
            f"ended with status {status} during the run\n{self._server.log()[-4000:]}"
        )
        self._server.close()
        self._server = None

    def finish(self) -> None:
        """Stops the server; an end before that and a sanitizer report count as deaths."""
        with self._lock:
            server = self._server
            if server is None:
                return
            if server.process.poll() is not None:
                self._note_end()
                return
            try:
                server.stop()
            except ServerError as error:
                self.deaths.append(str(error))
            if report := server.sanitizer_report():
                self.deaths.append(report)
            server.close()
            self._server = None


class Runner:
    """Plays cases and judges them."""

    def __init__(
        self, reference: Server, subject: Subject, *, windows: Windows | None = None
    ) -> None:
        self._reference = reference
        self._subject = subject
        self._windows = (windows or Windows()).scaled(SLOW)

    def _play_both(self, case: Case, windows: Windows) -> tuple[Transcript, Transcript]:
        reference = play(case, self._reference.port, windows)
        port = self._subject.port()
        if port is None:
            return reference, Transcript((), f"{REFUSED}: the server does not stay up")
        return reference, play(case, port, windows, model=reference)

    def run_case(self, case: Case, known: KnownDifference | NotCovered | None) -> Verdict:
        reference, subject = self._play_both(case, self._windows)
        if compare(reference, subject) and cut_short(reference, subject):
            reference, subject = self._play_both(case, self._windows.scaled(_REPLAY_FACTOR))
        return judge(case, reference, subject, known)


def run(
    interface: str,
    cases: Sequence[Case],
    known: Mapping[str, KnownDifference | NotCovered],
    start_reference: StartServer,
    start_subject: StartServer,
    jobs: int,
    progress: Progress,
) -> Summary:
    """Plays all `cases`, `jobs` at a time, and returns the verdicts in the order of the cases.
    Raises ServerError when one of the two servers does not start."""
    summary = Summary(interface, not_compared=[case for case in cases if case.unstable])
    stable = [case for case in cases if not case.unstable]
    with start_reference() as reference:
        subject = Subject(start_subject)
        try:
            runner = Runner(reference, subject)
            with ThreadPoolExecutor(jobs) as pool:
                results = pool.map(lambda case: runner.run_case(case, known.get(case.name)), stable)
                for number, verdict in enumerate(results, start=1):
                    summary.verdicts.append(verdict)
                    progress(number, len(stable), verdict)
        finally:
            subject.finish()
        summary.deaths = subject.deaths
    return summary
