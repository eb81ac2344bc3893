"""A table as runs keep it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rageval.comparison.result import SCHEMA, SCHEMA_COLUMN

Cell = Any  # None, bool, int, float, str, or a list or a mapping of these


@dataclass(frozen=True)
class Table:
    """Columns and rows, as MLflow's table view reads them."""

    columns: Sequence[str]
    data: Sequence[Sequence[Cell]]

    def as_json(self) -> dict[str, Any]:
        """Return the form that is written to a file.

        The number of its form stands in a column, since MLflow's reader allows no other key.
        """
        rows = [[*row, SCHEMA] for row in self.data]
        return {"columns": [*self.columns, SCHEMA_COLUMN], "data": rows}
