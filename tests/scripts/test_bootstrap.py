"""scripts/bootstrap on a machine that has nothing yet, with stand-ins for the package tools."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def bootstrap(tree: Path, **tools: str) -> subprocess.CompletedProcess[str]:
    """Runs a copy of the script in TREE; each tool is a shell script that comes first on PATH."""
    scripts, tools_folder = tree / "scripts", tree / "tools"
    scripts.mkdir()
    tools_folder.mkdir()
    for name in ("bootstrap", "requirements.txt"):
        (scripts / name).write_bytes((ROOT / "scripts" / name).read_bytes())
    for name, body in tools.items():
        tool = tools_folder / name.replace("_", "-")
        tool.write_text(f"#!/bin/sh\n{body}\n")
        tool.chmod(0o755)
    environment = os.environ | {"PATH": f"{tools_folder}:{os.environ['PATH']}", "TMPDIR": str(tree)}
    return subprocess.run(
        ["bash", scripts / "bootstrap"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_unknown_packages_are_installed(tmp_path: Path) -> None:
    """dpkg-query fails as soon as it knows nothing of one package: that is why it is asked."""
    ran = bootstrap(
        tmp_path,
        dpkg_query='echo "git installed"; exit 1',
        sudo='"$@"',
        apt_get='echo "$*" >>"$TMPDIR/apt"; [ "$1" = update ]',
    )
    assert ran.returncode == 1
    assert "packages with apt: clang-19" in ran.stdout
    assert " git" not in ran.stdout
    assert ran.stderr.endswith("bootstrap: apt-get install failed\n")
    assert "install -y -qq --no-install-recommends clang-19" in (tmp_path / "apt").read_text()


def test_a_step_that_fails_is_named(tmp_path: Path) -> None:
    ran = bootstrap(tmp_path, dpkg_query="exit 0", awk="exit 3")
    assert ran.returncode == 1
    assert "bootstrap: line" in ran.stderr
    assert "awk" in ran.stderr
