"""A question log as a Parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.files.limits import require_regular
from rageval.schema.fields import Name, component

_BATCH = 10_000  # rows that are in memory at a time


@component
class ParquetLog:
    """A .parquet file."""

    path: Name

    @property
    def place(self) -> str:
        """Return the path."""
        return self.path

    def rows(self, faults: ErrorCollector) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield each row with its number."""
        import pyarrow.parquet as pq  # a tenth of a second, for this format alone
        from pyarrow.lib import ArrowException

        number = 0
        try:
            require_regular(Path(self.path))
            with Path(self.path).open("rb") as file:
                for batch in pq.ParquetFile(file).iter_batches(_BATCH):
                    for row in batch.to_pylist():
                        number += 1
                        yield number, row
        except FileNotFoundError:
            raise InputError(f"{self.path}: there is no such file") from None
        except (OSError, ArrowException, UnicodeDecodeError) as error:
            raise InputError(f"{self.path}: cannot be read as Parquet: {error}") from error
