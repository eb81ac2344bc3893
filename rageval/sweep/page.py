"""A sweep's page: the leaderboard with every column in reach, plots, and what to try next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rageval.comparison.table import Table
from rageval.report import html
from rageval.sweep.leaderboard import Leaderboard, main_effects
from rageval.sweep.result import CellResult
from rageval.sweep.session import assignments, in_words, swept
from rageval.sweep.tables import luck

_FLAT = 0.005  # of the objective: a key whose values differ by less hardly matters


def sweep_page(title: str, board: Leaderboard, tables: Mapping[str, Table]) -> dict[str, bytes]:
    """Return the page of a sweep as files; see `rageval.report.html.page`.

    Parameters
    ----------
    title
        What was swept, in a line.
    board
        The finished cells, the best first.
    tables
        The tables of the parent run by name, such as `failures.json`.
    """
    keys = list(swept(cell.overrides for cell in board.cells))
    measures = list(dict.fromkeys(name for cell in board.cells for name in cell.whole))
    subsets = list(dict.fromkeys(name for cell in board.cells for name in cell.table))
    shown = {
        "sentences": [*luck(board), *next_steps(board)],
        "objective": board.objective,
        "failures": tables["failures.json"],
        "effects": tables["main_effects.json"],
        "winners": _winners(board),
    }
    head = {
        "objective": board.objective,
        "keys": keys,
        "measures": measures,
        "subsets": subsets,
        "values": {key: values for key, values in swept(c.overrides for c in board.cells).items()},
    }
    rows = [_row(place, cell, board, keys) for place, cell in enumerate(board.cells, start=1)]
    return html.page("sweep", title, shown, head, rows)


def _row(place: int, cell: CellResult, board: Leaderboard, keys: Sequence[str]) -> dict[str, Any]:
    chosen, found = assignments(cell.overrides), cell.whole[board.objective]
    return {
        "place": place,
        "id": cell.run or str(cell.number),
        "name": cell.name,
        "chosen": [chosen.get(key, "") for key in keys],
        "overrides": in_words(cell.overrides),
        "whole": {name: summary.value for name, summary in cell.whole.items()},
        "table": {
            subset: {name: [n, _rounded(value)] for name, (n, value) in row.items()}
            for subset, row in cell.table.items()
        },
        "low": found.low,
        "high": found.high,
        "alike": cell.number in board.alike,
        "p95": cell.p95,
        "recorded": cell.recorded,
        "window": cell.window,
        "verdict": cell.verdict,
    }


def _winners(board: Leaderboard) -> Table:
    """Return, for each subset, its n, the best cell and how many others do as well."""
    rows: list[list[Any]] = []
    for subset in dict.fromkeys(name for cell in board.cells for name in cell.subsets):
        found = [(cell.subsets.get(subset), cell) for cell in board.cells]
        known = [(value, cell) for value, cell in found if value is not None]
        if not known:
            continue
        best, cell = max(known, key=lambda pair: pair[0])
        n = cell.table.get(subset, {}).get(board.objective, (None, None))[0]
        same = sum(value == best for value, _ in known) - 1
        rows.append([subset, n, best, cell.name, in_words(cell.overrides), same])
    return Table(["subset", "n", board.objective, "retrieval", "cell", "others as good"], rows)


def next_steps(board: Leaderboard) -> Iterator[str]:
    """Yield what to try next, as sentences: ranges to widen, keys to leave, more questions."""
    if board.best is None or len(board.cells) < 2:
        return
    chosen = assignments(board.best.overrides)
    effects = main_effects(board)
    for key, values in swept(cell.overrides for cell in board.cells).items():
        means = {value: mean for name, value, _, mean in effects if name == key}
        if max(means.values()) - min(means.values()) < _FLAT:
            yield f"try next: leave {key} as it is, its values differ by less than {_FLAT}"
            continue
        beyond = _beyond(values, chosen.get(key, ""))
        if beyond:
            yield f"try next: {key}={beyond}, for the best value stands at the end of its range"
    if len(board.alike) > 1:
        yield (
            f"try next: more questions; with {len(board.best.values)} the best "
            f"{len(board.alike)} cells cannot be told apart"
        )


def _beyond(values: Sequence[str], best: str) -> str:
    """Return values further on where the best number is the first or the last of its range.

    Examples
    --------
    >>> _beyond(["3", "6"], "6"), _beyond(["3", "6", "9"], "6"), _beyond(["a", "b"], "a")
    ('9,12', '', '')
    """
    try:
        numbers = sorted(float(value) for value in values)
        at = float(best)
    except ValueError:
        return ""
    if len(numbers) < 2 or at not in (numbers[0], numbers[-1]):
        return ""
    step = numbers[-1] - numbers[-2] if at == numbers[-1] else numbers[0] - numbers[1]
    further = [at + step, at + 2 * step]
    return ",".join(f"{value:g}" for value in further if value > 0)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
