"""A user's own retriever, asked one question at a time."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from numbers import Real  # numpy's numbers are Real and not float
from typing import Any, Protocol, runtime_checkable

import numpy as np

from rageval.chunking.chunks import Chunks
from rageval.errors import InputError, UnreachableError
from rageval.retrieval.retrievers.asking import answers, awaited
from rageval.retrieval.retrievers.failure import Failure
from rageval.retrieval.retrievers.retriever import Candidates, Query, Scores
from rageval.schema.fields import Count, Positive, component

Hit = tuple[str, float] | str  # the id of a passage or a document, with its score if there is one


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

    `index(passages)` is called once before the first question; `thread_safe = True` lets several
    questions be asked at a time.
    """

    def retrieve(self, question: str, limit: int, groups: frozenset[str]) -> Iterable[Hit]:
        """Return at most `limit` hits, best first, that an asker of these groups may see.

        A hit names a passage by the id it was given to `index` under, or a document of which there
        is one passage (`chunking=whole`). Blank ids are dropped.
        """
        ...


@component
class Foreign:
    """Lets a user's retriever take the place of ours."""

    retriever: Any  # a SingleRetriever
    concurrency: Count = 8  # questions at a time, if the retriever says it is thread_safe
    timeout: Positive | None = None  # seconds that a question may take; None = any time

    def index(self, chunks: Chunks) -> ForeignIndex:
        """Hand the passages over.

        Raises
        ------
        UnreachableError
            If the retriever's `index` cannot connect to what it needs.
        InputError
            If it fails for any other reason.
        """
        index = ForeignIndex(self.retriever, self._workers, chunks, self.timeout)
        name = type(self.retriever).__name__
        if hasattr(self.retriever, "index"):
            try:
                self.retriever.index(list(index.passages.values()))
            except OSError as fault:
                raise UnreachableError(f"retriever {name} cannot be reached: {fault}") from fault
            except (Exception, SystemExit) as fault:
                raise InputError(
                    f"retriever {name} failed to index the passages: {Failure.of(fault)}"
                ) from fault
        return index

    @property
    def _workers(self) -> int:
        return self.concurrency if getattr(self.retriever, "thread_safe", False) else 1


@dataclass(frozen=True)
class ForeignIndex:
    """A user's retriever together with the chunks that its hits name."""

    retriever: SingleRetriever
    workers: int
    chunks: Chunks
    timeout: float | None = None  # seconds

    @cached_property
    def passages(self) -> dict[str, Passage]:
        """Return every chunk as a passage, by its id, in the order of the chunks."""
        corpus, table = self.chunks.corpus, {}
        for number in range(len(self.chunks)):
            document = corpus[int(self.chunks.document[number])]
            start, end = int(self.chunks.start[number]), int(self.chunks.end[number])
            name = f"{document.id}#{start}-{end}"
            table[name] = Passage(name, document.id, document.text[start:end], document.groups)
        return table

    @cached_property
    def _chunk(self) -> dict[str, int]:
        """Map the ids that a hit may carry to chunk numbers."""
        chunks: dict[str, list[int]] = {}
        for number, passage in enumerate(self.passages.values()):
            chunks.setdefault(passage.document, []).append(number)
        single = {name: numbers[0] for name, numbers in chunks.items() if len(numbers) == 1}
        return single | {name: number for number, name in enumerate(self.passages)}

    @property
    def direct(self) -> ForeignIndex:
        """Return this index: it keeps no answers."""
        return self

    def search(self, queries: Sequence[Query], depth: int) -> Candidates:
        """Ask every question; one that fails gets no candidates and a sentence in `errors`."""
        rows = answers(lambda query: self._ask(query, depth), queries, self.workers, self.timeout)
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
        return Candidates(chunk, score, score, errors)

    def scores(self, queries: Sequence[Query]) -> Scores:
        """Score the chunks that the retriever returns when asked for all of them.

        Of a chunk returned twice the first place counts. Ids without a score, which say no more
        than an order, count as 1, 1/2, 1/3, …; a floor still finds no score to read.
        """
        found = self.search(queries, max(1, len(self.chunks)))
        raw = np.zeros((len(queries), len(self.chunks)))
        place = np.zeros(raw.shape, dtype=np.int64)
        rows, places = np.nonzero(found.chunk >= 0)
        rows, places = rows[::-1], places[::-1]  # the first place is written last
        raw[rows, found.chunk[rows, places]] = found.score[rows, places]
        place[rows, found.chunk[rows, places]] = places + 1
        value = np.where(np.isnan(raw), 1 / np.maximum(place, 1), raw)
        return Scores(value, raw, place > 0, found.errors)

    def _ask(self, query: Query, depth: int) -> list[tuple[int, float]] | Failure:
        """Return the hits as chunk numbers with scores (NaN = none given), or what went wrong."""
        try:
            found = self.retriever.retrieve(query.text, depth, query.scope.groups)
            if inspect.isawaitable(found):
                found = awaited(found)
            hits = list(islice(found, depth + len(self.passages)))
        except (Exception, SystemExit) as fault:  # noqa: BLE001  foreign code may raise anything
            return Failure.of(fault)
        return _numbered(hits, self._chunk, depth)


def _numbered(
    hits: Sequence[object], chunk: Mapping[str, int], depth: int
) -> list[tuple[int, float]] | Failure:
    """Return the first `depth` hits that are not blank, or what is wrong with one of them."""
    rows: list[tuple[int, float]] = []
    for hit in hits:
        if len(rows) == depth:
            break
        name, score = hit if isinstance(hit, tuple) and len(hit) == 2 else (hit, None)
        fault = _fault(name, score, chunk)
        if fault:
            return Failure(fault)
        if str(name).strip():
            rows.append((chunk[str(name)], math.nan if score is None else float(score)))
    return rows


def _fault(name: object, score: object, chunk: Mapping[str, int]) -> str:
    """Return what is wrong with a hit, or nothing."""
    if not isinstance(name, str):
        return f"returned {name!r}; a hit is an id or (id, score), and an id is a string"
    if name.strip() and name not in chunk:
        return (
            f"returned {name!r}, which is neither a passage of this chunking nor a document of one "
            "passage (chunking=whole makes every document one)"
        )
    if score is not None and not (isinstance(score, Real) and math.isfinite(score)):
        return f"returned the score {score!r} for {name!r}; a score is a finite number"
    return ""
