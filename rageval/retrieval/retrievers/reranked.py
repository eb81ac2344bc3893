"""Retrieve and rerank: a first stage finds candidates, and a reranker orders them again."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rageval.chunking.chunks import Chunks
from rageval.retrieval.passages.returned import ReturnedPassages
from rageval.retrieval.rerankers.reranker import Reranker
from rageval.retrieval.retrievers.failure import Failure
from rageval.retrieval.retrievers.retriever import (
    Candidates,
    Index,
    Query,
    Retriever,
    Scores,
    require,
    usage_of,
)
from rageval.schema.fields import Count, component


@component
class Reranked:
    """The first `candidates` of any first stage, in the order of a reranker.

    What the first stage found below them is left out. A floor reads the reranker's score. Equal
    scores keep the order of the first stage.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ()
    # The order of the first stage is part of the answer, and what is kept has no place for it.
    changes_unseen: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("first",)  # components inside, for the cache

    first: Retriever
    reranker: Reranker
    candidates: Count = 50

    @property
    def brings_passages(self) -> bool:
        """Say whether the first stage brings passages of its own."""
        return bool(getattr(self.first, "brings_passages", False))

    @property
    def title(self) -> str:
        """Return what the retriever is called in tables and charts."""
        first = getattr(self.first, "title", type(self.first).__name__)
        return f"{first} + {type(self.reranker).__name__}"

    def require(self) -> None:
        """Need what both stages need."""
        require(self.first)
        require(self.reranker)

    def notes(self, questions: Sequence[str]) -> list[str]:
        """Return what the first stage has to say about its answers."""
        own = getattr(self.first, "notes", None)
        return list(own(questions)) if own is not None else []

    def usage(self) -> dict[str, float]:
        """Return what both stages have used so far."""
        return usage_of(self.first, self.reranker)

    def index(self, chunks: Chunks) -> RerankedIndex:
        """Index the chunks for the first stage."""
        return RerankedIndex(self.first.index(chunks), self.reranker, chunks, self.candidates)


@dataclass(frozen=True)
class RerankedIndex:
    """A first stage's index with a reranker behind it."""

    first: Index
    reranker: Reranker
    cut: Chunks
    candidates: int

    @property
    def direct(self) -> RerankedIndex:
        """Return an index whose first stage keeps no answers."""
        return replace(self, first=self.first.direct)

    @property
    def returned(self) -> ReturnedPassages | None:
        """Return the passages that the first stage brought."""
        found: ReturnedPassages | None = getattr(self.first, "returned", None)
        return found

    def search(self, queries: Sequence[Query], depth: int) -> Candidates:
        """Return the reranked candidates; `before` has them in the order of the first stage."""
        found = self.first.search(queries, self.candidates)
        chunk, score = found.chunk.copy(), np.zeros(found.chunk.shape)
        errors, seconds = dict(found.errors), found.seconds
        taken = np.zeros(len(queries))
        for row, query in enumerate(queries):
            numbers = found.chunk[row][found.chunk[row] >= 0]
            if row in errors or not len(numbers):
                continue
            begun = time.perf_counter()
            scores = self._scored(query.text, numbers)
            taken[row] = time.perf_counter() - begun
            if isinstance(scores, Failure):
                errors[row] = scores
                chunk[row] = -1
                continue
            order = np.argsort(-scores, kind="stable")
            chunk[row, : len(numbers)] = numbers[order]
            score[row, : len(numbers)] = scores[order]
        timed = None if seconds is None else seconds + taken
        cut = Candidates(chunk[:, :depth], score[:, :depth], score[:, :depth], errors)
        return replace(cut, seconds=timed, before=found.chunk)

    def scores(self, queries: Sequence[Query]) -> Scores:
        """Return the reranker's scores; what is no candidate has nothing in common."""
        found = self.search(queries, self.candidates)
        value = np.zeros((len(queries), len(self.cut)))
        matched = np.zeros(value.shape, dtype=bool)
        rows, places = np.nonzero((found.chunk >= 0) & (found.chunk < len(self.cut)))
        value[rows, found.chunk[rows, places]] = found.score[rows, places]
        matched[rows, found.chunk[rows, places]] = True
        return Scores(value, value, matched, found.errors)

    def _scored(self, question: str, numbers: NDArray[np.int32]) -> NDArray[np.float64] | Failure:
        """Return the reranker's score of each passage, or what went wrong."""
        returned = self.returned
        passages = self.cut if returned is None else returned.chunks
        texts = [passages.text(int(number)) for number in numbers]
        try:
            scores: list[Any] = list(self.reranker.score(question, texts))
        except (Exception, SystemExit) as fault:  # noqa: BLE001  foreign code may raise anything
            return Failure.of(fault)
        name = type(self.reranker).__name__
        if len(scores) != len(texts):
            return Failure(f"{name} returned {len(scores)} scores for {len(texts)} passages")
        if not all(math.isfinite(score) for score in scores):
            return Failure(f"{name} returned a score that is no finite number")
        return np.array(scores, dtype=np.float64)
