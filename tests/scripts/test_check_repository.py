"""scripts/check_repository.py on small trees with one fault each."""

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, looking at an empty repository in tmp_path."""
    path = ROOT / "scripts" / "check_repository.py"
    spec = importlib.util.spec_from_file_location("check_repository", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def test_a_link_out_of_the_tree_is_found(checker: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "here.txt").write_text("text\n")
    (tmp_path / "inside").symlink_to("here.txt")
    (tmp_path / "dangling").symlink_to("gone.txt")
    (tmp_path / "outside").symlink_to("/usr/bin/env")
    findings: list[str] = []
    checker.check_links(findings)
    assert findings == [
        "dangling: a link to gone.txt, which is no file of this tree",
        "outside: a link to /usr/bin/env, which is no file of this tree",
    ]
