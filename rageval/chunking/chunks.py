"""Chunks: the spans of documents that a retriever indexes and a window holds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rageval.chunking.headers import Header, headers_of
from rageval.corpus.document import Corpus, Document

Offsets = tuple[int, int]  # start, end: half-open characters of a document's text


class Chunker(Protocol):
    """Cuts a document into spans."""

    def spans(self, document: Document) -> list[Offsets]:
        """Return the document's spans in reading order; spans may overlap but never repeat."""
        ...


@dataclass(frozen=True)
class Chunks:
    """All chunks of a corpus, by document and then by start; a chunk's position is its number.

    Passages that a retriever brought itself follow in the order in which they came back.

    `corpus[document[i]].text[start[i]:end[i]]` is the text of chunk i, exactly.
    """

    corpus: Corpus
    document: NDArray[np.int32]  # [n] number of the chunk's document
    start: NDArray[np.int64]  # [n] half-open characters
    end: NDArray[np.int64]  # [n]
    headers: tuple[str, ...] = ()  # [n] what a retriever reads before each text; () = nothing
    complete: bool = True  # False: a retriever may hold passages that are not among these

    def __len__(self) -> int:
        return len(self.document)

    def text(self, number: int) -> str:
        """Return the text of one chunk."""
        whole = self.corpus[int(self.document[number])].text
        return whole[int(self.start[number]) : int(self.end[number])]

    def texts(self) -> list[str]:
        """Return the texts of all chunks, in order."""
        return [self.text(number) for number in range(len(self))]

    def indexed(self) -> list[str]:
        """Return what a retriever reads: the texts of all chunks, each below its header."""
        if not self.headers:
            return self.texts()
        pairs = zip(self.headers, self.texts(), strict=True)
        return [f"{header}\n{text}" if header else text for header, text in pairs]

    @cached_property
    def digest(self) -> str:
        """Name the content: the corpus and where it is cut (64 hex digits)."""
        total = hashlib.sha256(self.corpus.digest_as_read.encode())
        for column in (self.document, self.start, self.end):
            total.update(column.tobytes())
        for header in self.headers:
            total.update(f"{len(header)}:{header}".encode("utf-8", "surrogatepass"))
        return total.hexdigest()

    def visible(self, groups: frozenset[str]) -> NDArray[np.bool_]:
        """Return, for each chunk, whether an asker of these groups may see its document: [n]."""
        samples, kind = self._rights
        allowed = np.array([document.visible_to(groups) for document in samples], dtype=bool)
        return allowed[kind]

    @cached_property
    def _rights(self) -> tuple[list[Document], NDArray[np.intp]]:
        """One document of each set of groups that occurs, and which of them each chunk is like."""
        samples: dict[frozenset[str], Document] = {}
        for document in self.corpus:
            samples.setdefault(document.groups, document)
        number = {groups: n for n, groups in enumerate(samples)}
        kind = np.array([number[document.groups] for document in self.corpus], dtype=np.intp)
        return list(samples.values()), kind[self.document]


def cut(corpus: Corpus, chunker: Chunker) -> Chunks:
    """Cut every document; spans of white space are dropped, so an empty document has no chunk.

    A chunker with a `header` gives each chunk one, which moves no span.
    """
    rows = [
        (number, start, end)
        for number, document in enumerate(corpus)
        for start, end in chunker.spans(document)
        if document.text[start:end].strip()
    ]
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    headers = tuple(_headers(corpus, rows, getattr(chunker, "header", "none")))
    complete = bool(getattr(chunker, "complete", True))
    return Chunks(corpus, table[:, 0].astype(np.int32), table[:, 1], table[:, 2], headers, complete)


def _headers(corpus: Corpus, rows: list[tuple[int, int, int]], kind: Header) -> Iterator[str]:
    """Yield the header of each chunk, unless there is none."""
    if kind == "none":
        return
    for number, group in groupby(rows, key=lambda row: row[0]):
        yield from headers_of(corpus[number], [start for _, start, _ in group], kind)
