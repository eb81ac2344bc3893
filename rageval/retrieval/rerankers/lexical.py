"""A reranker without a model: the question's words, and which of them stand together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from typing import ClassVar

from rageval.retrieval.analysis import Analyser
from rageval.schema.fields import NonNegative, component


@component
class LexicalReranker:
    """Scores a passage by the share of the question's words and of its neighbouring pairs.

    A word that few of the candidates hold counts more: log(1 + n / (n of them that hold it)). The
    score is (weight of the words found + `pairs` × weight of the pairs found) / (weight of all),
    0 to 1. A pair is two words that follow each other in the question, and its weight is the mean
    of its words'.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ()

    analyser: Analyser = field(default_factory=Analyser)
    pairs: NonNegative = 0.5  # what a pair counts, beside a word

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the score of each text.

        Examples
        --------
        >>> found = LexicalReranker().score("oil pump", ["the pump", "an oil pump", "pump for oil"])
        >>> [round(value, 2) for value in found]
        [0.34, 1.0, 0.8]
        """
        asked = list(dict.fromkeys(self.analyser(question)))
        terms = [self.analyser(text) for text in texts]
        holding = Counter(term for found in terms for term in set(found))
        weight = {term: math.log(1 + len(texts) / max(1, holding[term])) for term in asked}
        pairs = list(zip(asked, asked[1:], strict=False))
        whole = sum(weight.values()) + self._paired(pairs, weight)
        return [self._share(found, weight, pairs) / whole if whole else 0.0 for found in terms]

    def _share(
        self, terms: Sequence[str], weight: dict[str, float], pairs: Sequence[tuple[str, str]]
    ) -> float:
        there, neighbours = set(terms), set(zip(terms, terms[1:], strict=False))
        words = sum(value for term, value in weight.items() if term in there)
        return words + self._paired([pair for pair in pairs if pair in neighbours], weight)

    def _paired(self, pairs: Sequence[tuple[str, str]], weight: dict[str, float]) -> float:
        return self.pairs * sum((weight[one] + weight[other]) / 2 for one, other in pairs)
