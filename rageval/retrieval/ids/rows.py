"""Rows that say what an id stands for, whatever they were read from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from rageval.errors import InputError
from rageval.retrieval.passages.hit import Hit, hit_of

COLUMNS = ("document", "start", "end", "heading", "text")
_SEPARATOR = " > "  # between the headings of a path


def table_of(rows: Iterable[tuple[str, Mapping[str, Any]]], where: str) -> dict[str, Hit]:
    """Return what each id stands for.

    Parameters
    ----------
    rows
        Where a row stands, for messages, and its columns: `id`, and some of `COLUMNS`. Other
        columns are ignored, and so are empty cells.
    where
        What the rows are read from, for messages.

    Raises
    ------
    InputError
        If a row has no id, or says nothing that can be looked up, or an id occurs twice.
    """
    table: dict[str, Hit] = {}
    faults: list[str] = []
    for place, row in rows:
        name = row.get("id")
        cells = {key: _cell(key, row[key]) for key in COLUMNS if row.get(key) not in (None, "")}
        hit = hit_of(cells) if cells else "it says neither document nor text"
        if name in (None, ""):
            faults.append(f"{place}: it has no id")
        elif isinstance(hit, str):
            faults.append(f"{place}: the id {str(name)!r} {hit.removeprefix('returned ')}")
        elif str(name) in table:
            faults.append(f"{place}: the id {str(name)!r} occurs twice")
        else:
            table[str(name)] = hit
    if faults:
        raise InputError.of(faults[:20])
    if not table:
        raise InputError(f"{where}: it holds no ids")
    return table


def translated(hit: Hit, table: Mapping[str, Hit]) -> Hit:
    """Return a hit with what a table has for its id; one that it lacks stays as it is."""
    known = table.get(hit.id)
    return hit if known is None else replace(known, id=hit.id, score=hit.score)


def _cell(key: str, value: object) -> object:
    """Return a cell in the type that a hit needs; files and databases have texts and numbers."""
    if key in {"start", "end"}:
        text = str(value).removesuffix(".0")
        return int(text) if text.isdigit() else value
    if key == "heading" and isinstance(value, str):
        return value.split(_SEPARATOR)
    return value if isinstance(value, list) else str(value)
