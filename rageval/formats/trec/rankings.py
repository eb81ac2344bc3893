"""A TREC run in the place of a retriever, asked by the ids of its queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from rageval.chunking.chunks import Chunks
from rageval.errors import InputError
from rageval.formats.trec.run import TrecRun, read_run
from rageval.retrieval.retrievers.retriever import Candidates, Query, Scores
from rageval.schema.fields import Name, component


@dataclass(frozen=True)
class RankingIndex:
    """A run over the chunks of its documents, one chunk a document."""

    run: TrecRun
    chunks: Chunks

    @property
    def direct(self) -> RankingIndex:
        """Return the index itself: it keeps nothing."""
        return self

    def scores(self, queries: Sequence[Query]) -> Scores:
        """Refuse: a run scores what it returned and nothing else.

        Raises
        ------
        InputError
            Always.
        """
        raise InputError("a run file cannot be combined with other retrievers")

    def search(self, queries: Sequence[Query], depth: int) -> Candidates:
        """Return the first documents of each query's ranking, in trec_eval's order."""
        rows = [self._row(query.text, depth) for query in queries]
        width = max((last - first for first, last in rows), default=0)
        chunk = np.full((len(rows), width), -1, dtype=np.int32)
        score = np.zeros((len(rows), width))
        for n, (first, last) in enumerate(rows):
            chunk[n, : last - first] = self._chunk[self.run.document[first:last]]
            score[n, : last - first] = self.run.score[first:last]
        return Candidates(chunk, score, score)

    def _row(self, query: str, depth: int) -> tuple[int, int]:
        """Return where the ranking of a query stands in the run; empty if it has none."""
        number = self._number.get(query)
        if number is None:
            return 0, 0
        first, last = np.searchsorted(self.run.query, [number, number + 1]).tolist()
        return first, min(last, first + depth)

    @cached_property
    def _number(self) -> dict[str, int]:
        return {name: n for n, name in enumerate(self.run.queries)}

    @cached_property
    def _chunk(self) -> np.ndarray:
        """The chunk of each document of the run."""
        position = {int(document): n for n, document in enumerate(self.chunks.document)}
        number = self.chunks.corpus.number
        return np.array([position[number[name]] for name in self.run.documents], dtype=np.int32)


@component
class Rankings:
    """Answers each query with the ranking that a run has for its id; without one, with nothing."""

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ()

    run: Name

    def index(self, chunks: Chunks) -> RankingIndex:
        """Read the run over the chunks of its documents.

        Raises
        ------
        InputError
            If the run cannot be read, or the corpus lacks a document of it.
        """
        run = read_run(Path(self.run))
        lost = [name for name in run.documents if name not in chunks.corpus.number]
        if lost:
            raise InputError(f"{self.run}: the corpus lacks {len(lost)} of its documents")
        return RankingIndex(run, chunks)
