"""Retrievers whose index, scores and rankings are computed once.

Keys name content: the chunks by their texts and spans, a retriever by its configuration, the files
that this names and the libraries that compute, questions by their text and what their askers may
see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rageval.cache.files import Arrays
from rageval.cache.store import Cache
from rageval.cache.vectors import MemoizedEncoder
from rageval.chunking.chunks import Chunks
from rageval.retrieval.retrievers.retriever import Candidates, Index, Query, Retriever, Scores
from rageval.schema.fingerprint import digest


@dataclass(frozen=True)
class Memoized:
    """A retriever with the digest of what it is made from."""

    retriever: Retriever
    key: str
    cache: Cache

    def index(self, chunks: Chunks) -> MemoizedIndex:
        """Return an index that is built when something is asked that was not kept."""
        return MemoizedIndex(self, chunks, digest([self.key, chunks.digest]))


@dataclass(frozen=True)
class MemoizedIndex:
    """The answers of an index, kept; the index itself is made when one of them is missing."""

    owner: Memoized
    chunks: Chunks
    key: str

    @cached_property
    def built(self) -> Index:
        """Return the index itself."""
        return self.owner.cache.get_or_compute(
            "index", self.key, lambda: self.owner.retriever.index(self.chunks)
        )

    @property
    def direct(self) -> Index:
        """Return an index whose answers take the time that they take."""
        return self.built.direct

    def search(self, queries: Sequence[Query], depth: int) -> Candidates:
        """Return the candidates; where a question failed, all are asked again the next time.

        More are kept than are asked for: the first of a deeper ranking are the shallower one, so
        one ranking serves every window and what the measures look at below it.
        """
        found: list[Candidates] = []
        reach = reached(depth)

        def compute() -> Arrays | None:
            found.append(self.built.search(queries, reach))
            chunk, score, raw = found[0].chunk, found[0].score, found[0].raw
            return None if found[0].errors else {"chunk": chunk, "score": score, "raw": raw}

        key = digest([self.key, _asked(queries), reach])
        kept = self.owner.cache.get_or_compute_arrays("rankings", key, compute)
        if kept is None:
            return _first(found[0], depth)
        return _first(Candidates(kept["chunk"], kept["score"], kept["raw"], ties=True), depth)

    def scores(self, queries: Sequence[Query]) -> Scores:
        """Return the scores of every chunk; where a question failed, all are asked again."""
        found: list[Scores] = []

        def compute() -> Arrays | None:
            found.append(self.built.scores(queries))
            value, raw, matched = found[0].value, found[0].raw, found[0].matched
            return None if found[0].errors else {"value": value, "raw": raw, "matched": matched}

        key = digest([self.key, _asked(queries)])
        kept = self.owner.cache.get_or_compute_arrays("scores", key, compute)
        if kept is None:
            return found[0]
        return Scores(kept["value"], kept["raw"], kept["matched"])


_KEPT = 256  # candidates of a question that are kept at least


def reached(depth: int) -> int:
    """Return how many candidates are kept where `depth` are asked for.

    Examples
    --------
    >>> reached(40), reached(256), reached(300)
    (256, 256, 1024)
    """
    kept = _KEPT
    while kept < depth:
        kept *= 4
    return kept


def _first(found: Candidates, depth: int) -> Candidates:
    return Candidates(
        np.asarray(found.chunk[:, :depth]),
        np.asarray(found.score[:, :depth]),
        np.asarray(found.raw[:, :depth]),
        found.errors,
        found.ties,
    )


def memoized(
    retriever: Retriever,
    node: Mapping[str, Any],
    key: Callable[[Mapping[str, Any]], str],
    cache: Cache,
) -> Retriever:
    """Return a retriever that computes once, and its parts with it.

    `node` is its configuration, `key` names everything that a node's component is made of. What a
    retriever is made of it says itself: `parts` names the fields that hold other retrievers or
    encoders. One that may change unseen is asked every time, and so is what holds it; its other
    parts are not.
    """

    def part(value: Any, inner: Mapping[str, Any]) -> Any:  # noqa: ANN401  as it came
        if isinstance(value, Mapping):
            return {name: part(one, inner[name]) for name, one in value.items()}
        if isinstance(value, Retriever):
            return memoized(value, inner, key, cache)
        own = digest([type(value).__qualname__, key(inner)])
        return MemoizedEncoder(value, own, cache)

    # Every retriever is a dataclass: `component` makes it one.
    parts = {name: part(getattr(retriever, name), node.get(name, {})) for name in _parts(retriever)}
    whole = replace(retriever, **parts) if parts else retriever  # type: ignore[type-var]
    return whole if changes_unseen(retriever) else Memoized(whole, key(node), cache)


def _parts(component: object) -> tuple[str, ...]:
    """Return the fields in which a component says that it holds others."""
    return tuple(getattr(component, "parts", ()))


def changes_unseen(retriever: object) -> bool:
    """Say whether nothing tells that a retriever answers as it did before, at any depth.

    That is so for a class of the user's own and for what says so of itself, such as an index in
    another process.
    """
    own = type(retriever).__module__.startswith("rageval.")
    if not own or getattr(retriever, "changes_unseen", False):
        return True
    return any(
        changes_unseen(part)
        for name in _parts(retriever)
        for part in _each(getattr(retriever, name))
        if isinstance(part, Retriever)
    )


def _each(value: object) -> list[object]:
    return list(value.values()) if isinstance(value, Mapping) else [value]


def _asked(queries: Sequence[Query]) -> str:
    return digest([[query.text, sorted(query.scope.groups)] for query in queries])
