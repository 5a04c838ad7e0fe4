"""Each quirk by its own name: it alone brings back the reference's bytes in every case it is
listed for."""

import re
import subprocess
from itertools import groupby

import pytest
from overbite_conform import cli, known
from overbite_conform.cases import ALL
from overbite_conform.runner import run
from overbite_conform.servers import SLOW, overbite_binary
from overbite_conform.verdict import Kind, Verdict

ENTRIES = sorted(known.load(known.DEFAULT_FILE, ALL).values(), key=lambda entry: entry.quirk)
CASES = {
    quirk: [ALL[entry.case] for entry in entries]
    for quirk, entries in groupby(ENTRIES, lambda entry: entry.quirk)
}
JOBS = 16


def no_progress(number: int, total: int, verdict: Verdict) -> None:
    """pytest has a progress report of its own."""


def names_known_to_the_server() -> set[str]:
    """The quirks overbite-serve lists when it is given one that does not exist."""
    result = subprocess.run(
        [str(overbite_binary()), "module:app", "--quirks", "no-such-quirk"],
        capture_output=True,
        text=True,
        timeout=20 * SLOW,
    )
    found = re.search(r"any of (.+)\)", result.stderr)
    assert found, f"no list of quirks: {result.stderr!r}"
    return set(found[1].split(", "))


def test_every_quirk_of_the_server_is_shown_by_a_case() -> None:
    assert names_known_to_the_server() == CASES.keys()


ARMS = [
    (quirk, interface)
    for quirk, cases in CASES.items()
    for interface in ("asgi", "wsgi")
    if any(case.interface == interface for case in cases)
]


@pytest.mark.parametrize(("quirk", "interface"), ARMS, ids=[" ".join(arm) for arm in ARMS])
def test_quirk_alone_brings_back_the_references_answers(quirk: str, interface: str) -> None:
    cases = [case for case in CASES[quirk] if case.interface == interface]
    summary = run(
        interface,
        cases,
        {},
        lambda: cli.start_reference("uvicorn-httptools", interface),
        lambda: cli.start_subject(None, interface, quirk),
        JOBS,
        no_progress,
    )
    wrong = [f"{v.case.name}\n{v.detail}" for v in summary.verdicts if v.kind is not Kind.IDENTICAL]
    assert not wrong, "\n".join(wrong)
    assert summary.deaths == []
