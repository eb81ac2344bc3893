"""LangChain: any retriever or vector store of it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from rageval.retrieval.adapters.factory import Made
from rageval.retrieval.encoders.extras import need
from rageval.retrieval.passages.hit import Hit
from rageval.schema.fields import component


@component
class LangChain:
    """Asks what `source` is or makes: a retriever, a vector store, or any runnable.

    A vector store is asked for its relevance scores, 0 to 1; a retriever gives an order alone. A
    function (limit, groups) is called once for each set of groups that asks, so it can push a
    filter down to the store: `store.as_retriever(search_kwargs={"k": limit, "filter": …})`.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    extra: ClassVar[str] = "langchain"  # of rageval that brings its packages
    libraries: ClassVar[tuple[str, ...]] = ("langchain-core",)
    asked_alone: ClassVar[bool] = True  # `index` returns what is asked question by question
    unseen: ClassVar[str] = "what the LangChain retriever of retriever.source returns"

    source: Any  # what is asked, or a function (limit, groups) that makes it

    def require(self) -> None:
        """Need the package."""
        need("langchain_core", "langchain", "retriever=langchain")

    def index(self, passages: object) -> _Ready:
        """Make the object for public askers, so that its faults are reported at once."""
        made = Made(self.source)
        made.of(1, frozenset())
        return _Ready(made)


@dataclass(frozen=True)
class _Ready:
    made: Made

    def retrieve(self, question: str, limit: int, groups: frozenset[str]) -> list[Hit]:
        """Return the hits of one question."""
        asked = self.made.of(limit, groups)
        if hasattr(asked, "similarity_search_with_relevance_scores"):
            pairs = asked.similarity_search_with_relevance_scores(question, k=limit)
            return [_hit(document, float(score)) for document, score in pairs]
        found: Iterable[Any] = asked.invoke(question)
        return [_hit(document, math.nan) for document in found]


def _hit(document: Any, score: float) -> Hit:  # noqa: ANN401  a langchain_core Document
    name = getattr(document, "id", None) or ""
    return Hit(str(name), text=document.page_content, score=score, metadata=document.metadata)
