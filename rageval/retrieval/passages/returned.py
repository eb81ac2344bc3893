"""The passages that a retriever returned beyond those it was given."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace

import numpy as np

from rageval.chunking.chunks import Chunks
from rageval.corpus.document import Document
from rageval.retrieval.passages.hit import Hit
from rageval.retrieval.passages.locating import Located, Locator
from rageval.schema.names import name_fault

_DIGITS = 10  # hexadecimal, of what stands for a passage that is not in the corpus


class ReturnedPassages:
    """Numbers for whatever a retriever returns.

    A hit that names one of the given chunks has the number of that chunk. Everything else gets a
    number after those, in the order in which it first came back. What cannot be located has a
    number too: it counts as retrieved, and no label is about it. Where its document is known it is
    a passage of no characters in that document; otherwise it is a document of its own.
    """

    def __init__(self, given: Chunks) -> None:
        self._given = given
        self._locator = Locator(given)
        rows = zip(given.document.tolist(), given.start.tolist(), given.end.tolist(), strict=True)
        self._number: dict[object, int] = {row: number for number, row in enumerate(rows)}
        self._rows: list[tuple[int, int, int]] = []  # document, start, end of those not given
        self._foreign: dict[str, Document] = {}  # documents that the corpus does not have
        self._chunks = given
        self.unlocated: dict[int, str] = {}  # number → the hit and why it has no place
        self.several: Counter[int] = Counter()  # number → other places that hold the same text

    @property
    def chunks(self) -> Chunks:
        """Return the given chunks, and after them what else came back so far."""
        if len(self._rows) > len(self._chunks) - len(self._given):
            self._chunks = self._extended()
        return self._chunks

    def number(self, hit: Hit) -> int:
        """Return the number of the passage that a hit names."""
        located = self._locator.locate(hit)
        if located.place is None:
            return self._unlocated(hit, located)
        number = self._numbered(tuple(located.place), tuple(located.place))
        if located.others:
            self.several[number] = located.others
        return number

    def _unlocated(self, hit: Hit, located: Located) -> int:
        key = (hit.id, hit.document, hit.span, hit.heading, hit.text)
        document = located.document
        if key in self._number:
            return self._number[key]
        if document is None:
            document = len(self._given.corpus) + len(self._foreign)
            name = self._name(hit)
            self._foreign[name] = Document(name, hit.text)
        known = document < len(self._given.corpus)
        number = self._numbered(key, (document, 0, 0 if known else len(hit.text)))
        if located.reason:
            self.unlocated[number] = f"{hit}, {located.reason}"
        return number

    def _numbered(self, key: object, row: tuple[int, ...]) -> int:
        if key not in self._number:
            self._number[key] = len(self._given) + len(self._rows)
            self._rows.append((row[0], row[1], row[2]))
        return self._number[key]

    def _name(self, hit: Hit) -> str:
        """Return an id for what is in no document: its own where it can be one."""
        name = hit.document or hit.id
        fit = bool(name) and name_fault(name) is None and name.strip() == name
        if fit and name not in self._foreign:
            return name
        digest = hashlib.sha256(repr(hit).encode("utf-8", "surrogatepass")).hexdigest()
        return f"not-in-the-corpus-{digest[:_DIGITS]}"

    def _extended(self) -> Chunks:
        given, rows = self._given, np.array(self._rows, dtype=np.int64).reshape(-1, 3)
        corpus = given.corpus
        if self._foreign:
            corpus = replace(corpus, documents=(*corpus.documents, *self._foreign.values()))
        return Chunks(
            corpus,
            np.concatenate([given.document, rows[:, 0].astype(np.int32)]),
            np.concatenate([given.start, rows[:, 1]]),
            np.concatenate([given.end, rows[:, 2]]),
            complete=False,
        )
