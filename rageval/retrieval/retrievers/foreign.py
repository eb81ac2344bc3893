"""A user's own retriever, asked one question at a time."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rageval.chunking.chunks import Chunks
from rageval.retrieval.passages.hit import Hit, hit_of
from rageval.retrieval.passages.returned import ReturnedPassages
from rageval.retrieval.retrievers.asking import answers, awaited
from rageval.retrieval.retrievers.failure import Failure, indexing
from rageval.retrieval.retrievers.retriever import (
    Candidates,
    Query,
    Scores,
    require,
    title_of,
    usage_of,
)
from rageval.schema.fields import Count, Name, Natural, Positive, component


@dataclass(frozen=True, slots=True)
class Passage:
    """One chunk as a user's retriever gets to know it."""

    id: str  # "<document>#<start>-<end>"
    document: str
    text: str
    groups: frozenset[str]  # who may see it; empty = everybody


@runtime_checkable
class SingleRetriever(Protocol):
    """What a user's class must have. Two things more are used where they are there.

    `index(passages)` is called once before the first question, and may return what is asked in its
    place; `thread_safe = True` lets several questions be asked at a time.
    """

    def retrieve(self, question: str, limit: int, groups: frozenset[str]) -> Iterable[object]:
        """Return at most `limit` hits, best first, that an asker of these groups may see.

        See `rageval.retrieval.passages.hit` for the forms of a hit. Blank ids are dropped.
        """
        ...


@runtime_checkable
class IdMap(Protocol):
    """Says what the ids of a retriever's own stand for."""

    def translate(self, hit: Hit) -> Hit:
        """Return the hit with its document, and its place or text, where the map knows them."""
        ...


@component
class Foreign:
    """Lets a user's retriever take the place of ours."""

    changes_unseen: ClassVar[bool] = True  # nothing says whether it answers as it did before
    brings_passages: ClassVar[bool] = True  # it can do without chunks of ours

    retriever: Any  # a SingleRetriever
    concurrency: Count = 8  # questions at a time, if the retriever says it is thread_safe
    timeout: Positive | None = None  # seconds that a question may take; None = any time
    max_unmatched: Natural = 0  # passages of one answer that the corpus may lack
    ids: Any = None  # an IdMap
    name: Name | None = None  # None = what it calls itself, or its class

    @property
    def title(self) -> str:
        """Return what the retriever is called in tables and charts."""
        return self.name or title_of(self.retriever)

    def require(self) -> None:
        """Make sure that what the retriever needs is installed, if it can say so."""
        require(self.retriever)

    def index(self, chunks: Chunks) -> ForeignIndex:
        """Hand the passages over.

        Raises
        ------
        UnreachableError
            If the retriever's `index` cannot connect to what it needs.
        InputError
            If it fails for any other reason.
        """
        if self.ids is not None:
            self.ids.translate(Hit())  # a file or database that is not there is reported now
        index = ForeignIndex(self, chunks, self.retriever)
        if not hasattr(self.retriever, "index"):
            return index
        with indexing(self.retriever):
            ready = self.retriever.index(list(index.given.values()))
        return replace(index, retriever=ready) if hasattr(ready, "retrieve") else index

    def notes(self, questions: Sequence[str]) -> list[str]:
        """Return what the retriever has to say about its answers to these questions."""
        own = getattr(self.retriever, "notes", None)
        return list(own(questions)) if own is not None else []

    def usage(self) -> dict[str, float]:
        """Return what the retriever and its encoder have used so far, if they count that."""
        return usage_of(self.retriever, getattr(self.retriever, "encoder", None))

    @property
    def workers(self) -> int:
        """Return how many questions are asked at a time."""
        return self.concurrency if getattr(self.retriever, "thread_safe", False) else 1


