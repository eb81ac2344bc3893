"""A user's class that scores every chunk; what it raises is reported as its own error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rageval.chunking.chunks import Chunks
from rageval.errors import InputError
from rageval.retrieval.retrievers.blocks import joined
from rageval.retrieval.retrievers.failure import Failure, indexing
from rageval.retrieval.retrievers.retriever import Candidates, Index, Query, Scores, title_of
from rageval.schema.fields import Name, component


@component
class Guarded:
    """Lets a user's class with `index(chunks)` take the place of a retriever of ours."""

    changes_unseen: ClassVar[bool] = True  # nothing says whether it answers as it did before

    retriever: Any  # has `index(chunks)`
    name: Name | None = None  # None = what it calls itself, or its class

    @property
    def title(self) -> str:
        """Return what the retriever is called in tables and charts."""
        return self.name or title_of(self.retriever)

    def index(self, chunks: Chunks) -> GuardedIndex:
        """Let the class index the chunks.

        Raises
        ------
        UnreachableError
            If it cannot connect to what it needs.
        InputError
            If it fails for any other reason, or returns nothing that can be searched.
        """
        with indexing(self.retriever):
            index = self.retriever.index(chunks)
        name = type(self.retriever).__name__
        if not hasattr(index, "search"):
            raise InputError(
                f"retriever {name} has no method retrieve(question, limit, groups), and its "
                "index(chunks) returns nothing that can be searched"
            )
        return GuardedIndex(index, len(chunks), name)


@dataclass(frozen=True)
class GuardedIndex:
    """A user's index; a question on which it raises is a failed question."""

    index: Any
    size: int  # chunks
    name: str

    @property
    def direct(self) -> Index:
        """Return an index that keeps no answers, where the user's has one."""
        return GuardedIndex(getattr(self.index, "direct", self.index), self.size, self.name)

    def search(self, queries: Sequence[Query], depth: int) -> Candidates:
        """Return the candidates; where a batch fails, each of its questions is asked alone."""
        return self._asked(lambda some: _candidates(self.index.search(some, depth)), queries)

    def scores(self, queries: Sequence[Query]) -> Scores:
        """Return the scores of every chunk; a question that fails has none."""
        try:
            return _scores(self.index.scores(queries))
        except (Exception, SystemExit) as fault:  # noqa: BLE001  foreign code may raise anything
            failed = Scores.none(len(queries), self.size)
            errors = dict.fromkeys(range(len(queries)), Failure.of(fault))
            return Scores(failed.value, failed.raw, failed.matched, errors)

    def _asked(
        self, ask: Callable[[Sequence[Query]], Candidates], queries: Sequence[Query]
    ) -> Candidates:
        try:
            return ask(queries)
        except (Exception, SystemExit) as fault:  # noqa: BLE001  foreign code may raise anything
            if len(queries) > 1:
                return joined([self._asked(ask, [query]) for query in queries])
            nothing = np.zeros((1, 0))
            chunk = np.zeros((1, 0), np.int32)
            return Candidates(chunk, nothing, nothing, {0: Failure.of(fault)})


def _candidates(found: object) -> Candidates:
    if not isinstance(found, Candidates):
        raise TypeError(f"search returned {type(found).__name__}, not Candidates")
    return found


def _scores(found: object) -> Scores:
    if not isinstance(found, Scores):
        raise TypeError(f"scores returned {type(found).__name__}, not Scores")
    return found
