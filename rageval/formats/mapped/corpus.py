"""Passages in a file of any shape as a corpus, read by names."""

from __future__ import annotations

from pathlib import Path

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.formats.mapped.drafts import one_text
from rageval.formats.mapped.functions import search
from rageval.formats.mapped.records import read_records
from rageval.schema.fields import Name, component


@component
class MappedCorpus:
    """Documents in JSON, JSON Lines, YAML, CSV, Parquet or Excel.

    `rows` is JMESPath over the file; the others are over a row. The text is title, line feed, text.
    A document that stands in several rows with the same text is one.
    """

    path: Name
    text: Name
    rows: Name | None = None  # None = the file is a list, or has a row a line
    id: Name = "id"
    title: Name | None = None

    def load(self) -> Corpus:
        """Read the file; its faults are raised together."""
        path, faults = Path(self.path), ErrorCollector()
        records = read_records(path)
        rows = records.value if self.rows is None else search(self.rows, records.value)
        if not isinstance(rows, list):
            raise InputError(f"{path}: no list of passages is at {self.rows!r}")
        texts: dict[str, str] = {}
        for number, row in enumerate(rows, start=1):
            try:
                name, text = self._document(row)
                if texts.setdefault(name, text) != text:
                    raise InputError(f"the id {name!r} is that of another text, too")
            except InputError as error:
                faults.add(path, records.line_of(row), str(error), f"passage {number}")
        faults.raise_if_any()
        return Corpus(tuple(Document(name, text) for name, text in texts.items()), self.path)

    def _document(self, row: object) -> tuple[str, str]:
        name, text = one_text(search(self.id, row)), one_text(search(self.text, row))
        title = one_text(search(self.title, row)) if self.title else ""
        if not name:
            raise InputError(f"there is no id at {self.id!r}")
        return name, f"{title}\n{text}" if title and text else title or text