@dataclass(frozen=True)
class ForeignIndex:
    """A user's retriever together with the chunks that its hits name."""

    owner: Foreign
    cut: Chunks
    retriever: Any  # a SingleRetriever, ready to be asked

    @cached_property
    def given(self) -> dict[str, Passage]:
        """Return every chunk as a passage, by its id, in the order of the chunks."""
        corpus, table = self.cut.corpus, {}
        for number in range(len(self.cut)):
            document = corpus[int(self.cut.document[number])]
            start, end = int(self.cut.start[number]), int(self.cut.end[number])
            name = f"{document.id}#{start}-{end}"
            table[name] = Passage(name, document.id, document.text[start:end], document.groups)
        return table

    @cached_property
    def returned(self) -> ReturnedPassages:
        """Return what came back so far, located in the corpus."""
        return ReturnedPassages(self.cut)

    @property
    def direct(self) -> ForeignIndex:
        """Return this index: it keeps no answers."""
        return self

    def search(self, queries: Sequence[Query], depth: int) -> Candidates:
        """Ask every question; one that fails gets no candidates and a sentence in `errors`."""
        return self._searched(queries, depth, mixed=False)

    def scores(self, queries: Sequence[Query]) -> Scores:
        """Score the chunks that the retriever returns when asked for all of them.

        Of a chunk returned twice the first place counts. Ids without a score, which say no more
        than an order, count as 1, 1/2, 1/3, …; a floor still finds no score to read.
        """
        found = self._searched(queries, max(1, len(self.cut)), mixed=True)
        raw = np.zeros((len(queries), len(self.cut)))
        place = np.zeros(raw.shape, dtype=np.int64)
        rows, places = np.nonzero(found.chunk >= 0)
        rows, places = rows[::-1], places[::-1]  # the first place is written last
        raw[rows, found.chunk[rows, places]] = found.score[rows, places]
        place[rows, found.chunk[rows, places]] = places + 1
        value = np.where(np.isnan(raw), 1 / np.maximum(place, 1), raw)
        return Scores(value, raw, place > 0, found.errors)

    def _searched(self, queries: Sequence[Query], depth: int, mixed: bool) -> Candidates:
        """Ask every question; what is mixed with other retrievers must return chunks of ours."""
        seconds = np.full(len(queries), np.nan)
        asked = answers(
            lambda row: self._timed(queries[row], depth, seconds[row : row + 1]),
            range(len(queries)),
            self.owner.workers,
            self.owner.timeout,
        )
        rows = [
            answer if isinstance(answer, Failure) else self._numbered(answer, depth, mixed)
            for answer in asked
        ]
        counts = (len(answer) for answer in rows if not isinstance(answer, Failure))
        shape = (len(queries), max(counts, default=0))
        chunk = np.full(shape, -1, dtype=np.int32)
        score = np.zeros(shape)
        errors: dict[int, Failure] = {}
        for row, answer in enumerate(rows):
            if isinstance(answer, Failure):
                errors[row] = answer
                continue
            chunk[row, : len(answer)] = [number for number, _ in answer]
            score[row, : len(answer)] = [value for _, value in answer]
        seconds[list(errors)] = np.nan
        return Candidates(chunk, score, score, errors, seconds=seconds)

    def _timed(
        self, query: Query, depth: int, taken: NDArray[np.float64]
    ) -> list[object] | Failure:
        """Ask a question, and write down the seconds that the answer took."""
        begun = time.perf_counter()
        answer = self._ask(query, depth)
        taken[0] = time.perf_counter() - begun
        return answer

    def _ask(self, query: Query, depth: int) -> list[object] | Failure:
        """Return what the retriever returns for a question, or what went wrong."""
        try:
            found = self.retriever.retrieve(query.text, depth, query.scope.groups)
            if inspect.isawaitable(found):
                found = awaited(found)
            return list(islice(found, depth + max(len(self.cut), depth)))
        except (Exception, SystemExit) as fault:  # noqa: BLE001  foreign code may raise anything
            return Failure.of(fault)

    def _numbered(
        self, values: Sequence[object], depth: int, mixed: bool
    ) -> list[tuple[int, float]] | Failure:
        """Return the first hits as chunk numbers with scores (NaN = none given), or a fault."""
        rows: list[tuple[int, float]] = []
        for value in values:
            hit = self._hit(value)
            if isinstance(hit, str):
                return Failure(hit)
            if not hit.blank:
                rows.append((self.returned.number(hit), hit.score))
            if mixed and rows and rows[-1][0] >= len(self.cut):
                return Failure(f"returned {hit}; a part of a mixture returns chunks of this run")
            if len(rows) == depth:
                break
        unlocated = self.returned.unlocated
        lost = [unlocated[number] for number, _ in rows if number in unlocated]
        return Failure(_too_many(lost)) if len(lost) > self.owner.max_unmatched else rows

    def _hit(self, value: object) -> Hit | str:
        """Return a hit, with what the id map knows of it, or what is wrong with it."""
        hit = hit_of(value)
        if isinstance(hit, str) or self.owner.ids is None:
            return hit
        translated: Hit = self.owner.ids.translate(hit)
        return translated


def _too_many(lost: Sequence[str]) -> str:
    """Return a sentence about passages that the corpus lacks."""
    more = "" if len(lost) == 1 else f" (and {len(lost) - 1} more that are not in the corpus)"
    allowed = f"retriever.max_unmatched={len(lost)} counts such passages as not relevant"
    return f"returned {lost[0]}{more}; {allowed}"
