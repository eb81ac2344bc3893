"""A collection in BEIR's format as a corpus."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rageval.corpus.document import Corpus, Document
from rageval.corpus.groups import group_fault
from rageval.faults import Faults
from rageval.fields import Name, component
from rageval.jsonl import Row, read_rows
from rageval.source import folder


@component
class BeirCorpus:
    """The documents of `corpus.jsonl` (or `corpus.jsonl.gz`) in a folder.

    A row has `_id`, `text`, and optionally `title` and `metadata`. The document's text is title,
    line feed, text; or the one of them that is not empty. `groups_key` names the key of `metadata`
    that lists who may see the document; that no row has any is a fault, not a public corpus.
    """

    path: Name
    groups_key: Name | None = None

    def load(self) -> Corpus:
        """Read all rows; the faults of all of them are raised together."""
        file = folder(self.path) / "corpus.jsonl"
        faults = Faults()
        rows: list[tuple[int, Document]] = []
        for row in read_rows(file, faults):
            sentences = list(_row_faults(row)) + list(self._group_faults(row))
            for sentence in sentences:
                faults.add(file, row.line, sentence)
            if not sentences:
                rows.append((row.line, self._document(row)))
        _note_duplicates(file, rows, faults)
        found = any(document.groups for _, document in rows)
        if self.groups_key is not None and not found and not faults:
            faults.add(file, 0, f"no row has groups in its metadata {self.groups_key!r}")
        faults.settle()
        return Corpus(tuple(document for _, document in rows), self.path)

    def _document(self, row: Row) -> Document:
        title, text = row.fields.get("title") or "", row.fields["text"]
        whole = f"{title}\n{text}" if title and text else title or text
        return Document(row.fields["_id"], whole, frozenset(self._groups(row)))

    def _groups(self, row: Row) -> list[str]:
        metadata = row.fields.get("metadata") or {}
        groups: list[str] = metadata.get(self.groups_key) or []
        return groups

    def _group_faults(self, row: Row) -> Iterable[str]:
        metadata = row.fields.get("metadata") or {}
        if self.groups_key is None or not isinstance(metadata, dict):
            return
        fault = group_fault(metadata.get(self.groups_key, []))
        if fault:
            yield f"metadata {self.groups_key!r}: {fault}"


def _row_faults(row: Row) -> Iterable[str]:
    name = row.fields.get("_id")
    if not isinstance(name, str):
        yield _not_text("_id", row) + (f', write "{name}"' if isinstance(name, int) else "")
    elif not name or name != name.strip():
        yield f"_id is {name!r}, it must not be empty or have blanks around it"
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


def _note_duplicates(file: Path, rows: list[tuple[int, Document]], faults: Faults) -> None:
    first: dict[str, int] = {}
    for line, document in rows:
        if document.id in first:
            known = first[document.id]
            faults.add(file, line, f"document id {document.id!r} is taken by line {known}")
        first.setdefault(document.id, line)
