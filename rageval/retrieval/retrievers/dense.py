"""Dense retrieval: nearest chunks by the cosine of their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rageval.chunking.chunks import Chunks
from rageval.retrieval.encoders.encoder import Encoder, Encoding, QueryEncoding, Vectors
from rageval.retrieval.json_client import AnswerError
from rageval.retrieval.retrievers.blocks import ScoredIndex
from rageval.retrieval.retrievers.failure import Failure
from rageval.retrieval.retrievers.retriever import Query, Scores, require, usage_of
from rageval.retrieval.retrievers.statistics import Statistics, learnt_from
from rageval.schema.fields import component


@component
class Dense:
    """Exact nearest neighbours under an encoder; a floor reads the cosine, −1 to 1.

    An encoder that learns from the corpus does so from every chunk, or with `statistics="public"`
    from those that everybody may see.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ()
    parts: ClassVar[tuple[str, ...]] = ("encoder",)  # components inside, for the cache

    encoder: Encoder
    statistics: Statistics = "all"

    def require(self) -> None:
        """Need what the encoder needs."""
        require(self.encoder)

    def usage(self) -> dict[str, float]:
        """Return what the encoder has used so far, if it counts that."""
        return usage_of(self.encoder)

    def index(self, chunks: Chunks) -> ScoredIndex:
        """Encode every chunk."""
        texts = chunks.indexed()
        public = learnt_from(chunks, self.statistics)
        learnt = [text for text, inside in zip(texts, public.tolist(), strict=True) if inside]
        encoding = self.encoder.fit(learnt)
        return ScoredIndex(len(chunks), _Vectors(encoding, encoding.encode(texts)).scores)


@dataclass(frozen=True)
class _Vectors:
    encoding: Encoding
    vectors: Vectors  # [n_chunks, dimensions]

    def scores(self, queries: Sequence[Query]) -> Scores:
        try:
            asked = self._encoded([query.text for query in queries])
        except AnswerError as fault:  # of an encoder that is a service
            none = Scores.none(len(queries), len(self.vectors))
            return replace(none, errors=dict.fromkeys(range(len(queries)), Failure.of(fault)))
        return Scores.plain((asked @ self.vectors.T).astype(np.float64, copy=False))

    def _encoded(self, questions: Sequence[str]) -> Vectors:
        if isinstance(self.encoding, QueryEncoding):
            return self.encoding.encode_queries(questions)
        return self.encoding.encode(questions)
