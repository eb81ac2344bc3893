"""A question log as JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rageval.files.errors import ErrorCollector
from rageval.files.jsonl import read_rows
from rageval.schema.fields import Name, component


@component
class JsonlLog:
    """A .jsonl file, or its .gz sibling, an object a line; a line may lack what is not known."""

    path: Name

    @property
    def place(self) -> str:
        """Return the path."""
        return self.path

    def rows(self, faults: ErrorCollector) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield each object with its line."""
        for row in read_rows(Path(self.path), faults):
            yield row.line, row.fields
