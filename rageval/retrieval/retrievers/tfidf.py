"""TF-IDF with cosine similarity: the plain lexical retriever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from rageval.chunking.chunks import Chunks
from rageval.retrieval.analysis import Analyser
from rageval.retrieval.retrievers.blocks import ScoredIndex
from rageval.retrieval.retrievers.retriever import Query, Scores
from rageval.retrieval.retrievers.statistics import Statistics, learnt_from
from rageval.schema.fields import Flag, component


@component
class TfIdf:
    """Cosine of TF-IDF vectors, by scikit-learn; a floor reads the cosine, 0 to 1.

    With `statistics="public"` terms and their weights are learnt from the chunks that everybody
    may see; a term of restricted chunks alone is then none.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ("scipy", "scikit-learn")

    sublinear: Flag = True  # 1 + log of a term's count instead of the count
    analyser: Analyser = Field(default_factory=Analyser)
    statistics: Statistics = "all"

    def index(self, chunks: Chunks) -> ScoredIndex:
        """Weigh every term of every chunk."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        terms = list(self.analyser.batch(chunks.indexed()))
        public = learnt_from(chunks, self.statistics)
        learnt = [row for row, inside in zip(terms, public.tolist(), strict=True) if inside]
        if not any(learnt):
            return ScoredIndex(len(chunks), lambda queries: Scores.none(len(queries), len(chunks)))
        model = TfidfVectorizer(analyzer=_as_is, sublinear_tf=self.sublinear)
        weights = model.fit(learnt).transform(terms).T.tocsr()
        return ScoredIndex(len(chunks), _Weights(self.analyser, model, weights).scores)


def _as_is(terms: Sequence[str]) -> Sequence[str]:
    return terms


@dataclass(frozen=True)
class _Weights:
    analyser: Analyser
    model: Any  # TfidfVectorizer
    weights: Any  # sparse float64 [n_terms, n_chunks]

    def scores(self, queries: Sequence[Query]) -> Scores:
        vectors = self.model.transform([self.analyser(query.text) for query in queries])
        return Scores.plain((vectors @ self.weights).toarray())
