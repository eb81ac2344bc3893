"""A collection in BEIR's format as a corpus."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rageval.corpus.document import Corpus, Document
from rageval.corpus.groups import group_fault, is_misspelt
from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.files.jsonl import Row, read_rows
from rageval.formats.beir.row import named, opened
from rageval.formats.passage_table import read_passages
from rageval.schema.fields import Name, component
from rageval.schema.names import name_fault, shortened

_PUBLIC: frozenset[str] = frozenset()


@component
class BeirCorpus:
    """The documents of `corpus.jsonl` (or `corpus.jsonl.gz`) in a folder or a zip file.

    The path may be the file itself; a folder may hold `collection.tsv`, as MS MARCO's does, or
    several `docs-*.jsonl`, as MIRACL's. `id`, `docid` and the like will do for `_id`, and
    `contents` for `text`.

    A row has `_id`, `text`, and optionally `title` and `metadata`. The document's text is title,
    line feed, text; or the one of them that is not empty. `groups_key` names the key of `metadata`
    that lists who may see the document; that no row has any is a fault, not a public corpus.
    """

    path: Name
    groups_key: Name | None = None

    def load(self) -> Corpus:
        """Read all rows; the faults of all of them are raised together."""
        faults = ErrorCollector()
        documents: list[Document] = []
        first: dict[str, tuple[Path, int]] = {}  # document id → file and line
        files = _files(opened(self.path), self.path)
        for file in files:
            self._read(file, documents, first, faults)
        file = files[0]
        found = any(document.groups for document in documents)
        if self.groups_key is not None and not found and not faults:
            faults.add(file, 0, f"no row has groups in its metadata {self.groups_key!r}")
        faults.raise_if_any()
        return Corpus(tuple(documents), self.path)

    def _read(
        self,
        file: Path,
        documents: list[Document],
        first: dict[str, tuple[Path, int]],
        faults: ErrorCollector,
    ) -> None:
        """Add the documents of one file; a row at fault is noted instead."""
        for found in _rows(file, faults):
            row = found
            if not self._is_right(row.fields):
                row = row._replace(fields=named(row.fields))
            if not self._is_right(row.fields):
                for sentence in (*_row_faults(row), *self._group_faults(row)):
                    faults.add(file, row.line, sentence)
                continue
            document = self._document(row.fields)
            known = first.setdefault(document.id, (file, row.line))
            if known != (file, row.line):
                where = f"line {known[1]}" if known[0] == file else f"line {known[1]} of {known[0]}"
                faults.add(file, row.line, f"document id {document.id!r} is taken by {where}")
            documents.append(document)

    def _is_right(self, fields: dict[str, Any]) -> bool:
        """Say whether a row has no fault: what nearly every row is, found without its sentences."""
        name, metadata = fields.get("_id"), fields.get("metadata")
        return (
            type(name) is str
            and name != ""
            and name == name.strip()
            and name_fault(name) is None
            and type(fields.get("text")) is str
            and isinstance(fields.get("title"), str | None)
            and isinstance(metadata, dict | None)
            and (self.groups_key is None or not metadata or self._group_fault(metadata) is None)
        )

    def _document(self, fields: dict[str, Any]) -> Document:
        title, text = fields.get("title"), fields["text"]
        whole = f"{title}\n{text}" if title and text else title or text
        metadata = fields.get("metadata")
        groups = metadata.get(self.groups_key) if metadata and self.groups_key else None
        return Document(fields["_id"], whole, frozenset(groups) if groups else _PUBLIC)

    def _group_faults(self, row: Row) -> Iterable[str]:
        metadata = row.fields.get("metadata") or {}
        if self.groups_key is None or not isinstance(metadata, dict):
            return
        fault = self._group_fault(metadata)
        if fault:
            yield f"metadata {self.groups_key!r}: {fault}"

    def _group_fault(self, metadata: dict[str, Any]) -> str | None:
        key = self.groups_key or ""
        slip = next((name for name in metadata if is_misspelt(name, key)), None)
        if slip is not None and key not in metadata:
            return f"it is missing and {slip!r} stands here: no document is public by a slip"
        return group_fault(metadata.get(key, []))


def _files(path: Path, shown: str) -> list[Path]:
    """Return the files that hold the documents.

    Raises
    ------
    InputError
        If a folder holds none.
    """
    if path.is_file():
        return [path]
    for name in ("corpus.jsonl", "corpus.jsonl.gz", "collection.tsv", "collection.tsv.gz"):
        if (path / name).is_file():
            return [path / name.removesuffix(".gz")] if name.endswith("l.gz") else [path / name]
    parts = sorted([*path.glob("docs-*.jsonl"), *path.glob("docs-*.jsonl.gz")])
    if not parts:
        raise InputError(
            f"{shown}: there is no corpus.jsonl, collection.tsv or docs-*.jsonl in it, or as .gz"
        )
    return parts


def _rows(file: Path, faults: ErrorCollector) -> Iterable[Row]:
    table = file.name.removesuffix(".gz").endswith(".tsv")
    return read_passages(file, faults) if table else read_rows(file, faults)


def _row_faults(row: Row) -> Iterable[str]:
    name = row.fields.get("_id")
    if not isinstance(name, str):
        yield _not_text("_id", row)
    elif not name or name != name.strip():
        yield f"_id is {name!r}, it must not be empty or have blanks around it"
    elif name_fault(name):
        yield f"_id {shortened(name)} {name_fault(name)}"
    if not isinstance(row.fields.get("text"), str):
        yield _not_text("text", row)
    if not isinstance(row.fields.get("title", ""), str | None):
        yield _not_text("title", row)
    if not isinstance(row.fields.get("metadata", {}), dict | None):
        yield f"metadata is {row.fields['metadata']!r}, an object is needed"


def _not_text(key: str, row: Row) -> str:
    if key not in row.fields:
        return f"the key {key!r} is missing"
    return f"{key} is {row.fields[key]!r}, text in quotes is needed"
