"""Proves which library the program under test has loaded, as the real conftest does."""

import os
import subprocess
from pathlib import Path

import pytest

SERVE = Path(os.environ["OVERBITE_BIN_DIR"]) / "overbite-serve"


@pytest.fixture(scope="session", autouse=True)
def library_proof() -> None:
    """Write the program's own word to the file the runner reads."""
    said = subprocess.run([SERVE, "--version"], check=True, capture_output=True, text=True).stdout
    proof = os.environ.get("OVERBITE_LIBRARY_PROOF")
    if proof:
        Path(proof).write_text(said)


@pytest.fixture
def answer() -> int:
    """Ask the program."""
    return int(subprocess.run([SERVE], check=True, capture_output=True, text=True).stdout)


@pytest.fixture
def right_answer(answer: int) -> int:
    """Ask the program, and look at the answer before the test does."""
    assert answer == 42, "the answer is wrong"
    return answer
