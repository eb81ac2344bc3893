"""Timing, and the machine that it was done on."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable


def machine() -> str:
    """Return what a reader needs to judge the seconds: cores and Python."""
    return f"{os.cpu_count()} shared cores, Python {platform.python_version()}"


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the median time of one call, after a first call that is not counted."""
    work()
    taken = []
    for _ in range(repeats):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


def interleaved(works: dict[str, Callable[[], object]], repeats: int = 5) -> dict[str, float]:
    """Return the median time of each, taken in turns so that a busy moment hits all of them."""
    for work in works.values():
        work()
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            begun = time.perf_counter()
            work()
            taken[name].append(time.perf_counter() - begun)
    return {name: statistics.median(times) for name, times in taken.items()}
