"""The program overbite-conform."""

import argparse
import json
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from overbite_conform import known as known_differences
from overbite_conform.case import Case
from overbite_conform.cases import ALL
from overbite_conform.known import (
    KnownDifference,
    KnownDifferencesError,
    NotCovered,
    answer_text,
)
from overbite_conform.runner import run
from overbite_conform.servers import (
    REFERENCES,
    Server,
    ServerError,
    free_port,
    from_template,
    overbite_binary,
    uvicorn,
)
from overbite_conform.verdict import Kind, Summary, Verdict

PASSED, DIFFERENT, NOT_ESTABLISHED = 0, 1, 2

APPS = {
    "asgi": "overbite_conform.apps.probe_asgi:app",
    "wsgi": "overbite_conform.apps.probe_wsgi:app",
}

_EPILOG = """\
exit status:
  0  every case is identical to the reference, or differs exactly as known_differences.toml says,
     or is listed in not_covered.toml (what overbite-serve does not do yet; only without --server)
  1  a case differs, an entry of known_differences.toml no longer does, or the server under test
  died
  2  nothing was established: wrong usage, a server that does not start, no case selected, or cases
     that could not be played against the reference

--server is a command; {app}, {port}, {interface} and {quirks} are replaced in its words. Without it
the overbite-serve of $OVERBITE_BIN_DIR (default build/dev/bin) is tested. OVERBITE_SLOW multiplies
every time limit, for sanitizer builds.
"""


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="overbite-conform",
        description="Plays request scripts against a server and against uvicorn, both started "
        "live, and compares every byte that comes back and how each connection ends.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    play = commands.add_parser(
        "run", help="play the cases", epilog=_EPILOG, formatter_class=parser.formatter_class
    )
    play.add_argument("--server", metavar="CMD", help="command of the server under test")
    play.add_argument("--reference", choices=sorted(REFERENCES), default="uvicorn-httptools")
    play.add_argument(
        "--quirks",
        choices=("uvicorn", "none"),
        default="none",
        help="uvicorn: no difference is allowed; none: exactly those of known_differences.toml",
    )
    play.add_argument("--known", type=Path, default=known_differences.DEFAULT_FILE, metavar="FILE")
    play.add_argument("--json", action="store_true", help="print the result as JSON on stdout")
    play.add_argument(
        "-j", "--jobs", type=int, default=8, metavar="N", help="cases at once (default 8)"
    )
    listing = commands.add_parser(
        "list", help="print the names of the cases and why some are not compared"
    )
    for command in (play, listing):
        command.add_argument("--only", metavar="REGEX", help="cases whose name matches")
        command.add_argument("--interface", choices=sorted(APPS), help="default: both")
    return parser


def select(only: str | None, interface: str | None) -> list[Case]:
    pattern = re.compile(only or "")
    return [
        case
        for case in ALL.values()
        if pattern.search(case.name) and interface in (None, case.interface)
    ]


def start_subject(template: Sequence[str] | None, interface: str, quirks: str) -> Server:
    """Starts the server under test: overbite-serve, or the command given with --server."""
    values = {"app": APPS[interface], "interface": interface, "quirks": quirks}
    if template is None:
        command = [str(overbite_binary()), "{app}", "--interface", "{interface}", "--port", "0"]
        return Server(from_template([*command, "--quirks", "{quirks}"], values))
    port = free_port()
    return Server(from_template(template, {**values, "port": str(port)}), port=port)


def start_reference(reference: str, interface: str) -> Server:
    options = ("--interface", "wsgi") if interface == "wsgi" else ()
    return Server(uvicorn(APPS[interface], *options, reference=reference))


def as_json(summaries: Sequence[Summary]) -> str:
    def one(verdict: Verdict) -> dict[str, object]:
        return {
            "case": verdict.case.name,
            "interface": verdict.case.interface,
            "verdict": str(verdict.kind),
            "detail": verdict.detail,
            "reference": {"answer": answer_text(verdict.reference), "end": verdict.reference.end},
            "server": {"answer": answer_text(verdict.subject), "end": verdict.subject.end},
        }

    document = {
        "counts": {str(kind): sum(s.count(kind) for s in summaries) for kind in Kind},
        "not compared": {c.name: c.unstable for s in summaries for c in s.not_compared},
        "deaths": [death for s in summaries for death in s.deaths],
        "cases": [one(verdict) for s in summaries for verdict in s.verdicts],
    }
    return json.dumps(document, indent=1)


def print_summary(summary: Summary, out: TextIO) -> None:
    for verdict in summary.verdicts:
        if verdict.kind in (Kind.DIFFERENT, Kind.INCOMPLETE):
            print(f"{verdict.kind}: {verdict.case.name}\n{verdict.detail}", file=out)
    for death in summary.deaths:
        print(f"the server under test: {death}", file=out)
    for case in summary.not_compared:
        print(f"not compared: {case.name}: {case.unstable}", file=out)
    counts = ", ".join(f"{summary.count(kind)} {kind}" for kind in Kind)
    print(f"{summary.interface}: {counts}, {len(summary.not_compared)} not compared", file=out)


def _progress(number: int, total: int, verdict: Verdict) -> None:
    if sys.stderr.isatty():
        print(
            f"\r{number}/{total} {verdict.case.name[:60]:60}", end="", file=sys.stderr, flush=True
        )
    elif number % 50 == 0 or number == total:
        print(f"{number}/{total} {verdict.case.interface} cases", file=sys.stderr, flush=True)


def run_command(options: argparse.Namespace, cases: Sequence[Case]) -> int:
    known: dict[str, KnownDifference | NotCovered] = {}
    if options.server is None:  # what another server lacks is not for us to list
        known |= known_differences.load_not_covered(known_differences.NOT_COVERED_FILE, ALL)
    if options.quirks == "none":
        known |= known_differences.load(options.known, ALL)
    template = shlex.split(options.server) if options.server else None
    summaries: list[Summary] = []
    for interface in APPS:
        chosen = [case for case in cases if case.interface == interface]
        if not chosen:
            continue
        summaries.append(
            run(
                interface,
                chosen,
                known,
                lambda interface=interface: start_reference(options.reference, interface),
                lambda interface=interface: start_subject(template, interface, options.quirks),
                options.jobs,
                _progress,
            )
        )
        print_summary(summaries[-1], sys.stderr if options.json else sys.stdout)
    if options.json:
        print(as_json(summaries))
    if any(summary.failed for summary in summaries):
        return DIFFERENT
    return NOT_ESTABLISHED if any(summary.incomplete for summary in summaries) else PASSED


def main(arguments: Sequence[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)
    try:
        cases = select(options.only, options.interface)
    except re.error as error:
        print(f"overbite-conform: --only {options.only!r}: {error}", file=sys.stderr)
        return NOT_ESTABLISHED
    if not cases:
        print(f"overbite-conform: no case matches {options.only!r}", file=sys.stderr)
        return NOT_ESTABLISHED
    if options.command == "list":
        for case in cases:
            note = f"  (not compared: {case.unstable})" if case.unstable else ""
            print(f"{case.interface}  {case.name}{note}")
        return PASSED
    if options.jobs < 1:
        print(f"overbite-conform: -j {options.jobs}: must be 1 or more", file=sys.stderr)
        return NOT_ESTABLISHED
    try:
        return run_command(options, cases)
    except (ServerError, KnownDifferencesError) as error:
        print(f"overbite-conform: {error}", file=sys.stderr)
        return NOT_ESTABLISHED
