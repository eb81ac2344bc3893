"""Haystack: a pipeline or a retriever component of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rageval.errors import InputError
from rageval.retrieval.adapters.factory import Made
from rageval.retrieval.encoders.extras import need
from rageval.retrieval.passages.hit import Hit
from rageval.schema.fields import Name, component


@component
class Haystack:
    """Asks what `source` is or makes: a pipeline, or a retriever that takes a text.

    Parameters
    ----------
    source
        What is asked, or a function (limit, groups) that makes it. The function is called once for
        each set of groups that asks, so it can push a filter down to the store:
        `InMemoryBM25Retriever(store, top_k=limit, filters=…)`.
    query
        The input that takes the question: `component.name` of a pipeline, or the name of an
        argument of a retriever.
    output
        The component of the pipeline whose documents are the hits; None = the only one that
        returns documents.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    extra: ClassVar[str] = "haystack"  # of rageval that brings its packages
    libraries: ClassVar[tuple[str, ...]] = ("haystack-ai",)
    asked_alone: ClassVar[bool] = True  # `index` returns what is asked question by question
    unseen: ClassVar[str] = "what the Haystack pipeline of retriever.source returns"

    source: Any  # what is asked, or a function (limit, groups) that makes it
    query: Name = "query"
    output: Name | None = None

    def require(self) -> None:
        """Need the package."""
        need("haystack", "haystack", "retriever=haystack")

    def index(self, passages: object) -> _Ready:
        """Make the object for public askers, so that its faults are reported at once."""
        made = Made(self.source)
        made.of(1, frozenset())
        return _Ready(made, self)


@dataclass(frozen=True)
class _Ready:
    made: Made
    settings: Haystack

    def retrieve(self, question: str, limit: int, groups: frozenset[str]) -> list[Hit]:
        """Return the hits of one question.

        Raises
        ------
        InputError
            If it cannot be told which documents are the hits.
        """
        asked = self.made.of(limit, groups)
        component, dot, name = self.settings.query.rpartition(".")
        if dot:
            answer = asked.run({component: {name: question}})
            return [_hit(document) for document in self._documents(answer)]
        return [_hit(document) for document in asked.run(**{name: question})["documents"]]

    def _documents(self, answer: Mapping[str, Any]) -> Any:  # noqa: ANN401  a list of Documents
        holding = [name for name, found in answer.items() if "documents" in found]
        chosen = [self.settings.output] if self.settings.output is not None else holding
        if len(chosen) != 1 or chosen[0] not in holding:
            raise InputError(
                f"retriever.output: {self.settings.output!r}; components that return documents: "
                f"{', '.join(holding) or 'none'}"
            )
        return answer[chosen[0]]["documents"]


def _hit(document: Any) -> Hit:  # noqa: ANN401  a haystack Document
    score = math.nan if document.score is None else float(document.score)
    return Hit(document.id, text=document.content or "", score=score, metadata=document.meta)
