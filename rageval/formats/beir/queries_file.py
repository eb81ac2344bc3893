"""The queries of a BEIR collection, with what their metadata says about asker and answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rageval.files.errors import ErrorCollector
from rageval.files.jsonl import Row, read_rows
from rageval.formats.beir.row import named


@dataclass(frozen=True, slots=True)
class MetadataKeys:
    """The keys of a query's metadata that are read; None reads nothing."""

    unanswerable: str | None  # true: nothing answers the query
    forbidden: str | None  # ids of the documents that its asker may not see
    asker: str | None  # who asks it


@dataclass(frozen=True, slots=True)
class Query:
    """One query, before it meets its judgements."""

    id: str
    text: str
    line: int  # 1, 2, …
    asker: str | None
    unanswerable: bool
    forbidden: tuple[str, ...]


def read_queries(path: Path, keys: MetadataKeys, faults: ErrorCollector) -> dict[str, Query]:
    """Return the queries of a .jsonl file by id, in its order; a row at fault is noted instead."""
    queries: dict[str, Query] = {}
    for found in read_rows(path, faults):
        row = found._replace(fields=named(found.fields))
        wrong = [*_text_faults(row), *_metadata_faults(row, keys)]
        if not wrong and row.fields["_id"] in queries:
            first = queries[row.fields["_id"]].line
            wrong = [f"query id {row.fields['_id']!r} is taken by line {first}"]
        for sentence in wrong:
            faults.add(path, row.line, sentence)
        if not wrong:
            query = _query(row, keys)
            queries[query.id] = query
    return queries


def _query(row: Row, keys: MetadataKeys) -> Query:
    metadata = row.fields.get("metadata") or {}
    return Query(
        id=row.fields["_id"],
        text=row.fields["text"],
        line=row.line,
        asker=metadata.get(keys.asker),
        unanswerable=bool(metadata.get(keys.unanswerable)),
        forbidden=tuple(metadata.get(keys.forbidden) or ()),
    )


def _text_faults(row: Row) -> Iterator[str]:
    for key in ("_id", "text"):
        value = row.fields.get(key)
        if key not in row.fields:
            yield f"the key {key!r} is missing"
        elif not isinstance(value, str):
            yield f"{key} is {value!r}, text in quotes is needed"
        elif not value.strip():
            yield f"{key} is empty or blank"
        elif key == "_id" and value != value.strip():
            yield f"_id is {value!r}, it must not begin or end with blanks"


def _metadata_faults(row: Row, keys: MetadataKeys) -> Iterator[str]:
    metadata = row.fields.get("metadata") or {}
    if not isinstance(metadata, dict):
        yield f"metadata is {metadata!r}, an object is needed"
        return
    asker = metadata.get(keys.asker)
    if asker is not None and not _is_name(asker):
        yield f"metadata {keys.asker!r} is {asker!r}, the name of an asker is needed"
    marker = metadata.get(keys.unanswerable, False)
    if not isinstance(marker, bool):
        yield f"metadata {keys.unanswerable!r} is {marker!r}, true or false is needed"
    forbidden = metadata.get(keys.forbidden) or []
    if not isinstance(forbidden, list) or not all(map(_is_name, forbidden)):
        yield f"metadata {keys.forbidden!r} is {forbidden!r}, a list of document ids is needed"


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value) and value == value.strip()
