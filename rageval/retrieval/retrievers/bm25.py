"""BM25: the lexical retriever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rageval.chunking.chunks import Chunks
from rageval.retrieval.analysis import Analyser
from rageval.retrieval.retrievers.blocks import ScoredIndex
from rageval.retrieval.retrievers.retriever import Query, Scores
from rageval.retrieval.retrievers.statistics import Statistics, learnt_from
from rageval.schema.fields import NonNegative, Share, component


@component
class Bm25:
    """BM25 (Robertson et al. 1994) with the weights of bm25s (Lù 2024).

    A floor reads the BM25 score itself, which has no upper bound. Term statistics (document
    frequencies and the average length) are those of the whole corpus for every asker, or with
    `statistics="public"` those of the chunks that everybody may see.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ("scipy", "bm25s")

    k1: NonNegative = 1.5
    b: Share = 0.75
    method: Literal["lucene", "robertson", "atire"] = "lucene"
    analyser: Analyser = Field(default_factory=Analyser)
    statistics: Statistics = "all"

    def index(self, chunks: Chunks) -> ScoredIndex:
        """Weigh every term of every chunk."""
        import bm25s
        from scipy.sparse import csc_matrix

        terms = list(self.analyser.batch(chunks.indexed()))
        if not any(terms):
            return ScoredIndex(len(chunks), lambda queries: Scores.none(len(queries), len(chunks)))
        public = learnt_from(chunks, self.statistics)
        if not public.all():
            names, table = self._weighed(terms, public)
            return ScoredIndex(len(chunks), _Weights(self.analyser, names, table).scores)
        model = bm25s.BM25(k1=self.k1, b=self.b, method=self.method, backend="numpy")
        model.index(terms, show_progress=False)
        parts, names = model.scores, model.vocab_dict
        shape = (len(chunks), len(parts["indptr"]) - 1)
        table = csc_matrix((parts["data"], parts["indices"], parts["indptr"]), shape=shape)
        return ScoredIndex(len(chunks), _Weights(self.analyser, names, table.T.tocsr()).scores)

    def _weighed(
        self, terms: Sequence[Sequence[str]], public: NDArray[np.bool_]
    ) -> tuple[dict[str, int], Any]:
        """Weigh terms by the statistics of some of the chunks; bm25s knows those of all alone.

        The formulas are those of bm25s (Lù 2024, table 1). A term of restricted chunks alone is as
        rare as one that no chunk has; `atire` has no value for that, and takes half a chunk.
        """
        from scipy.sparse import csr_matrix
        from sklearn.feature_extraction.text import CountVectorizer

        model = CountVectorizer(analyzer=_as_is)
        counts = csr_matrix(model.fit_transform(terms), dtype=np.float64)
        length = np.asarray(counts.sum(axis=1)).ravel()
        known = int(public.sum())
        frequency = np.asarray((counts[public] > 0).sum(axis=0)).ravel()
        average = length[public].mean() if known else length.mean()
        idf = self._idf(known, frequency)
        chunk, term = counts.nonzero()
        times = counts.data
        share = self.k1 * (1 - self.b + self.b * length[chunk] / max(average, 1e-9))
        boost = self.k1 + 1 if self.method == "atire" else 1
        weight = idf[term] * times * boost / (times + share)
        table = csr_matrix((weight.astype(np.float32), (term, chunk)), shape=counts.T.shape)
        return dict(model.vocabulary_), table

    def _idf(self, known: int, frequency: NDArray[np.int64]) -> NDArray[np.float64]:
        rarity: NDArray[np.float64] = (known - frequency + 0.5) / (frequency + 0.5)
        if self.method == "lucene":
            return np.log1p(rarity)
        if self.method == "robertson":
            return np.log(np.maximum(rarity, 1))
        return np.log(max(known, 1) / np.maximum(frequency, 0.5))


def _as_is(terms: Sequence[str]) -> Sequence[str]:
    return terms


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
