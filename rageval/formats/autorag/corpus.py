"""The passages of an AutoRAG corpus, as Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.files.limits import MB, limits, require_regular
from rageval.files.text import folder
from rageval.schema.fields import Name, component
from rageval.schema.names import name_fault, shortened


def read_columns(path: Path, needed: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file, with the columns that are needed.

    Raises
    ------
    InputError
        If the file cannot be read or lacks a column.
    """
    import pyarrow.parquet as pq  # a tenth of a second, for this format alone
    from pyarrow.lib import ArrowException

    try:
        require_regular(path)
        with path.open("rb") as file:
            _require_size(pq.read_metadata(file), path)
            known = pq.read_schema(file).names
            missing = [name for name in needed if name not in known]
            if missing:
                told = f"there is no column {missing[0]!r}; there are: {', '.join(known)}"
                raise InputError(f"{path}: {told}")
            rows: list[dict[str, Any]] = pq.read_table(file, columns=list(needed)).to_pylist()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except (OSError, ArrowException, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as Parquet: {error}") from error
    return rows


def _require_size(found: Any, path: Path) -> None:  # noqa: ANN401  pyarrow's metadata
    """Make sure that a table is not larger, unpacked, than the limits allow."""
    size = sum(found.row_group(group).total_byte_size for group in range(found.num_row_groups))
    if size > limits().unpacked_mb * MB:
        raise InputError(
            f"{path}: unpacks to {size / MB:,.0f} MB; up to {limits().unpacked_mb:,} are read "
            "(limits.unpacked_mb)"
        )


@component
class AutoragCorpus:
    """`corpus.parquet` in a folder: every row is a document, `doc_id` with `contents`."""

    path: Name

    def load(self) -> Corpus:
        """Read all rows; the faults of all of them are raised together."""
        path, faults = folder(self.path) / "corpus.parquet", ErrorCollector()
        rows = read_columns(path, ("doc_id", "contents"))
        for number, row in enumerate(rows, start=1):
            for key in ("doc_id", "contents"):
                if not isinstance(row[key], str):
                    faults.add(path, number, f"{key} is {row[key]!r}, text is needed")
            if isinstance(row["doc_id"], str) and name_fault(row["doc_id"]):
                told = f"doc_id {shortened(row['doc_id'])} {name_fault(row['doc_id'])}"
                faults.add(path, number, told)
        faults.raise_if_any()
        documents = (Document(row["doc_id"], row["contents"]) for row in rows)
        return Corpus(tuple(documents), self.path)
