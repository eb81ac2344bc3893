"""What a search looks for: measures of the development questions, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rageval.comparison.table import Table
from rageval.errors import InputError
from rageval.measures.catalogue import Cutoffs, catalogue
from rageval.sweep.result import DONE, RESUMED, CellResult

MAXIMIZE, MINIMIZE = "maximize", "minimize"
COSTS = ("window_characters", "p95_ms")  # mean of the window; 95th percentile of the latency
Goals = Mapping[str, str]  # measure or cost → maximize | minimize


def checked(goals: Goals, cutoffs: Cutoffs) -> Goals:
    """Return the objectives if each is known and one of them may rank a leaderboard.

    Raises
    ------
    InputError
        If not.
    """
    known = {measure.name: measure for measure in catalogue(cutoffs)}
    unknown = [name for name in goals if name not in known and name not in COSTS]
    if unknown:
        raise InputError(
            f"hydra.sweeper.objectives: {unknown[0]!r} is no measure; known: "
            f"{', '.join([*known, *COSTS])}"
        )
    if not any(
        way == MAXIMIZE and name in known and not known[name].lower_is_better
        for name, way in goals.items()
    ):
        raise InputError(
            "hydra.sweeper.objectives: one must be a measure to maximize, to rank the leaderboard"
        )
    return goals


def ranking(goals: Goals) -> str:
    """Return the objective that a leaderboard is ranked by: the first measure to maximize.

    Examples
    --------
    >>> ranking({"p95_ms": "minimize", "mrr": "maximize"})
    'mrr'
    """
    return next(name for name, way in goals.items() if way == MAXIMIZE and name not in COSTS)


def values_of(ended: CellResult, goals: Goals) -> list[float] | None:
    """Return what a trial came to, in the order of the objectives; None if one has no value."""
    if ended.state not in {DONE, RESUMED}:
        return None
    costs = {"window_characters": ended.window, "p95_ms": ended.p95}
    found = [costs[n] if n in costs else ended.whole[n].value for n in goals]
    values = [value for value in found if value is not None]
    return values if len(values) == len(goals) else None


def undominated(rows: Sequence[Sequence[float]], ways: Sequence[str]) -> list[int]:
    """Return which rows no other is at least as good as in everything and better in something.

    Examples
    --------
    >>> undominated([[0.8, 10], [0.9, 30], [0.8, 20], [0.9, 30]], ["maximize", "minimize"])
    [0, 1, 3]
    """
    signed = [
        tuple(v if way == MAXIMIZE else -v for v, way in zip(row, ways, strict=True))
        for row in rows
    ]
    return [
        place
        for place, row in enumerate(signed)
        if not any(
            other != row and all(o >= r for o, r in zip(other, row, strict=True))
            for other in signed
        )
    ]


def front(cells: Sequence[CellResult], goals: Goals) -> Table:
    """Return the trials that no other beats in every objective, the best of the first one first."""
    found = [(cell, values) for cell in cells if (values := values_of(cell, goals)) is not None]
    kept = undominated([values for _, values in found], list(goals.values()))
    sign = -1 if next(iter(goals.values())) == MAXIMIZE else 1
    rows = sorted((found[place] for place in kept), key=lambda pair: sign * pair[1][0])
    return Table(
        ["cell", *goals, "run"],
        [[" ".join(cell.overrides), *values, cell.run] for cell, values in rows],
    )
