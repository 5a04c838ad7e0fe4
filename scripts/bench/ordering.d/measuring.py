"""Runs the programs in alternated rounds and keeps what they said."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from building import Tool, say

TESTS = ("sb2", "sb3", "mutex3x1", "mutex3x2", "mp3")
EXECUTIONS = {
    ("sb2", "ours, SC"): 3,
    ("sb2", "ours, RC11"): 4,
    ("sb3", "ours, SC"): 7,
    ("sb3", "ours, RC11"): 8,
    ("mutex3x1", "ours, SC"): 6,
    ("mutex3x1", "ours, RC11"): 6,
    ("mutex3x2", "ours, SC"): 90,
    ("mutex3x2", "ours, RC11"): 90,
    ("mp3", "ours, SC"): 4,
    ("mp3", "ours, RC11"): 4,
}
"""How many graphs there are: any other count is a failure, whatever time it took."""
UNLIMITED_S = 600.0
"""Wall time after which a program that has no limit of its own is ended."""


@dataclass(frozen=True)
class Stored:
    """What GenMC 0.11 said and took, in another run on such a machine (best and worst, seconds)."""

    test: str
    model: str
    executions: int
    best_s: float
    worst_s: float


STORED = (
    Stored("fib_bench", "sc", 218_243, 1.74, 2.85),
    Stored("fib_bench", "rc11", 525_630, 4.89, 6.50),
    Stored("lastzero 15", "sc", 147_456, 15.76, 16.92),
    Stored("lastzero 15", "rc11", 147_456, 13.73, 17.43),
    Stored("indexer 15", "sc", 4_096, 2.63, 3.52),
    Stored("indexer 15", "rc11", 4_096, 2.37, 3.59),
    Stored("lockinc 7", "sc", 5_040, 0.351, 0.584),
    Stored("lockinc 7", "rc11", 5_040, 0.473, 0.747),
    Stored("big0", "sc", 69_112, 0.377, 0.684),
    Stored("big0", "rc11", 82_472, 0.413, 0.734),
)


@dataclass
class Row:
    """One test under one tool: a line of each round."""

    test: str
    tool: Tool
    lines: list[dict[str, Any]] = field(default_factory=list)
    failed: str = ""

    @property
    def ended(self) -> bool:
        """More rounds would say nothing new."""
        return bool(self.failed) or any(not line["complete"] for line in self.lines)

    def summary(self) -> dict[str, Any]:
        """For the report; times in seconds."""
        out: dict[str, Any] = {"test": self.test, "tool": self.tool.name}
        if not self.lines:
            return (
                out
                | {"status": "missing" if self.tool.missing else "failed"}
                | {"reason": self.tool.missing or self.failed}
            )
        if self.failed:
            return out | {"status": "failed", "reason": self.failed}
        first = self.lines[0]
        rate = median(line["rate_per_s"] for line in self.lines)
        cpu = [line["cpu_s"] for line in self.lines]
        wall = [line["wall_s"] for line in self.lines]
        counts = {line["executions"] for line in self.lines if line["complete"]}
        if len(counts) > 1:
            return out | {"status": "failed", "reason": f"rounds differ: {sorted(counts)}"}
        expected = EXECUTIONS.get((self.test, self.tool.name))
        if expected is not None and counts != {expected}:
            return out | {"status": "failed", "reason": f"{sorted(counts)}, not {expected}"}
        complete = not self.ended
        return out | {
            "status": "complete" if complete else "incomplete",
            "rounds": len(self.lines),
            "executions": max(line["executions"] for line in self.lines),
            "cut": first["cut"],
            "cold_best_s": min(cpu),
            "cold_worst_s": max(cpu),
            "warm_s": first["executions"] / rate if complete else None,
            "rate_per_s": rate,
            "wall_best_s": min(wall),
            "wall_worst_s": max(wall),
        }


def run_once(row: Row, limit_s: float, steady_s: float) -> None:
    """One more line for `row`."""
    limit = [str(limit_s)] if row.tool.has_limit else []
    command = [*row.tool.command, row.test, *limit, str(steady_s)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=UNLIMITED_S
        )
    except subprocess.TimeoutExpired:
        row.failed = f"no verdict in {UNLIMITED_S:.0f} s of wall time"
        return
    if done.returncode != 0:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        row.failed = f"exit status {done.returncode}: {last}"
        return
    row.lines.append(json.loads(done.stdout))


def compare_tools(tools: list[Tool], rounds: int, limit_s: float, steady_s: float) -> list[Row]:
    """Every test under every tool, in turn. What reached the limit is not run a second time."""
    rows = [Row(test, tool) for test in TESTS for tool in tools]
    for number in range(1, rounds + 1):
        say(f"round {number} of {rounds}")
        for row in rows:
            if not row.tool.missing and not row.ended:
                run_once(row, limit_s, steady_s)
    return rows


def compare_stored(tools: list[Tool], rounds: int) -> list[tuple[Stored, Row]]:
    """Ours on the programs of which GenMC's figures are stored."""
    by_model = {name.rpartition(" ")[2].lower(): tool for tool in tools for name in [tool.name]}
    pairs = [(stored, Row(stored.test, by_model[stored.model])) for stored in STORED]
    for number in range(1, rounds + 1):
        say(f"GenMC's programs, round {number} of {rounds}")
        for _, row in pairs:
            if not row.tool.missing and not row.ended:
                run_once(row, UNLIMITED_S, 0)
    return pairs
