"""A golden set of any shape, read by a mapping of names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.formats.foreign import golden_of
from rageval.formats.mapped.drafts import RowReader, has_label, joined, name_of_text
from rageval.formats.mapped.functions import search
from rageval.formats.mapped.mapping import GoldenMapping
from rageval.formats.mapped.proposal import propose
from rageval.formats.mapped.records import Records, read_records
from rageval.formats.named import DocumentNames
from rageval.formats.passages import Passages
from rageval.golden.question import GoldenSet
from rageval.schema.fields import Name, component

_LISTED = 8  # keys in a message


@dataclass(frozen=True)
class _Row:
    line: int  # 0 = not known
    number: int  # 1, 2, …
    fields: Mapping[str, Any]


@component
class MappedGolden:
    """Questions in a file of any shape; `mapping` says where it has what.

    JSON, JSON Lines, YAML, CSV, Parquet and Excel are read. Documents are named by id, by path with
    or without suffix, from whatever root, or by address; evidence also by heading, text, characters
    or page. A text may stand where a list is meant, and numbers are read as the text they are. A
    question without an id is named after its text. Without a mapping nothing is read: one is
    proposed.
    """

    path: Name
    mapping: GoldenMapping = GoldenMapping()
    name: Name | None = None

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read the file; its faults are raised together."""
        path = Path(self.path)
        records = read_records(path, self.mapping.sheet)
        if self.mapping.question is None:
            raise propose(records, path, corpus)
        rows = list(self._rows(records, path))
        faults, passages = ErrorCollector(), Passages(corpus)
        reader = RowReader(self.mapping, DocumentNames(corpus), passages)
        drafts: dict[str, tuple[_Row, dict[str, Any]]] = {}
        for row in rows:
            try:
                draft = self._draft(reader, row, drafts)
                drafts[draft["id"]] = (drafts.get(draft["id"], (row,))[0], draft)
            except InputError as error:
                faults.add(path, row.line, str(error), f"row {row.number}")
        bare = {name for name, (_, draft) in drafts.items() if not has_label(draft)}
        self._require_labels(path, rows, len(bare) == len(drafts), faults)
        left_out = bare if self.mapping.unlabelled == "leave_out" else set()
        kept = [pair for name, pair in drafts.items() if name not in left_out]
        pairs = [(row.line, self._finished(draft)) for row, draft in kept]
        golden = golden_of(self.name, path, pairs, faults)
        told = (*self._of_labels(len(bare), len(drafts), reader), *self._unread(rows))
        return replace(golden, notes=(*golden.notes, *passages.notes, *told))

    def _rows(self, records: Records, path: Path) -> Iterator[_Row]:
        value = records.value
        if self.mapping.rows is not None:
            value = search(self.mapping.rows, value)
        if not isinstance(value, list):
            keys = f"; its keys are: {', '.join(value)}" if isinstance(value, dict) else ""
            raise InputError(
                f"{path}: no list of rows is there; say where it is: dataset.mapping.rows=…{keys}"
            )
        for number, fields in enumerate(value, start=1):
            line = records.line_of(fields)
            if not isinstance(fields, dict):
                raise InputError(f"{path}: row {number} is {str(fields)[:60]!r}, keys are needed")
            yield _Row(line, number, fields)

    def _draft(
        self, reader: RowReader, row: _Row, taken: Mapping[str, tuple[_Row, dict[str, Any]]]
    ) -> dict[str, Any]:
        """Return a row as a question whose id is its own, or as one with the rows before it."""
        draft = reader.draft(row.fields)
        if not draft["question"] and not (draft["id"] in taken and self.mapping.repeated == "join"):
            keys = ", ".join(list(row.fields)[:_LISTED])
            raise InputError(
                f"there is no question at {self.mapping.question!r}; its keys are: {keys}"
            )
        named = bool(draft["id"])
        draft["id"] = draft["id"] or name_of_text(draft["question"])
        if draft["id"] not in taken:
            return draft
        first, before = taken[draft["id"]]
        if self.mapping.repeated == "join":
            return joined(before, draft)
        if named:
            where = f"line {first.line}" if first.line else f"row {first.number}"
            raise InputError(
                f"the id {draft['id']!r} is taken by {where}; if rows of one id are one question: "
                "dataset.mapping.repeated=join"
            )
        times = sum(1 for name in taken if name.partition(".")[0] == draft["id"])
        return {**draft, "id": f"{draft['id']}.{times + 1}"}

    def _finished(self, draft: dict[str, Any]) -> dict[str, Any]:
        if has_label(draft) or self.mapping.unlabelled != "unanswerable":
            return draft
        return {**draft, "answerable": False, "grades": {}}

    def _require_labels(
        self, path: Path, rows: list[_Row], bare: bool, faults: ErrorCollector
    ) -> None:
        """Raise if no row says what should be found: such a file cannot be scored.

        Raises
        ------
        InputError
            If there is no row at all, or none with a label.
        """
        if not rows:
            raise InputError(f"{path}: no row is there")
        if not faults and bare:
            keys = ", ".join(list(rows[0].fields)[:_LISTED])
            raise InputError(
                f"{path}: no row names a document, a heading or a text that should be found, so "
                f"retrieval cannot be judged by it; its keys are: {keys}"
            )

    def _of_labels(self, bare: int, count: int, reader: RowReader) -> Iterator[str]:
        if reader.fractions:
            least = self.mapping.grades.threshold
            yield f"{reader.fractions} grades are fractions; a document is relevant from {least:g}"
        if bare and self.mapping.unlabelled == "leave_out":
            yield f"left out, as no label is given: {bare} of {count} questions"
        if bare and self.mapping.unlabelled == "unanswerable":
            yield f"read as unanswerable, as no label is given: {bare} of {count} questions"

    def _unread(self, rows: list[_Row]) -> Iterator[str]:
        wanted = " ".join(self.mapping.expressions())
        words = set(re.findall(r"\w+", wanted))
        keys = (str(key) for row in rows for key in row.fields)
        unread = Counter(
            k for k in keys if k not in words and (k.isidentifier() or k not in wanted)
        )
        if unread:
            told = ", ".join(f"{key} ({count})" for key, count in unread.most_common())
            yield f"keys that are not read, with the number of rows: {told}"
