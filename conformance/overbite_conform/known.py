"""The list of differences that are meant: where the reference breaks an RFC or PEP, or loses data.

The file has a table for each quirk, with the paragraph that decides it and what goes wrong for a
user with the reference's answer, and below it the cases it shows in, each with what our server
answers instead (masked, escaped). A case whose answer is neither the reference's nor the one
written down is different, so an entry never hides a second fault.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from overbite_conform.case import Case
from overbite_conform.differ import escaped
from overbite_conform.player import Transcript

DEFAULT_FILE = Path(__file__).with_name("known_differences.toml")
NOT_COVERED_FILE = Path(__file__).with_name("not_covered.toml")
_QUIRK_KEYS = ("source", "reason")
_CASE_KEYS = ("name", "answer", "end")


class KnownDifferencesError(ValueError):
    """The file is not what it should be; the message names the file, the entry and the fault."""


@dataclass(frozen=True, slots=True)
class KnownDifference:
    """One entry: `answer` and `end` are what our server does by default."""

    case: str
    quirk: str
    source: str
    reason: str
    answer: str
    end: str

    def matches(self, subject: Transcript) -> bool:
        return (answer_text(subject), subject.end) == (self.answer, self.end)


@dataclass(frozen=True, slots=True)
class NotCovered:
    """A case that differs because the server lacks a feature, with quirks as without."""

    case: str
    feature: str
    reason: str


def answer_text(transcript: Transcript) -> str:
    """The answer as an entry writes it: escaped, the middle of a long one left out."""
    return escaped(transcript.data)


def _check_keys(where: str, raw: dict[str, Any], keys: tuple[str, ...], *more: str) -> None:
    if unknown := raw.keys() - {*keys, *more}:
        raise KnownDifferencesError(f"{where}: unknown keys {sorted(unknown)}")
    for key in keys:
        if not isinstance(raw.get(key), str):
            raise KnownDifferencesError(f"{where}: {key!r} is missing or not a string")


def _entries(path: Path, quirk: str, table: dict[str, Any]) -> list[KnownDifference]:
    where = f"{path}: quirk {quirk}"
    _check_keys(where, table, _QUIRK_KEYS, "case")
    found = []
    for number, raw in enumerate(table.get("case", []), start=1):
        _check_keys(f"{where}: case {number} ({raw.get('name', 'no name')})", raw, _CASE_KEYS)
        found.append(
            KnownDifference(
                case=raw["name"],
                quirk=quirk,
                source=table["source"],
                reason=table["reason"],
                answer=raw["answer"],
                end=raw["end"],
            )
        )
    if not found:
        raise KnownDifferencesError(f"{where}: no case shows it")
    return found


def load(path: Path, cases: dict[str, Case]) -> dict[str, KnownDifference]:
    """The entries by case. Raises KnownDifferencesError for anything malformed or unknown."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise KnownDifferencesError(f"{path}: {error}") from error
    if unknown := document.keys() - {"quirk"}:
        raise KnownDifferencesError(f"{path}: unknown keys {sorted(unknown)}")
    entries: dict[str, KnownDifference] = {}
    for quirk, table in document.get("quirk", {}).items():
        for entry in _entries(path, quirk, table):
            where = f"{path}: quirk {quirk}"
            if entry.case not in cases:
                raise KnownDifferencesError(f"{where}: no case {entry.case!r}")
            if entry.case in entries:
                raise KnownDifferencesError(f"{where}: case {entry.case!r} is listed twice")
            entries[entry.case] = entry
    return entries


def load_not_covered(path: Path, cases: dict[str, Case]) -> dict[str, NotCovered]:
    """The list of what the server does not do yet; raises KnownDifferencesError, naming what and
    where."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise KnownDifferencesError(f"{path}: {error}") from error
    entries: dict[str, NotCovered] = {}
    for feature, table in document.get("feature", {}).items():
        where = f"{path}: feature {feature}"
        _check_keys(where, table, ("reason",), "cases")
        for name in table.get("cases", []):
            if name not in cases:
                raise KnownDifferencesError(f"{where}: no case {name!r}")
            if name in entries:
                raise KnownDifferencesError(f"{where}: case {name!r} is listed twice")
            entries[name] = NotCovered(name, feature, table["reason"])
    return entries
