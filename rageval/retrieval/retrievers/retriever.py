"""What a retriever is: it indexes chunks once and answers batches of queries within a scope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rageval.chunking.chunks import Chunks
from rageval.retrieval.retrievers.failure import Failure


@dataclass(frozen=True)
class Scope:
    """What one asker may see."""

    groups: frozenset[str]
    visible: NDArray[np.bool_]  # [n_chunks]

    @classmethod
    def of(cls, groups: frozenset[str], chunks: Chunks) -> Scope:
        """Return the scope of an asker of these groups over these chunks."""
        return cls(groups, chunks.visible(groups))


@dataclass(frozen=True)
class Query:
    """The text that a retriever is asked, and the scope in which it must answer."""

    text: str
    scope: Scope


@dataclass(frozen=True)
class Candidates:
    """What a retriever returned, best first, a row a query; −1 marks places after the last."""

    chunk: NDArray[np.int32]  # [n_queries, depth]
    score: NDArray[np.float64]  # [n_queries, depth] what the retriever ordered by
    raw: NDArray[np.float64]  # [n_queries, depth] what `window.min_score` is compared with
    errors: Mapping[int, Failure] = field(default_factory=dict)  # row → what went wrong
    ties: bool = False  # equal scores are ties that we broke; a foreign ranking keeps its order
    seconds: NDArray[np.float64] | None = None  # [n_queries] each took; None = asked in one batch
    before: NDArray[np.int32] | None = None  # [n_queries, m] chunks as a first stage ordered them

    @property
    def count(self) -> NDArray[np.int64]:
        """Return how many candidates each query got: [n_queries]."""
        counts: NDArray[np.int64] = (self.chunk >= 0).sum(axis=1)
        return counts


@dataclass(frozen=True)
class Scores:
    """Every chunk's score for every query, before anything is cut."""

    value: NDArray[np.float64]  # [n_queries, n_chunks] what to order by
    raw: NDArray[np.float64]  # [n_queries, n_chunks] what a floor reads
    matched: NDArray[np.bool_]  # [n_queries, n_chunks] has anything in common with the query
    errors: Mapping[int, Failure] = field(default_factory=dict)  # row → what went wrong

    @classmethod
    def plain(cls, value: NDArray[np.float64]) -> Scores:
        """Take scores of which exactly 0 says that nothing is in common."""
        return cls(value, value, value != 0)

    @classmethod
    def none(cls, queries: int, chunks: int) -> Scores:
        """Return the scores of chunks that have nothing in common with any query."""
        return cls.plain(np.zeros((queries, chunks)))


class Index(Protocol):
    """Chunks made searchable."""

    def search(self, queries: Sequence[Query], depth: int) -> Candidates:
        """Return at most `depth` chunks a query, all of them inside its scope."""
        ...

    def scores(self, queries: Sequence[Query]) -> Scores:
        """Score every chunk, for retrievers that combine others."""
        ...

    @property
    def direct(self) -> Index:
        """Return an index whose answers take the time that they take: itself, if none is kept."""
        ...


@runtime_checkable
class Retriever(Protocol):
    """A retriever's settings; `index` makes it ready.

    Two attributes are read where they are there. `changes_unseen = True` says that nothing tells
    whether it answers as it did before, so that no answer of it is kept; `brings_passages = True`
    says that its index has `returned`, the passages that it brought (see
    `rageval.retrieval.passages.returned`), and that it can do without chunks of ours.
    """

    def index(self, chunks: Chunks) -> Index:
        """Return the index of these chunks."""
        ...


def title_of(retriever: object) -> str:
    """Return what a user's retriever is called: its own name for itself, or that of its class."""
    own = getattr(retriever, "name", None)
    return own if isinstance(own, str) and own.strip() else type(retriever).__name__


def usage_of(*components: object) -> dict[str, float]:
    """Return what components have used so far, such as `tokens` and their `cost`, added up."""
    total: dict[str, float] = {}
    for counting in components:
        own = getattr(counting, "usage", None)
        used: Mapping[str, float] = own() if callable(own) else {}
        for name, value in used.items():
            total[name] = total.get(name, 0.0) + value
    return total


def require(component: object) -> None:
    """Make sure, before any work, that what a component needs is installed, if it can say so.

    Raises
    ------
    InputError
        If it is not; the message is the install line.
    """
    said = getattr(component, "require", None)
    if said is not None:
        said()
