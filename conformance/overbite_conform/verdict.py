"""What is said about a case, and the sums over a run."""

import enum
from dataclasses import dataclass, field

from overbite_conform.case import Case
from overbite_conform.differ import compare
from overbite_conform.known import KnownDifference, NotCovered
from overbite_conform.player import REFUSED, Transcript


class Kind(enum.StrEnum):
    IDENTICAL = "identical"
    KNOWN = "known difference"
    NOT_COVERED = "not covered"
    DIFFERENT = "different"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One case: what was found, why, and both transcripts."""

    case: Case
    kind: Kind
    detail: str
    reference: Transcript
    subject: Transcript


@dataclass(slots=True)
class Summary:
    """A whole run of one interface."""

    interface: str
    verdicts: list[Verdict] = field(default_factory=list)
    not_compared: list[Case] = field(default_factory=list)
    """Cases declared unstable, each with its reason."""
    deaths: list[str] = field(default_factory=list)
    """Ends and sanitizer reports of the server under test during the run; one is enough to fail."""

    def count(self, kind: Kind) -> int:
        return sum(verdict.kind is kind for verdict in self.verdicts)

    @property
    def failed(self) -> bool:
        return bool(self.deaths) or self.count(Kind.DIFFERENT) > 0

    @property
    def incomplete(self) -> bool:
        return self.count(Kind.INCOMPLETE) > 0 or not self.verdicts


def judge(
    case: Case,
    reference: Transcript,
    subject: Transcript,
    known: KnownDifference | NotCovered | None,
) -> Verdict:
    """The verdict on one case; `known` is its entry in the lists of differences, if one applies."""

    def verdict(kind: Kind, detail: str) -> Verdict:
        return Verdict(case, kind, detail, reference, subject)

    if reference.end.startswith(REFUSED):
        return verdict(Kind.INCOMPLETE, f"  the reference did not answer: {reference.end}")
    difference = compare(reference, subject)
    if not difference:
        if known is None:
            return verdict(Kind.IDENTICAL, "")
        if isinstance(known, NotCovered):
            stale = f"  not_covered says it differs ({known.feature}), but it no longer does"
            return verdict(Kind.DIFFERENT, stale)
        stale = f"  known_differences says it differs ({known.quirk}), but it no longer does"
        return verdict(Kind.DIFFERENT, stale)
    if known is None:
        return verdict(Kind.DIFFERENT, difference.text)
    if isinstance(known, NotCovered):
        if subject.end.startswith(REFUSED):
            return verdict(Kind.DIFFERENT, difference.text)
        return verdict(Kind.NOT_COVERED, f"  {known.feature}: {known.reason}")
    if known.matches(subject):
        return verdict(Kind.KNOWN, f"  {known.quirk}: {known.source}: {known.reason}")
    expected = f"  known_differences ({known.quirk}) says {known.answer!r}, then {known.end}"
    return verdict(Kind.DIFFERENT, f"{expected}\n{difference.text}")
