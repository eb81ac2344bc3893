"""What the cells of a sweep came to, as its parent run keeps it: the next sweep reads one file.

Values are those of one objective; for another one the cells' own runs are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from rageval.evaluation.subsets import Summary
from rageval.sweep.result import DONE, RESUMED, CellResult
from rageval.tracking.sweeps import Parent

CELLS = "cells.json"
_SAME = (
    "run", "name", "benchmark", "variant", "objective", "p95", "window", "fault", "code", "stages",
)  # fmt: skip
Key = tuple[str, str, str]  # benchmark, variant, objective


def written(cells: Iterable[CellResult]) -> bytes:
    """Return the finished cells as they are kept."""
    rows = [
        {
            **{name: getattr(cell, name) for name in _SAME},
            "whole": {name: [found.n, found.value] for name, found in cell.whole.items()},
            "subsets": dict(cell.subsets),
            "table": {subset: dict(row) for subset, row in cell.table.items()},
            "values": np.asarray(cell.values).tolist(),
            "groups": list(cell.groups),
        }
        for cell in cells
        if cell.state in {DONE, RESUMED} and cell.run
    ]
    return json.dumps(rows, ensure_ascii=False, allow_nan=False).encode()


def read(content: bytes) -> Iterator[tuple[Key, CellResult]]:
    """Yield the cells that were kept; of a file that cannot be read there are none."""
    try:
        rows = json.loads(content)
        found = [_cell(row) for row in rows]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
    for cell in found:
        yield (cell.benchmark, cell.variant, cell.objective), cell


def _cell(row: dict[str, Any]) -> CellResult:
    bare = CellResult(0, (), RESUMED, values=np.array(row["values"], dtype=np.float64))
    return replace(
        bare,
        recorded=row["p95"] is not None,
        **{name: row[name] for name in _SAME[:-1]},
        whole={name: Summary.of(*reversed(pair)) for name, pair in row["whole"].items()},
        subsets=row["subsets"],
        table={
            subset: {name: tuple(pair) for name, pair in found.items()}
            for subset, found in row.get("table", {}).items()  # older files have none
        },
        stages=tuple(row["stages"]),
        groups=tuple(row.get("groups", ())),  # older files have none
    )


class Earlier:
    """The cells of earlier sweeps; a file is read when what was looked for is in none before it."""

    def __init__(self, parent: Parent | None) -> None:
        self._files = parent.earlier(CELLS) if parent is not None else iter(())
        self._known: dict[Key, CellResult] = {}

    def find(self, key: Key) -> CellResult | None:
        """Return a cell by what names it, the newest of several."""
        while key not in self._known:
            content = next(self._files, None)
            if content is None:
                return None
            self._known = dict(read(content)) | self._known
        return self._known[key]
