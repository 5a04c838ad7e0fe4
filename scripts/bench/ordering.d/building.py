"""Builds every explorer's program into build/bench, or says why it cannot."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SOURCES = Path(__file__).resolve().parent
OUT = ROOT / "build" / "bench"


@dataclass
class Tool:
    """One explorer in one mode, and how it is started."""

    name: str
    version: str = ""
    command: tuple[str, ...] = ()
    has_limit: bool = True  # takes LIMIT_S; else the caller ends it
    missing: str = ""  # why there is no command


class BuildError(Exception):
    """A step that did not succeed; the message is its last word."""


def say(message: str) -> None:
    """Progress goes to stderr: stdout is for the result."""
    print(f"ordering: {message}", file=sys.stderr, flush=True)


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Runs one step of a build; its stdout."""
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise BuildError(f"{error.filename} is not installed") from error
    if done.returncode != 0:
        lines = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()
        told = next((line for line in lines if "error" in line.lower()), lines[-1])
        raise BuildError(f"{Path(command[0]).name} failed: {told.strip()}")
    return done.stdout


def build_ours() -> list[Tool]:
    """The engine by its own CMake target, the tests like any model code."""
    engine = OUT / "engine"
    program = OUT / "ours"
    say(f"building ours (preset release) into {engine.relative_to(ROOT)}")
    options = ("-DOVERBITE_TESTS=OFF", "-DOVERBITE_SABOTAGE=OFF", "--log-level=WARNING")
    run("cmake", "--preset", "release", "-B", engine, *options)
    run("cmake", "--build", engine, "--target", "overbite_ordering")
    # ordering/CMakeLists.txt compiles model code like this, and says why.
    flags = "-std=c++20 -O1 -g1 -fno-omit-frame-pointer -Wall -Wextra -Werror -fsanitize=thread"
    compiled = OUT / "ours.o"
    run("clang++-19", *flags.split(), f"-I{ROOT}", "-c", SOURCES / "ours.cc", "-o", compiled)
    library = engine / "lib"
    found_at = f"-Wl,-rpath,{library}"
    link = ("-fuse-ld=lld", f"-L{library}", "-loverbite_ordering", found_at)
    run("clang++-19", compiled, *link, "-o", program)
    version = run("git", "describe", "--always", "--dirty").strip()
    return [
        Tool(f"ours, {model.upper()}", version, (str(program), model), has_limit=False)
        for model in ("sc", "rc11")
    ]


def relacy_headers() -> tuple[Path, str]:
    """Debian's relacy-dev: the installed one, or unpacked (not installed) into build/bench."""
    if Path("/usr/include/relacy/relacy.hpp").exists():
        return Path("/usr/include"), run("dpkg-query", "-Wf", "${Version}", "relacy-dev")
    folder = OUT / "relacy"
    folder.mkdir(parents=True, exist_ok=True)
    packages = list(folder.glob("relacy-dev_*.deb"))
    if not packages:
        say(f"unpacking apt's relacy-dev into {folder.relative_to(ROOT)}")
        download = ("apt-get", "download", "-q", "relacy-dev")
        try:
            run(*download, cwd=folder)
        except BuildError:
            if os.geteuid() != 0:
                raise
            run("apt-get", "update", "-q")
            run(*download, cwd=folder)
        packages = list(folder.glob("relacy-dev_*.deb"))
    run("dpkg", "-x", packages[0], folder)
    return folder / "usr" / "include", packages[0].name.split("_")[1]


def build_relacy() -> list[Tool]:
    """Header-only: one program."""
    program = OUT / "relacy_bench"
    include, version = relacy_headers()
    say(f"building Relacy's tests into {program.relative_to(ROOT)}")
    # -w: its headers are of 2019 and do not compile without warnings.
    flags = ("-std=c++20", "-O3", "-DNDEBUG", "-w", "-isystem", include)
    run("g++", *flags, SOURCES / "relacy.cc", "-o", program)
    return [
        Tool("Relacy, full search", version, (str(program), "as-written")),
        Tool("Relacy, all seq_cst", version, (str(program), "seq_cst")),
    ]


def build_crates() -> list[Tool]:
    """The cargo project: loom and shuttle at the versions that Cargo.lock pins."""
    target = OUT / "cargo"
    say(f"building loom and shuttle into {target.relative_to(ROOT)} (crates.io, Cargo.lock)")
    manifest = SOURCES / "cargo" / "Cargo.toml"
    options = ("--release", "--locked", "--quiet", "--manifest-path", manifest)
    run("cargo", "build", *options, "--target-dir", target)
    lock = (SOURCES / "cargo" / "Cargo.lock").read_text()

    def tool(crate: str, name: str) -> Tool:
        version = re.search(rf'name = "{crate}"\nversion = "([^"]+)"', lock)
        program = target / "release" / f"{crate}_bench"
        return Tool(name, version.group(1) if version else "?", (str(program),))

    return [tool("loom", "loom"), tool("shuttle", "shuttle, DFS")]


def build_all() -> list[Tool]:
    """Every tool, in the order of the tables; those that cannot be built say why."""
    OUT.mkdir(parents=True, exist_ok=True)
    steps = (
        (build_ours, ("ours, SC", "ours, RC11")),
        (build_crates, ("loom", "shuttle, DFS")),
        (build_relacy, ("Relacy, full search", "Relacy, all seq_cst")),
    )
    tools: list[Tool] = []
    for build, names in steps:
        try:
            tools += build()
        except BuildError as error:
            say(f"missing: {', '.join(names)}: {error}")
            tools += [Tool(name, missing=str(error)) for name in names]
    return tools
