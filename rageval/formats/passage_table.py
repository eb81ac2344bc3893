"""Collections of passages as tables: MS MARCO's `collection.tsv` and the like."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rageval.files.errors import ErrorCollector
from rageval.files.jsonl import Row
from rageval.files.text import read_text

_COLUMNS = {
    2: ("_id", "text"),
    3: ("_id", "title", "text"),
    4: ("_id", "url", "title", "text"),
}
_HEADS = frozenset({"id", "_id", "pid", "docid"})


def read_passages(path: Path, faults: ErrorCollector) -> Iterator[Row]:
    """Yield the rows of a table with tabs between its cells; a first row may name its columns.

    Without names two columns are id and text, three id, title and text, four id, address, title
    and text.
    """
    names: tuple[str, ...] | None = None
    for line, text in enumerate(read_text(path).split("\n"), start=1):
        cells = tuple(text.rstrip("\r").split("\t"))
        if cells == ("",):
            continue
        if names is None:
            head = tuple(cell.strip().lower() for cell in cells)
            names = head if head[0] in _HEADS else _COLUMNS.get(len(cells))
            if names is None:
                faults.add(path, line, f"{len(cells)} cells, an id, a tab and a text are needed")
                return
            if names is head:
                continue
        if len(cells) != len(names):
            faults.add(path, line, f"{len(cells)} cells, the first row has {len(names)}")
        else:
            yield Row(line, dict(zip(names, cells, strict=True)))
