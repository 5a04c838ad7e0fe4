"""Holds docs/ordering-real-code.md against the heads of the programs in ordering/real_code.

What a program is expected to do stands in its first lines, and CTest (ordering.real_code.*) holds
the program to it; this holds the table to those lines. --write writes the table anew.

Exit status: 0 the table is right (or was written), 1 it is not.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "ordering-real-code.md"
HEAD = "| code | package | promise | SC | RC11 | note |"
RULE = "|---|---|---|---|---|---|"


def fields(program: Path) -> dict[str, str]:
    """The "// name: text" lines at the head; an indented one goes on with the one before."""
    found: dict[str, str] = {}
    last = ""
    for line in program.read_text().splitlines():
        if match := re.match(r"// (\w+): (.*)", line):
            last = match[1]
            found[last] = match[2]
        elif line.startswith("//   "):
            found[last] += " " + line[5:]
        else:
            return found
    return found


def verdicts(expected: str) -> tuple[str, str]:
    """What the columns of the two models say."""
    if match := re.fullmatch(r"SC (\d+), RC11 (\d+)", expected):
        return f"exhaustive, {match[1]}", f"exhaustive, {match[2]}"
    if match := re.fullmatch(r"SC (\d+), RC11 fails, (.*)", expected):
        return f"exhaustive, {match[1]}", f"**{match[2]}**"
    if match := re.fullmatch(r"fails, (.*)", expected):
        return f"**{match[1]}**", "(fails under SC)"
    return expected.replace("cap reached: ", "after "), "not tried"


def table() -> list[str]:
    """A row for each program."""
    rows = [HEAD, RULE]
    for program in sorted((ROOT / "ordering" / "real_code").glob("*.cc")):
        of = fields(program)
        sc, rc11 = verdicts(of["expect"])
        name = f"[{of['subject']}](../ordering/real_code/{program.name})"
        rows.append(
            f"| {name} | {of['package']} | {of['promise']} | {sc} | {rc11} | {of.get('note', '')} |"
        )
    return rows


def versions() -> str:
    """Of the packages that are installed here."""
    programs = (ROOT / "ordering" / "real_code").glob("*.cc")
    packages = sorted({fields(program)["package"] for program in programs})
    command = ["dpkg-query", "-W", "-f", "${Package} ${Version}, ", *packages]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip(", ")


def main() -> int:
    """Compares, or writes."""
    parser = argparse.ArgumentParser(description="Compare docs/ordering-real-code.md.")
    parser.add_argument("--write", action="store_true", help="write the table anew")
    arguments = parser.parse_args()
    lines = DOCUMENT.read_text().splitlines()
    first = lines.index(HEAD)
    last = next((i for i in range(first, len(lines)) if not lines[i].startswith("|")), len(lines))
    rows = table()
    if arguments.write:
        text = "\n".join(lines[:first] + rows + lines[last:]) + "\n"
        text = re.sub(r"(?m)^Packages: .*$", f"Packages: {versions()}.", text)
        DOCUMENT.write_text(text)
        return 0
    if lines[first:last] != rows:
        print(
            f"{DOCUMENT.relative_to(ROOT)}: not as in ordering/real_code (--write writes it anew)"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
