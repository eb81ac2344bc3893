"""How many suggested floors a harmless change breaks: python -m benchmarks.suggested_floors.

The sample's hybrid run is simulated onwards, question by question. Churn: each found question is
lost with a chance of 4 % (every measure of it is then 0), and as many others are found on average
(with the values of a found question drawn by chance). The floors are those that `gate suggest=true`
writes; beside them, floors without room (each value cut to two decimals) and with wider room.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from fractions import Fraction
from math import floor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rageval.cli.main import run_command
from rageval.comparison.result import Result, result
from rageval.gate.suggestion import Floors, suggest
from rageval.statistics import churn

_DRAWS = 4000
_MEASURES = ("hit_rate_at_1", "hit_rate_at_3", "recall", "mrr", "completeness")


def sample() -> Result:
    """Return the result of hybrid on the sample."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        try:
            run_command(["+retriever=hybrid", "latency.sample=0"])
            kept = json.loads(next(Path("mlruns").rglob("questions.json")).read_text())
        finally:
            os.chdir(here)
    tags = {f"rageval.{name}": "-" for name in ("benchmark", "variant", "chunking", "retrieval")}
    return result("sample", tags | {"rageval.set": "handbook", "rageval.split": "dev"}, kept)


def without_room(found: Result) -> Floors:
    """Return each value cut to two decimals, as it was suggested before."""
    floors: Floors = {}
    for subset, limits in suggest(found, {}, False).items():
        for measure in limits:
            total, n = found.mean(subset, measure) or (Fraction(0), 1)
            floors.setdefault(subset, {})[measure] = floor(total / n * 100) / 100
    return floors


def broken(found: Result, floors: Floors, changes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many floors each change breaks; `changes` is [draws, questions].

    Of a question: −1 it stays, −2 it is lost, else it has the values of that question.
    """
    rows = list(found.rows.values())
    values = {
        name: np.array([np.nan if row.values[name] is None else row.values[name] for row in rows])
        for name in _MEASURES
    }
    count = np.zeros(len(changes), np.int64)
    for subset, limits in floors.items():
        inside = np.array([subset in row.subsets for row in rows])
        for measure, limit in limits.items():
            then = values[measure]
            now = np.where(changes == -2, 0.0, np.where(changes >= 0, then[changes], then))
            now[:, np.isnan(then)] = np.nan
            counted = inside & ~np.isnan(then)
            count += np.nanmean(now[:, counted], axis=1) < limit - 1e-9
    return count


def churned(found: Result, random: np.random.Generator) -> NDArray[np.int64]:
    """Return what churn makes of the questions, [draws, questions]."""
    rows = list(found.rows.values())
    there = np.array([row.values["recall"] == 1 for row in rows])
    absent = np.array([row.values["recall"] == 0 for row in rows])
    chance = random.random((_DRAWS, len(rows)))
    donors = random.choice(np.flatnonzero(there), size=chance.shape)
    gain = churn.LOST * there.sum() / max(1, absent.sum())
    lost = np.where(there & (chance < churn.LOST), -2, -1)
    return np.where(absent & (chance < gain), donors, lost)


def two_lost(found: Result, random: np.random.Generator) -> NDArray[np.int64]:
    """Return changes that lose two found questions and nothing else, [draws, questions]."""
    rows = list(found.rows.values())
    there = np.flatnonzero([row.values["recall"] == 1 for row in rows])
    changes = np.full((_DRAWS, len(rows)), -1)
    for draw in range(_DRAWS):
        changes[draw, random.choice(there, 2, replace=False)] = -2
    return changes


def figures() -> list[list[str]]:
    """Return a row for each rule: floors, and what churn and two lost questions break."""
    found = sample()
    rules = {
        "no room (as before)": without_room(found),
        "what churn explains, 90 %": suggest(found, {}, False, level=0.1),
        "what churn explains, 95 %": suggest(found, {}, False, level=0.05),
        "what churn explains, 99 % (shipped)": suggest(found, {}, False),
        "what churn explains, 99.9 %": suggest(found, {}, False, level=0.001),
    }
    rows = []
    for name, floors in rules.items():
        random = np.random.default_rng(7)
        quiet = broken(found, floors, churned(found, random))
        two = broken(found, floors, two_lost(found, random))
        rows.append(
            [
                name,
                str(sum(map(len, floors.values()))),
                f"{two.mean():.1f}",
                f"{100 * (two > 0).mean():.0f}",
                f"{quiet.mean():.1f}",
                f"{100 * (quiet > 0).mean():.0f}",
            ]
        )
    return rows


if __name__ == "__main__":
    heading = [
        "room below the value", "floors", "broken by two lost questions", "% that break any",
        "broken by churn", "% of churn that breaks any",
    ]  # fmt: skip
    for row in [heading, ["---"] * len(heading), *figures()]:
        print(f"| {' | '.join(row)} |")
