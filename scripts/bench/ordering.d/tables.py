"""Turns what was measured into one report, and the report into tables."""

from __future__ import annotations

import argparse
import math
from typing import Any

from building import Tool
from measuring import TESTS, Row, Stored

OURS = ("ours, SC", "ours, RC11")


def ratios(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By test: how many times longer the fastest other tool takes than ours."""
    out = []
    for test in TESTS:
        complete = [row for row in rows if row["test"] == test and row["status"] == "complete"]
        others = [row for row in complete if row["tool"] not in OURS]
        for time in ("cold_best_s", "warm_s"):
            fastest = min(others, key=lambda row: row[time], default=None)
            entry: dict[str, Any] = {
                "test": test,
                "time": time.split("_")[0],
                "fastest_other": fastest and fastest["tool"],
                "other_s": fastest and fastest[time],
            }
            for name in OURS:
                own = next((row[time] for row in complete if row["tool"] == name), None)
                entry[name] = fastest[time] / own if fastest and own else None
            out.append(entry)
    return out


def beside_stored(pairs: list[tuple[Stored, Row]]) -> list[dict[str, Any]]:
    """Ours beside GenMC's stored figures."""
    out = []
    for stored, row in pairs:
        own = row.summary()
        complete = own["status"] == "complete"
        out.append(
            {
                "test": stored.test,
                "model": stored.model.upper(),
                "status": own["status"],
                "reason": own.get("reason"),
                "executions_published": stored.executions,
                "executions": own.get("executions"),
                "cut": own.get("cut"),
                "count_equal": complete and own["executions"] == stored.executions,
                "genmc_stored_best_s": stored.best_s,
                "genmc_stored_worst_s": stored.worst_s,
                "best_s": own.get("cold_best_s"),
                "worst_s": own.get("cold_worst_s"),
                "wall_best_s": own.get("wall_best_s"),
                "ratio": stored.best_s / own["cold_best_s"] if complete else None,
            }
        )
    return out


def report(
    given: argparse.Namespace,
    tools: list[Tool],
    rows: list[Row],
    stored: list[tuple[Stored, Row]],
) -> dict[str, Any]:
    """Everything that was measured, as it is written by --json."""
    summaries = [row.summary() for row in rows]
    lines = [line for row in [*rows, *(row for _, row in stored)] for line in row.lines]
    long_enough = [line for line in lines if line["cpu_s"] > 0.01]
    busy = max((line["wall_s"] / line["cpu_s"] for line in long_enough), default=1.0)
    return {
        "rounds": given.rounds,
        "limit_s": given.limit,
        "steady_s": given.steady,
        "wall_over_cpu_worst": busy,
        "tools": [
            {"name": tool.name, "version": tool.version, "missing": tool.missing or None}
            for tool in tools
        ],
        "tests": summaries,
        "ratios": ratios(summaries),
        "genmc_stored": beside_stored(stored),
    }


def is_whole(report: dict[str, Any]) -> bool:
    """Nothing is missing or failed, ours is complete and every count is the published one."""
    rows = report["tests"]
    return (
        all(row["status"] in {"complete", "incomplete"} for row in rows)
        and all(row["status"] == "complete" for row in rows if row["tool"] in OURS)
        and all(row["count_equal"] for row in report["genmc_stored"])
    )


def duration(seconds: float | None) -> str:
    """Three digits and a unit."""
    if seconds is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{significant(seconds / size)} {unit}"
    return f"{significant(seconds / 1e-6)} us"


def significant(value: float) -> str:
    """Three digits, no exponent."""
    digits = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:,.{digits}f}".replace(",", " ")


def count(number: int | None, cut: int | None = 0) -> str:
    """Thousands apart; runs that came to nothing new are named."""
    if number is None:
        return "-"
    return f"{number:,}".replace(",", " ") + (f" + {cut} cut" if cut else "")


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table with aligned columns."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in
             [head, ["-" * width for width in widths], *rows]]  # fmt: skip
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def test_line(row: dict[str, Any], limit_s: float) -> list[str]:
    """One line of the first table."""
    start = [row["test"], row["tool"]]
    if row["status"] in {"missing", "failed"}:
        return [*start, row["status"], "-", "-", "-", "-"]
    rate = count(round(row["rate_per_s"]))
    if row["status"] == "incomplete":
        limit = f"incomplete at {duration(limit_s)}"
        return [*start, f"> {count(row['executions'])}", limit, "-", "-", rate]
    times = [duration(row[key]) for key in ("cold_best_s", "cold_worst_s", "warm_s")]
    return [*start, count(row["executions"], row["cut"]), *times, rate]


def ratio_lines(entries: list[dict[str, Any]]) -> list[list[str]]:
    """The second table."""
    out = []
    for entry in entries:
        own = ["-" if entry[name] is None else f"x {significant(entry[name])}" for name in OURS]
        fastest = entry["fastest_other"] or "-"
        out.append([entry["test"], entry["time"], fastest, duration(entry["other_s"]), *own])
    return out


def stored_line(row: dict[str, Any]) -> list[str]:
    """One line of the third table."""
    genmc = f"{duration(row['genmc_stored_best_s'])} to {duration(row['genmc_stored_worst_s'])}"
    published = count(row["executions_published"])
    start = [row["test"], row["model"], published]
    if row["status"] != "complete":
        return [*start, row["status"], "no", genmc, "-", "-"]
    own = f"{duration(row['best_s'])} to {duration(row['worst_s'])}"
    equal = "yes" if row["count_equal"] else "NO"
    found = count(row["executions"], row["cut"])
    return [*start, found, equal, genmc, own, f"x {significant(row['ratio'])}"]


def as_text(report: dict[str, Any]) -> str:
    """The tables and what is needed to read them."""
    problems = [f"MISSING: {t['name']}: {t['missing']}" for t in report["tools"] if t["missing"]]
    problems += [
        f"FAILED: {row['test']}, {row['tool']}: {row['reason']}"
        for row in report["tests"]
        if row["status"] == "failed"
    ]
    versions = dict.fromkeys(
        f"{tool['name'].split(',')[0]} {tool['version']}"
        for tool in report["tools"]
        if tool["version"]
    )
    limit_s = report["limit_s"]
    return "\n".join(
        [
            *problems,
            f"{report['rounds']} rounds, alternated, one core. {'; '.join(versions)}.",
            "Processor time. cold: the first exploration of a new process; warm: one of many.",
            f"Wall time was up to {report['wall_over_cpu_worst']:.1f} times that in runs > 10 ms.",
            "",
            table(
                ["test", "tool", "executions", "cold, best", "cold, worst", "warm", "executions/s"],
                [test_line(row, limit_s) for row in report["tests"]],
            ),
            "",
            "How many times longer the fastest other tool takes to a complete verdict than ours:",
            "",
            table(
                ["test", "time", "fastest other", "its time", *OURS],
                ratio_lines(report["ratios"]),
            ),
            "",
            "Beside GenMC 0.11. Its times are STORED figures of another run on such a machine, not",
            "measured here: exploration alone, wall time, best and worst. Ours is processor time,",
            "cold, of this run. The ratio is best to best.",
            "",
            table(
                ["test", "model", "published", "ours", "equal", "GenMC, stored", "ours", "ratio"],
                [stored_line(row) for row in report["genmc_stored"]],
            ),
        ]
    )
