"""What a reranker is: it scores the texts that a first stage found for one question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class Reranker(Protocol):
    """Scores texts against a question; higher is better."""

    def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one finite number a text, in the order of the texts."""
        ...
