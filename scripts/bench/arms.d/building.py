"""Builds or fetches every arm and wrk into build/, or says why it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SOURCES = Path(__file__).resolve().parent
OUT = ROOT / "build" / "bench"
VENV = ROOT / ".deps" / "venv"  # ours and uvicorn's, of scripts/bootstrap
OTHERS = OUT / "others"  # a folder of pip's for the rest, pinned here
PINNED = {"granian": "2.8.9", "bjoern": "3.2.2", "fastwsgi": "0.0.9"}
BASE = "uvicorn, uvloop"
FLOOR = "bare C epoll loop"
BASES = (BASE, FLOOR)


@dataclass
class Arm:
    """One server in one shape, started beside app.py with {port} of the command replaced."""

    name: str
    command: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    same_head: bool = False  # its answer is uvicorn's, but for the date
    missing: str = ""  # why there is no command


class BuildError(Exception):
    """A step that did not succeed; the message is its last word."""


def say(message: str) -> None:
    """Progress goes to stderr: stdout is for the result."""
    print(f"arms: {message}", file=sys.stderr, flush=True)


def run(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """Runs one step of a build; its stdout."""
    try:
        done = subprocess.run(
            command, cwd=cwd, env=env, capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        raise BuildError(f"{error.filename} is not installed") from error
    if done.returncode != 0:
        lines = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()
        told = next((line for line in lines if "error" in line.lower()), lines[-1])
        raise BuildError(f"{Path(command[0]).name} failed: {told.strip()}")
    return done.stdout


def unpacked(package: str) -> Path:
    """A package of apt's, unpacked (not installed) into build/bench; the folder."""
    folder = OUT / package
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("*.deb")):
        say(f"unpacking apt's {package} into {folder.relative_to(ROOT)}")
        download = ("apt-get", "download", "-q", package)
        try:
            run(*download, cwd=folder)
        except BuildError:
            if os.geteuid() != 0:
                raise
            run("apt-get", "update", "-q")
            run(*download, cwd=folder)
    run("dpkg", "-x", next(folder.glob("*.deb")), folder)
    return folder


def build_wrk() -> Path:
    """wrk: the installed one is not asked for, so that every run has Debian's."""
    wrk = unpacked("wrk") / "usr" / "bin" / "wrk"
    # It links LuaJIT, which is rarely installed.
    os.environ["LD_LIBRARY_PATH"] = str(next(unpacked("libluajit-5.1-2").rglob("*.so.2")).parent)
    return wrk


def build_ours() -> list[Arm]:
    """overbite-serve by the release preset."""
    say("building overbite-serve (preset release)")
    run("cmake", "--preset", "release", "--log-level=WARNING")
    run("cmake", "--build", "build/release", "--target", "overbite-serve")
    program = str(ROOT / "build/release/bin/overbite-serve")
    environment = {"VIRTUAL_ENV": str(VENV)}

    def arm(name: str, *options: str, asgi: bool = True) -> Arm:
        application = "app:asgi" if asgi else "app:wsgi"
        command = (program, application, "--port", "{port}", *options)
        return Arm(f"overbite, {name}", command, environment, same_head=asgi)

    inverted = arm("inverted", "--loop", "uvloop", "--executor", "inverted")
    if "--executor" not in run(program, "--help"):
        inverted = Arm(inverted.name, missing="overbite-serve has no --executor")
    return [
        arm("pump", "--loop", "uvloop"),
        inverted,
        arm("WSGI pool", "--interface", "wsgi", asgi=False),
        arm("WSGI inline", "--interface", "wsgi", "--blocking-threads", "0", asgi=False),
    ]


def build_uvicorn() -> list[Arm]:
    """The reference, of scripts/bootstrap, without its access log: ours has none."""
    python = str(VENV / "bin/python")
    run(python, "-c", "import uvicorn, uvloop, httptools")
    options = ("--port", "{port}", "--no-access-log", "--log-level", "warning")
    command = (python, "-m", "uvicorn", "app:asgi", *options, "--http", "httptools")
    return [
        Arm(f"uvicorn, {loop}", (*command, "--loop", loop), same_head=True)
        for loop in ("uvloop", "asyncio")
    ]


