"""The list of differences that are meant: where the reference breaks an RFC or PEP, or loses data.

An entry names the quirk that brings the reference's behaviour back, the paragraph, the reason,
and what our server answers instead (masked, escaped). A case whose answer is neither the
reference's nor the one written here is different, so an entry never hides a second fault.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from overbite_conform.case import Case
from overbite_conform.differ import escaped
from overbite_conform.player import Transcript

DEFAULT_FILE = Path(__file__).with_name("known_differences.toml")
_TEXT_KEYS = ("case", "quirk", "source", "reason", "answer", "end")


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


def answer_text(transcript: Transcript) -> str:
    """The answer as an entry writes it: escaped, the middle of a long one left out."""
    return escaped(transcript.data)


def _entry(path: Path, number: int, raw: dict[str, Any]) -> KnownDifference:
    where = f"{path}: difference {number} ({raw.get('case', 'no case')})"
    if unknown := raw.keys() - set(_TEXT_KEYS):
        raise KnownDifferencesError(f"{where}: unknown keys {sorted(unknown)}")
    for key in _TEXT_KEYS:
        if not isinstance(raw.get(key), str):
            raise KnownDifferencesError(f"{where}: {key!r} is missing or not a string")
    return KnownDifference(**raw)


def load(path: Path, cases: dict[str, Case]) -> dict[str, KnownDifference]:
    """The entries by case. Raises KnownDifferencesError for anything malformed or unknown."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise KnownDifferencesError(f"{path}: {error}") from error
    entries: dict[str, KnownDifference] = {}
    for number, raw in enumerate(document.get("difference", []), start=1):
        entry = _entry(path, number, raw)
        if entry.case not in cases:
            raise KnownDifferencesError(f"{path}: difference {number}: no case {entry.case!r}")
        if entry.case in entries:
            raise KnownDifferencesError(f"{path}: difference {number}: {entry.case!r} twice")
        entries[entry.case] = entry
    return entries
