"""Regular TREC files read column by column; what is irregular is left to the reader of lines.

A file whose fields are separated by one blank (or one tab) each, without comments, is read by
pyarrow, which comes with mlflow. It names no faults: at the first thing that is out of the ordinary
nothing is returned, and the reader of lines, which is slower and names every line, has its turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

SMALL = 1_000_000  # bytes below which importing pyarrow takes longer than reading
_MOST = 2**31 - 1  # bytes that a column may hold
BLOCK = 16 * 2**20  # bytes that are read at once


class Kind(Enum):
    """What a column is."""

    ID = "id"
    NUMBER = "number"
    UNREAD = "unread"


@dataclass(frozen=True)
class Ids:
    """A column of ids: numbers in the order in which the ids are first met."""

    number: NDArray[np.int32]  # [rows]
    names: tuple[bytes, ...]


@dataclass(frozen=True)
class Columns:
    """The columns of a file."""

    ids: Mapping[str, Ids]
    numbers: Mapping[str, NDArray[np.float64]]  # NaN does not occur


def read_columns(content: bytes, kinds: Mapping[str, Kind]) -> Columns | None:
    """Return some columns of a file, None if it is small or in any way irregular.

    Parameters
    ----------
    content
        The whole file.
    kinds
        What each of its columns is, in order.
    """
    delimiter = _delimiter(content)
    if not SMALL <= len(content) <= _MOST or not delimiter:
        return None
    table = _table(content, delimiter, kinds)
    if table is None:
        return None
    numbers = {name: table[name].to_numpy() for name, kind in kinds.items() if kind is Kind.NUMBER}
    if any(np.isnan(column).any() for column in numbers.values()):
        return None
    ids = {name: _ids(table[name]) for name, kind in kinds.items() if kind is Kind.ID}
    if not all(name for one in ids.values() for name in one.names):
        return None
    return Columns(ids, numbers)


def _delimiter(content: bytes) -> str:
    """Return what separates the fields; empty where it is not the same one everywhere."""
    blank = b"\t" not in content and b"  " not in content and b" \n" not in content
    if blank and b"\n " not in content and content[:1] != b" ":
        found = " "
    elif b" " not in content and b"\t\t" not in content and b"\t\n" not in content:
        found = "\t"
    else:
        return ""
    others = (b"\r", b"\v", b"\f", b"\n#", b"\n\n", b"\x00")
    return "" if content[:1] in b"#\n\t" or any(one in content for one in others) else found


def _table(content: bytes, delimiter: str, kinds: Mapping[str, Kind]) -> Any | None:  # noqa: ANN401  a pyarrow table
    import pyarrow as pa
    from pyarrow import csv

    types = {Kind.ID: pa.dictionary(pa.int32(), pa.binary()), Kind.NUMBER: pa.float64()}
    wanted = {name: types[kind] for name, kind in kinds.items() if kind is not Kind.UNREAD}
    try:
        return csv.read_csv(
            pa.BufferReader(pa.py_buffer(content)),
            read_options=csv.ReadOptions(column_names=list(kinds), block_size=BLOCK),
            parse_options=csv.ParseOptions(
                delimiter=delimiter, quote_char=False, double_quote=False, ignore_empty_lines=False
            ),
            convert_options=csv.ConvertOptions(
                column_types=wanted,
                include_columns=list(wanted),
                null_values=[],
                strings_can_be_null=False,
                check_utf8=False,
            ),
        )
    except pa.ArrowException:
        return None


def _ids(column: Any) -> Ids:  # noqa: ANN401  a pyarrow chunked array
    """Return a column's ids by number; the parts of a file know different ones."""
    whole = column.unify_dictionaries()
    number = np.concatenate([chunk.indices.to_numpy() for chunk in whole.chunks])
    return Ids(number.astype(np.int32, copy=False), tuple(whole.chunk(0).dictionary.to_pylist()))