def build_floor() -> list[Arm]:
    """One C file."""
    program = OUT / "floor"
    run("gcc", "-O2", "-Wall", "-Wextra", "-Werror", SOURCES / "floor.c", "-o", program)
    return [Arm(FLOOR, (str(program), "{port}"), same_head=True)]


def install(name: str, env: dict[str, str] | None = None) -> dict[str, str]:
    """One package of PINNED into OTHERS; the environment that finds it."""
    stamp = OTHERS / f".{name}-{PINNED[name]}"
    if not stamp.exists():
        say(f"fetching {name} {PINNED[name]} into {OTHERS.relative_to(ROOT)}")
        pip = (VENV / "bin/pip", "install", "-q", "--disable-pip-version-check", "--upgrade")
        run(*pip, "--target", OTHERS, f"{name}=={PINNED[name]}", env=env)
        stamp.touch()
    return {"PYTHONPATH": str(OTHERS)}


def build_granian() -> list[Arm]:
    """One worker of each protocol, logging nothing."""
    environment = install("granian")
    options = ("--port", "{port}", "--no-log", "--workers", "1", "--http", "1", "--no-ws")
    command = (str(VENV / "bin/python"), "-m", "granian", *options)
    return [
        Arm("granian, ASGI", (*command, "--interface", "asgi", "app:asgi"), environment),
        Arm("granian, WSGI", (*command, "--interface", "wsgi", "app:wsgi"), environment),
    ]


def build_bjoern() -> list[Arm]:
    """Compiled here, against apt's libev."""
    include = unpacked("libev-dev") / "usr/include"
    library = next(unpacked("libev4").rglob("libev.so.4"))
    link = library.with_name("libev.so")
    if not link.is_symlink():
        link.symlink_to(library.name)
    flags = {
        "CFLAGS": f"-O2 -I{include}",
        "LDFLAGS": f"-L{library.parent} -Wl,-rpath,{library.parent}",
    }
    environment = install("bjoern", {**os.environ, **flags})
    return [Arm("bjoern", own_script("bjoern"), environment)]


def build_fastwsgi() -> list[Arm]:
    """Compiled here."""
    return [Arm("fastwsgi", own_script("fastwsgi"), install("fastwsgi"))]


def own_script(name: str) -> tuple[str, ...]:
    """The command of an arm that wsgi_servers.py starts."""
    return (str(VENV / "bin/python"), "wsgi_servers.py", name, "{port}")


def build_all(only: str | None) -> tuple[Path, list[Arm]]:
    """wrk and the arms, in the order of the table; those that cannot be built say why."""
    OUT.mkdir(parents=True, exist_ok=True)
    try:
        wrk = build_wrk()
    except (BuildError, StopIteration) as error:
        sys.exit(f"arms: no wrk: {error}")
    steps: tuple[tuple[Callable[[], list[Arm]], tuple[str, ...]], ...] = (
        (build_floor, (FLOOR,)),
        (build_ours, ("overbite",)),
        (build_uvicorn, (BASE, "uvicorn, asyncio")),
        (build_granian, ("granian, ASGI", "granian, WSGI")),
        (build_bjoern, ("bjoern",)),
        (build_fastwsgi, ("fastwsgi",)),
    )
    arms: list[Arm] = []
    for build, names in steps:
        if only and not any(only in name or name in BASES for name in names):
            continue
        try:
            arms += build()
        except (BuildError, StopIteration) as error:
            say(f"missing: {', '.join(names)}: {error}")
            arms += [Arm(name, missing=str(error)) for name in names]
    return wrk, [arm for arm in arms if not only or only in arm.name or arm.name in BASES]
