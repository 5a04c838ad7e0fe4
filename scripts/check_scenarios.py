"""Holds docs/ordering-scenarios.md against what overbite-order finds.

Explores every scenario under both memory models and compares each row of the table: promise,
numbers of executions, and the sabotage patches that the scenario kills. The column "where it comes
from" is written by hand and must not be empty; --write writes the table anew and keeps that column.

Exit status: 0 the table is right (or was written), 1 it is not, or a scenario does not pass.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "ordering-scenarios.md"
HEAD = "| scenario | promise | where it comes from | SC | RC11 | patches it kills |"
RULE = "|---|---|---|---|---|---|"


def executions(order: Path, model: str) -> dict[str, int]:
    """The number of executions by scenario; every scenario has to pass."""
    command = [str(order), "run", "--model", model, "--json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {run["scenario"]: run["executions"] for run in json.loads(output)["scenarios"]}


def promises(order: Path) -> dict[str, str]:
    """What `overbite-order list` says of each scenario."""
    output = subprocess.run([str(order), "list"], check=True, capture_output=True, text=True).stdout
    rows = (line.split(maxsplit=1) for line in output.splitlines() if line.strip())
    return {name: promise.strip() for name, promise in rows}


def patches() -> dict[str, list[str]]:
    """The ids of the patches whose killers name the scenario; RC11 is said behind the id."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "sabotage" / "patches").glob("*/*.patch")):
        pattern = r"^killer: ordering:(\w+)(@rc11)?"
        for name, model in re.findall(pattern, path.read_text(), re.MULTILINE):
            found.setdefault(name, []).append(f"{path.stem} (RC11)" if model else path.stem)
    return found


def origins(lines: list[str]) -> dict[str, str]:
    """The column that is written by hand."""
    rows = (line.strip("|").split("|") for line in lines if line.startswith("| `"))
    return {row[0].strip(" `"): row[2].strip() for row in rows}


def table(order: Path, kept: dict[str, str]) -> list[str]:
    """The table as it should be."""
    sc, rc11, killed = executions(order, "sc"), executions(order, "rc11"), patches()
    rows = [HEAD, RULE]
    for name, promise in promises(order).items():
        ids = ", ".join(killed.get(name, []))
        rows.append(
            f"| `{name}` | {promise} | {kept.get(name, '')} | {sc[name]} | {rc11[name]} | {ids} |"
        )
    return rows


def problems(rows: list[str], registered: list[str]) -> list[str]:
    """What is wrong with the rows themselves."""
    found = []
    for row in rows[2:]:
        name, _, origin, _, _, ids = (cell.strip(" `") for cell in row.strip("|").split("|"))
        if not origin:
            found.append(f"{name}: the table does not say where it comes from")
        if not ids:
            found.append(f"{name}: no patch names it as a killer")
        if registered and name not in registered:
            found.append(f"{name}: ordering/tests/CMakeLists.txt does not register it")
    return found


def main() -> int:
    """Compares, or writes."""
    parser = argparse.ArgumentParser(description="Compare docs/ordering-scenarios.md.")
    parser.add_argument("--order", type=Path, required=True, help="path of overbite-order")
    parser.add_argument("--registered", nargs="*", default=[], help="scenarios that are tests")
    parser.add_argument("--write", action="store_true", help="write the table anew")
    arguments = parser.parse_args()

    lines = DOCUMENT.read_text().splitlines()
    first = lines.index(HEAD)
    last = next((i for i in range(first, len(lines)) if not lines[i].startswith("|")), len(lines))
    rows = table(arguments.order, origins(lines))
    found = problems(rows, arguments.registered)
    if arguments.write:
        DOCUMENT.write_text("\n".join(lines[:first] + rows + lines[last:]) + "\n")
    else:
        difference = difflib.unified_diff(lines[first:last], rows, "written", "found", lineterm="")
        found += list(difference)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
