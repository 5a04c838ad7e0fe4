"""The fixtures of tests/conftest.py, for the property tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "conformance"))

from overbite_conform.pytest_plugin import (  # noqa: F401
    module_servers,
    serve,
    servers,
    uvicorn_serve,
    write_library_proof,
)


def pytest_sessionstart() -> None:
    write_library_proof()
