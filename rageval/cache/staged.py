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
from rageval.cache.store import Stages
from rageval.cache.vectors import KeptVectors
from rageval.chunking.chunks import Chunks
from rageval.retrieval.retrievers.dense import Dense
from rageval.retrieval.retrievers.hybrid import Hybrid
from rageval.retrieval.retrievers.retriever import Candidates, Index, Query, Retriever, Scores
from rageval.schema.fingerprint import digest


@dataclass(frozen=True)
class Staged:
    """A retriever with the digest of what it is made from."""

    retriever: Retriever
    key: str
    stages: Stages

    def index(self, chunks: Chunks) -> StagedIndex:
        """Return an index that is built when something is asked that was not kept."""
        return StagedIndex(self, chunks, digest([self.key, chunks.digest]))


@dataclass(frozen=True)
class StagedIndex:
    """The answers of an index, kept; the index itself is made when one of them is missing."""

    owner: Staged
    chunks: Chunks
    key: str

    @cached_property
    def built(self) -> Index:
        """Return the index itself."""
        return self.owner.stages.value(
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
        kept = self.owner.stages.arrays("rankings", key, compute)
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
        kept = self.owner.stages.arrays("scores", key, compute)
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


def staged(
    retriever: Retriever,
    node: Mapping[str, Any],
    key: Callable[[Mapping[str, Any]], str],
    stages: Stages,
) -> Retriever:
    """Return a retriever that computes once, and its parts with it.

    `node` is its configuration, `key` names everything that a node's component is made of. A user's
    retriever may change without notice, so it is asked every time.
    """
    if _holds_foreign(retriever):
        return retriever
    if isinstance(retriever, Hybrid):
        parts = {
            name: staged(part, node["retrievers"][name], key, stages)
            for name, part in retriever.retrievers.items()
        }
        retriever = replace(retriever, retrievers=parts)
    if isinstance(retriever, Dense):
        own = [type(retriever.encoder).__qualname__, key(node.get("encoder", {}))]
        retriever = KeptVectors(retriever, digest(own), stages)
    return Staged(retriever, key(node), stages)


def _holds_foreign(retriever: Retriever) -> bool:
    """Say whether a retriever is a user's or holds one at any depth."""
    if isinstance(retriever, Hybrid):
        return any(_holds_foreign(part) for part in retriever.retrievers.values())
    own = type(retriever).__module__.startswith("rageval.")
    return getattr(retriever, "changes_unseen", False) or not own


def _asked(queries: Sequence[Query]) -> str:
    return digest([[query.text, sorted(query.scope.groups)] for query in queries])
