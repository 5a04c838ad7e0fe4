"""The repository checks itself.

Holds the tree against its own rules: each layer includes only what its CMake line names; functions
fit a screen and files stay under 400 lines; every guard has a patch and every patch a guard, all in
.cc files; no large file and no machine path is tracked.

Exit status: 0 clean, 1 findings (one line each).
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINES_MAX = 400
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 120
FILE_BYTES_MAX = 300_000
ELSEWHERE = {"test_conformance.py"}
"""Registered by conformance/CMakeLists.txt."""


def listed() -> list[Path]:
    """Every path git knows or would add, relative to the root."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [Path(name) for name in listing.stdout.split("\0") if name]


def tracked() -> list[Path]:
    """Those of them that are files."""
    return [path for path in listed() if (ROOT / path).is_file()]


def layer_dependencies() -> dict[str, set[str]]:
    """What each layer of server/ may include, by its overbite_layer() line."""
    found: dict[str, set[str]] = {}
    for cmake in sorted((ROOT / "server").glob("*/CMakeLists.txt")):
        match = re.search(r"overbite_layer\((\w+)(.*?)SOURCES", cmake.read_text(), re.DOTALL)
        if match is None:
            continue
        depends = re.search(r"DEPENDS([\w\s]+)", match.group(2))
        found[match.group(1)] = set(depends.group(1).split()) if depends else set()
    return found


def check_layers(findings: list[str]) -> None:
    """Includes go down the layers that the CMake line names, and into no test."""
    for layer, allowed in layer_dependencies().items():
        for source in sorted((ROOT / "server" / layer).glob("*.*")):
            if source.suffix not in {".cc", ".h"}:
                continue
            for number, line in enumerate(source.read_text().splitlines(), 1):
                match = re.match(r'#include "([\w/]+)/[\w.]+"', line)
                if match is None:
                    continue
                folder = match.group(1)
                name = folder.removeprefix("server/")
                if not folder.startswith("server/") or (name != layer and name not in allowed):
                    where = source.relative_to(ROOT)
                    findings.append(f"{where}:{number}: layer {layer} may not include {folder}")


def check_sizes(files: list[Path], findings: list[str]) -> None:
    """Files under 400 lines, functions under 70, lines within the columns."""
    for path in files:
        if path.suffix not in {".cc", ".h", ".py"}:
            continue
        lines = (ROOT / path).read_text().splitlines()
        if len(lines) > LINES_MAX:
            findings.append(f"{path}: {len(lines)} lines (at most {LINES_MAX}): split it by idea")
        findings.extend(
            f"{path}:{number}: {len(line)} columns (at most {COLUMNS_MAX})"
            for number, line in enumerate(lines, 1)
            if len(line) > COLUMNS_MAX
        )
        if path.suffix == ".cc":
            check_functions(path, lines, findings)


