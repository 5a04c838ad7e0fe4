"""Every conformance case against uvicorn, twice: with the reference's quirks, and by default.

The cases of one set are played together when its first test asks for one, and only those that were
selected; a test then only looks at its own verdict.
"""

from collections.abc import Callable

import pytest
from overbite_conform import cli, known
from overbite_conform.cases import ALL
from overbite_conform.runner import run
from overbite_conform.verdict import Kind, Summary, Verdict

STABLE = [case for case in ALL.values() if not case.unstable]
JOBS = 16

Play = Callable[[str, str], Summary]


def no_progress(number: int, total: int, verdict: Verdict) -> None:
    """pytest has a progress report of its own."""


@pytest.fixture(scope="session")
def play(request: pytest.FixtureRequest) -> Play:
    """play(interface, quirks) gives the summary over the selected cases, played once a session."""
    selected = {
        item.callspec.params["name"]
        for item in request.session.items
        if hasattr(item, "callspec") and "name" in item.callspec.params
    }
    summaries: dict[tuple[str, str], Summary] = {}

    def play_set(interface: str, quirks: str) -> Summary:
        if (interface, quirks) not in summaries:
            cases = [c for c in STABLE if c.interface == interface and c.name in selected]
            entries = dict(known.load_not_covered(known.NOT_COVERED_FILE, ALL))
            if quirks == "none":
                entries |= known.load(known.DEFAULT_FILE, ALL)
            summaries[interface, quirks] = run(
                interface,
                cases,
                entries,
                lambda: cli.start_reference("uvicorn-httptools", interface),
                lambda: cli.start_subject(None, interface, quirks),
                JOBS,
                no_progress,
            )
        return summaries[interface, quirks]

    return play_set


def check(summary: Summary, name: str, allowed: set[Kind]) -> None:
    verdict = next(found for found in summary.verdicts if found.case.name == name)
    assert verdict.kind in allowed, f"{name}: {verdict.kind}\n{verdict.detail}"


@pytest.mark.parametrize("name", [case.name for case in STABLE])
def test_answer_with_the_references_quirks(play: Play, name: str) -> None:
    check(play(ALL[name].interface, "uvicorn"), name, {Kind.IDENTICAL, Kind.NOT_COVERED})


@pytest.mark.parametrize("name", [case.name for case in STABLE])
def test_answer_by_default(play: Play, name: str) -> None:
    check(play(ALL[name].interface, "none"), name, {Kind.IDENTICAL, Kind.KNOWN, Kind.NOT_COVERED})


@pytest.mark.parametrize("quirks", ["uvicorn", "none"])
@pytest.mark.parametrize("interface", ["asgi", "wsgi"])
def test_server_survives_all_cases(play: Play, interface: str, quirks: str) -> None:
    assert play(interface, quirks).deaths == []
