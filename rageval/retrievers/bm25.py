"""BM25: the lexical retriever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from rageval.analysis import Analyser
from rageval.chunking.chunks import Chunks
from rageval.fields import NonNegative, Share, component
from rageval.retrievers.blocks import ScoredIndex
from rageval.retrievers.retriever import Query, Scores


@component
class Bm25:
    """BM25 (Robertson et al. 1994) with the weights of bm25s (Lù 2024).

    A floor reads the BM25 score itself, which has no upper bound. Term statistics are those of the
    whole corpus, whoever asks.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ("scipy", "bm25s")

    k1: NonNegative = 1.5
    b: Share = 0.75
    method: Literal["lucene", "robertson", "atire"] = "lucene"
    analyser: Analyser = Field(default_factory=Analyser)

    def index(self, chunks: Chunks) -> ScoredIndex:
        """Weigh every term of every chunk."""
        import bm25s
        from scipy.sparse import csc_matrix

        terms = list(self.analyser.batch(chunks.indexed()))
        if not any(terms):
            return ScoredIndex(len(chunks), lambda queries: Scores.none(len(queries), len(chunks)))
        model = bm25s.BM25(k1=self.k1, b=self.b, method=self.method, backend="numpy")
        model.index(terms, show_progress=False)
        parts, names = model.scores, model.vocab_dict
        shape = (len(chunks), len(parts["indptr"]) - 1)
        table = csc_matrix((parts["data"], parts["indices"], parts["indptr"]), shape=shape)
        return ScoredIndex(len(chunks), _Weights(self.analyser, names, table.T.tocsr()).scores)


@dataclass(frozen=True)
class _Weights:
    analyser: Analyser
    row: dict[str, int]  # term → its row of `weights`
    weights: Any  # sparse float32 [n_terms, n_chunks]

    def scores(self, queries: Sequence[Query]) -> Scores:
        from scipy.sparse import csr_matrix

        rows = [
            (number, self.row[term])
            for number, query in enumerate(queries)
            for term in self.analyser(query.text)
            if term in self.row
        ]
        table = np.array(rows, dtype=np.int64).reshape(-1, 2)
        shape = (len(queries), self.weights.shape[0])
        counts = csr_matrix(
            (np.ones(len(rows), np.float32), (table[:, 0], table[:, 1])), shape=shape
        )
        return Scores.plain((counts @ self.weights).toarray().astype(np.float64))