def check_functions(path: Path, lines: list[str], findings: list[str]) -> None:
    """A definition at column 0 that opens with '{' ends at the next '}' in column 0."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and re.match(r"^[A-Za-z].*\{$|^\s{4,}.*\) (const )?\{$", line):
            is_scope = re.match(r"^(namespace|class|struct|enum|extern|union)\b", line)
            start = None if is_scope else number
        elif line.startswith("}"):
            size = number - start + 1 if start is not None else 0
            if size > FUNCTION_LINES_MAX:
                limit = FUNCTION_LINES_MAX
                findings.append(f"{path}:{start}: function of {size} lines (at most {limit})")
            start = None


def check_guards(files: list[Path], findings: list[str]) -> None:
    """Guards and patches, one to one."""
    guards: dict[str, str] = {}
    for path in files:
        if path.parts[0] not in {"server", "ordering"} or path.suffix not in {".cc", ".h"}:
            continue
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            match = re.search(r"// guard: ([\w-]+)$", line)
            if match is None:
                continue
            name, where = match.group(1), f"{path}:{number}"
            if path.suffix == ".h":
                findings.append(f"{where}: guard {name} in a header: a test would run its own copy")
            if name in guards:
                findings.append(f"{where}: guard {name} stands at {guards[name]} too")
            guards[name] = where
    patches = {path.stem: path for path in files if path.match("sabotage/patches/*/*.patch")}
    findings.extend(
        f"{guards[name]}: guard {name} has no patch" for name in guards.keys() - patches.keys()
    )
    findings.extend(
        f"{patches[name]}: no guard {name} in server/ or ordering/"
        for name in patches.keys() - guards.keys()
    )


def check_files(files: list[Path], findings: list[str]) -> None:
    """Nothing large, nothing that only exists on one machine."""
    own_paths = "|".join(re.escape(f"{path}/") for path in (ROOT, Path.home()))
    machine_path = re.compile(rf"/home/\w+/|{own_paths}")
    for path in files:
        size = (ROOT / path).stat().st_size
        if size > FILE_BYTES_MAX:
            findings.append(f"{path}: {size} bytes (at most {FILE_BYTES_MAX})")
        if path.name == "check_repository.py":
            continue  # it says what it looks for
        try:
            text = (ROOT / path).read_text()
        except UnicodeDecodeError:
            continue
        if machine_path.search(text):
            findings.append(f"{path}: names a path of one machine")


def check_links(findings: list[str]) -> None:
    """A link leads to a file of the tree, or it exists on one machine only."""
    for path in listed():
        link = ROOT / path
        if link.is_symlink():
            target = link.readlink()
            inside = link.resolve().is_relative_to(ROOT.resolve())
            if target.is_absolute() or not inside or not link.exists():
                findings.append(f"{path}: a link to {target}, which is no file of this tree")


def check_tests_registered(files: list[Path], findings: list[str]) -> None:
    """Every test source, C++ or Python, is named by a CMakeLists.txt beside or above."""
    for path in files:
        if path.parts[0] not in {"tests", "property"}:
            continue
        if not re.fullmatch(r".*_test\.cc|.*_property\.cc|test_.*\.py", path.name):
            continue
        lists = [ROOT / folder / "CMakeLists.txt" for folder in (path.parent, path.parent.parent)]
        named = any(path.name in cmake.read_text() for cmake in lists if cmake.is_file())
        if not named and path.name not in ELSEWHERE:
            findings.append(f"{path}: not registered in {path.parent}/CMakeLists.txt")


def check_reports(files: list[Path], findings: list[str]) -> None:
    """Every row of docs/reports.md names a test, patches and scenarios that there are."""
    table = ROOT / "docs/reports.md"
    if not table.is_file():
        return
    patches = {path.stem for path in files if path.match("sabotage/patches/*/*.patch")}
    known = re.findall(r"^\| `(\w+)`", (ROOT / "docs/ordering-scenarios.md").read_text(), re.M)
    for row in re.findall(r"^\| (A\d\d) \|(.*)\|$", table.read_text(), re.M):
        number, cells = row[0], [cell.strip() for cell in row[1].split("|")]
        tests = ROOT / "tests/reports" / f"test_{cells[2]}.py"
        where = f"docs/reports.md: {number}"
        if not tests.is_file() or f"def test_{number.lower()}_" not in tests.read_text():
            findings.append(f"{where}: no test_{number.lower()}_ in {tests.relative_to(ROOT)}")
        for cell, names, what in ((cells[3], patches, "patch"), (cells[4], known, "scenario")):
            findings.extend(
                f"{where}: no {what} {name}"
                for name in cell.split(", ")
                if name and name not in names
            )


def main() -> int:
    """Runs every check and prints what it found."""
    findings: list[str] = []
    files = tracked()
    check_layers(findings)
    check_sizes(files, findings)
    check_guards(files, findings)
    check_files(files, findings)
    check_links(findings)
    check_tests_registered(files, findings)
    check_reports(files, findings)
    for finding in findings:
        print(finding)
    print(f"repository check: {len(files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
