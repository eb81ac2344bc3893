"""Latent semantic analysis: an encoder that learns from the corpus and needs no download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field

from rageval.analysis import Analyser
from rageval.encoders.encoder import Encoding, Vectors, unit_rows
from rageval.fields import Count, Natural, component


@component
class Lsa:
    """Truncated SVD of TF-IDF weights (Deerwester et al. 1990), by scikit-learn.

    `dimensions` is cut to what the corpus can bear: one below its number of chunks and of terms.
    """

    dimensions: Count = 256
    seed: Natural = 0
    analyser: Analyser = Field(default_factory=Analyser)

    def fit(self, texts: Sequence[str]) -> Encoding:
        """Learn terms and dimensions from the chunk texts."""
        terms = [self.analyser(text) for text in texts]
        width = min(self.dimensions, len(terms) - 1, len({t for row in terms for t in row}) - 1)
        if width < 1:
            return _Nothing()
        return self._learn(terms, width)

    def _learn(self, terms: Sequence[Sequence[str]], width: int) -> Encoding:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer

        weights = TfidfVectorizer(analyzer=_as_is, sublinear_tf=True)
        svd = TruncatedSVD(width, random_state=self.seed)
        svd.fit(weights.fit_transform(terms))
        return _Latent(self.analyser, weights, svd)


def _as_is(terms: Sequence[str]) -> Sequence[str]:
    return terms


@dataclass(frozen=True)
class _Latent:
    analyser: Analyser
    weights: Any  # TfidfVectorizer
    svd: Any  # TruncatedSVD

    def encode(self, texts: Sequence[str]) -> Vectors:
        terms = [self.analyser(text) for text in texts]
        return unit_rows(self.svd.transform(self.weights.transform(terms)))


@dataclass(frozen=True)
class _Nothing:
    """The encoding of a corpus too small to learn from: every text is alike."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.zeros((len(texts), 1))
