"""Pictures of an evaluation, for the run's page in MLflow."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np

from rageval.evaluation.evaluation import Evaluation

_INK, _SOFT = "#2f6f9f", "#b8c4ce"
_BARS = 20  # ranks with a bar of their own


def subsets(evaluation: Evaluation, measure: str, heading: str) -> bytes:
    """Return a PNG, empty if nothing counts: a measure by subset, with 95 % interval and n."""
    from matplotlib.figure import Figure

    rows = [
        (f"{name}  (n {row[measure].n})", row[measure])
        for name, row in evaluation.subsets.items()
        if row[measure].value is not None
    ]
    if not rows:
        return b""
    figure = Figure(figsize=(8, 0.8 + 0.26 * len(rows)), layout="constrained")
    axes = figure.subplots()
    places = range(len(rows))
    table = np.array([(found.low, found.value, found.high) for _, found in rows], np.float64)
    axes.hlines(places, table[:, 0], table[:, 2], color=_INK, linewidth=2)
    axes.plot(table[:, 1], places, "o", color=_INK, markersize=5, clip_on=False)
    axes.set_yticks(places, [name for name, _ in rows])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel(f"{heading}, 95 % interval")
    axes.axvline(rows[0][1].value or 0, color=_SOFT, linewidth=1, zorder=0)
    axes.spines[["top", "right"]].set_visible(False)
    return _png(figure)


def target_ranks(evaluation: Evaluation) -> bytes:
    """Return a PNG: at which rank each answerable question's best target stands."""
    from matplotlib.figure import Figure

    answerable = evaluation.values["recall"].counts
    ranks = evaluation.ranks.target[answerable]
    deepest = min(evaluation.benchmark.cutoffs.deepest, _BARS)
    labels = [*map(str, range(1, deepest + 1)), f"> {deepest}", "absent"]
    heights = [int((ranks == rank).sum()) for rank in range(1, deepest + 1)]
    heights += [int((ranks > deepest).sum()), int((ranks == 0).sum())]
    figure = Figure(figsize=(8, 3), layout="constrained")
    axes = figure.subplots()
    axes.bar(np.arange(len(labels)), heights, color=_INK)
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlabel("rank of the best target among distinct documents")
    axes.set_ylabel("questions")
    axes.spines[["top", "right"]].set_visible(False)
    return _png(figure)


def timeline(values: Sequence[tuple[str, float]], heading: str) -> bytes:
    """Return a PNG: a value run by run, the oldest first, each (the run's name, −1..1)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3), layout="constrained")
    axes = figure.subplots()
    places = range(len(values))
    axes.axhline(0, color=_SOFT, linewidth=1, zorder=0)
    axes.plot(places, [value for _, value in values], "o-", color=_INK, markersize=5)
    axes.set_xticks(places, [name for name, _ in values], rotation=20, ha="right", fontsize=8)
    axes.set_ylabel(heading)
    axes.spines[["top", "right"]].set_visible(False)
    return _png(figure)


def _png(figure: object) -> bytes:
    target = io.BytesIO()
    figure.savefig(target, format="png", dpi=110)  # type: ignore[attr-defined]
    return target.getvalue()
