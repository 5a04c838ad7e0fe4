"""Turns what was measured into one report, and the report into a table."""

from __future__ import annotations

import argparse
from statistics import median
from typing import Any

from building import BASE, FLOOR, Arm
from measuring import Row


def paired(rows: list[Row], name: str, base: str) -> list[float]:
    """In each round that has both: time of `base` over time of `name`."""
    by_round = {(row.arm, row.round): row.us for row in rows if not row.failed}
    rounds = sorted({row.round for row in rows})
    return [
        by_round[base, number] / by_round[name, number]
        for number in rounds
        if (base, number) in by_round and (name, number) in by_round
    ]


def spread(values: list[float]) -> dict[str, float] | None:
    """Median, least and most."""
    if not values:
        return None
    return {"median": median(values), "least": min(values), "most": max(values)}


def report(given: argparse.Namespace, arms: list[Arm], rows: list[Row]) -> dict[str, Any]:
    """All of it, as plain values."""
    out = []
    for arm in arms:
        own = [row for row in rows if row.arm == arm.name]
        good = [row for row in own if not row.failed]
        out.append(
            {
                "arm": arm.name,
                "missing": arm.missing,
                "failed": sorted({row.failed for row in own if row.failed}),
                "rounds": len(good),
                "us_per_request": spread([row.us for row in good]),
                "requests_per_cpu_second": spread([1e6 / row.us for row in good]),
                "requests_per_second": spread([row.requests / row.wall_s for row in good]),
                "cores_used": spread([row.cpu_s / row.wall_s for row in good]),
                "to_uvloop": spread(paired(rows, arm.name, BASE)),
                "time_to_floor": spread([1 / r for r in paired(rows, arm.name, FLOOR)]),
            }
        )
    return {
        "rounds": given.rounds,
        "seconds": given.seconds,
        "connections": given.connections,
        "pinned": not given.unpinned,
        "arms": out,
    }


def is_whole(report: dict[str, Any]) -> bool:
    """Whether every arm was measured in every round."""
    return all(arm["rounds"] == report["rounds"] for arm in report["arms"])


def as_text(report: dict[str, Any]) -> str:
    """A table, and below it what is not in it."""
    pinned = "server and wrk on one core each" if report["pinned"] else "unpinned"
    lines = [
        f"{report['rounds']} rounds of {report['seconds']:g} s, {report['connections']} "
        f"connections, {pinned}; medians, [least-most]",
        "",
        "| arm | CPU us a request | requests a CPU s | to uvicorn+uvloop | time to the floor |",
        "|---|---|---|---|---|",
    ]
    for arm in report["arms"]:
        if not arm["rounds"]:
            continue
        us, rate = arm["us_per_request"], arm["requests_per_cpu_second"]
        cells = [arm["arm"], f"{us['median']:.1f}", f"{rate['median']:,.0f}".replace(",", " ")]
        for key in ("to_uvloop", "time_to_floor"):
            r = arm[key]
            cells.append(f"{r['median']:.2f}x [{r['least']:.2f}-{r['most']:.2f}]" if r else "-")
        lines.append(f"| {' | '.join(cells)} |")
    for arm in report["arms"]:
        for reason in [arm["missing"]] if arm["missing"] else arm["failed"]:
            counted = f"{arm['rounds']} of {report['rounds']} rounds"
            lines.append(f"\nincomplete: {arm['arm']} ({counted}): {reason}")
    return "\n".join(lines)
