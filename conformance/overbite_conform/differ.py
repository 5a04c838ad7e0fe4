"""Compares two transcripts: the first byte that differs, both sides around it, and the two ends."""

from dataclasses import dataclass

from overbite_conform.player import OPEN, Transcript

_AROUND_BYTES = 48


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two transcripts part. Empty text means they do not."""

    text: str

    def __bool__(self) -> bool:
        return bool(self.text)


def first_difference(reference: bytes, subject: bytes) -> int | None:
    """Offset of the first byte that differs (the shorter length where one is a prefix), or None."""
    if reference == subject:
        return None
    shared = min(len(reference), len(subject))
    for offset in range(shared):
        if reference[offset] != subject[offset]:
            return offset
    return shared


def escaped(data: bytes, limit: int = 2000) -> str:
    """`data` as readable text: printable ASCII as it is, CR LF shown, the rest as \\xNN."""
    shown = data if len(data) <= limit else data[: limit // 2] + data[-limit // 2 :]
    text = shown.decode("latin-1").encode("unicode_escape").decode("ascii")
    return text if shown is data else f"{text} ({len(data)} bytes, the middle left out)"


def _window(data: bytes, offset: int) -> str:
    start = max(0, offset - _AROUND_BYTES // 3)
    piece = data[start : start + _AROUND_BYTES]
    if not piece:
        return f"(nothing: {len(data)} bytes in all)"
    return f"{piece.hex(' ')}\n      text {escaped(piece)}"


def compare(reference: Transcript, subject: Transcript) -> Difference:
    """What differs between the two, in text for a person."""
    lines: list[str] = []
    offset = first_difference(reference.data, subject.data)
    if offset is not None:
        lines += [
            f"  first difference at byte {offset} (reference {len(reference.data)} bytes, "
            f"server {len(subject.data)} bytes, masks applied)",
            f"    reference hex {_window(reference.data, offset)}",
            f"    server    hex {_window(subject.data, offset)}",
            f"    reference {escaped(reference.data)}",
            f"    server    {escaped(subject.data)}",
        ]
    elif reference.parts != subject.parts:
        lines += ["  same bytes, but not at the same moments of the script"]
        lines += [f"    reference {[escaped(part, 300) for part in reference.parts]}"]
        lines += [f"    server    {[escaped(part, 300) for part in subject.parts]}"]
    if reference.end != subject.end:
        lines.append(f"  end of the connection: reference {reference.end}, server {subject.end}")
    return Difference("\n".join(lines))


def cut_short(reference: Transcript, subject: Transcript) -> bool:
    """Whether the difference may only be that one side was not read long enough: what one said is
    how the
    other begins, and the shorter one was still open. Such a case is played again with longer
    windows."""
    longer, shorter = reference, subject
    if len(subject.data) >= len(reference.data):
        longer, shorter = subject, reference
    if not longer.data.startswith(shorter.data):
        return False
    return OPEN in (reference.end, subject.end)
