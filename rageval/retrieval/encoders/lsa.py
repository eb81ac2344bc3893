"""Latent semantic analysis: an encoder that learns from the corpus and needs no download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rageval.retrieval.analysis import Analyser
from rageval.retrieval.encoders.encoder import Encoding, Vectors, unit_rows
from rageval.schema.fields import Count, Natural, component

_EXACT = 2_000  # up to so many texts or terms the exact decomposition is the quicker one
_NOTHING = 1e-6  # singular values below this share of the largest are rounding

Axes = NDArray[np.float64]  # [n_terms, ≤ dimensions]


@component
class Lsa:
    """Truncated SVD of TF-IDF weights (Deerwester et al. 1990).

    Exact for a small corpus; else by scikit-learn's randomised search, which `seed` is for.
    `dimensions` is cut to what the corpus can bear: one below its number of chunks and of terms,
    and no direction in which its chunks do not differ.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ("scipy", "scikit-learn")

    dimensions: Count = 256
    seed: Natural = 0
    analyser: Analyser = Field(default_factory=Analyser)

    def fit(self, texts: Sequence[str]) -> Encoding:
        """Learn terms and dimensions from the chunk texts."""
        terms = self.analyser.batch(texts)
        width = min(self.dimensions, len(terms) - 1, len({t for row in terms for t in row}) - 1)
        if width < 1:
            return _Nothing()
        return self._learn(terms, width)

    def _learn(self, terms: Sequence[Sequence[str]], width: int) -> Encoding:
        from sklearn.feature_extraction.text import TfidfVectorizer

        model = TfidfVectorizer(analyzer=_as_is, sublinear_tf=True)
        weights = model.fit_transform(terms)
        if min(weights.shape) <= _EXACT:
            return _Latent(self.analyser, model, _exact(weights, width))
        return _Latent(self.analyser, model, _searched(weights, width, self.seed))


def _as_is(terms: Sequence[str]) -> Sequence[str]:
    return terms


def _exact(weights: Any, width: int) -> Axes:  # noqa: ANN401  a scipy matrix [n_texts, n_terms]
    """Return the leading right singular vectors, from the smaller of the two Gram matrices."""
    by_text = weights.shape[0] <= weights.shape[1]
    gram = (weights @ weights.T if by_text else weights.T @ weights).toarray()
    squares, vectors = np.linalg.eigh(gram)  # ascending
    kept = np.flatnonzero(squares > squares[-1] * _NOTHING**2)[::-1][:width]
    axes: Axes = vectors[:, kept]
    return weights.T @ (axes / np.sqrt(squares[kept])) if by_text else axes


def _searched(weights: Any, width: int, seed: int) -> Axes:  # noqa: ANN401  a scipy matrix
    from sklearn.decomposition import TruncatedSVD

    components: Axes = TruncatedSVD(width, random_state=seed).fit(weights).components_
    return components.T


@dataclass(frozen=True)
class _Latent:
    analyser: Analyser
    weights: Any  # TfidfVectorizer
    axes: Axes

    def encode(self, texts: Sequence[str]) -> Vectors:
        return self._placed(self.analyser.batch(texts))

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._placed([self.analyser(text) for text in texts])

    def _placed(self, terms: Sequence[Sequence[str]]) -> Vectors:
        return unit_rows(self.weights.transform(terms) @ self.axes)


@dataclass(frozen=True)
class _Nothing:
    """The encoding of a corpus too small to learn from: every text is alike."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.zeros((len(texts), 1))
