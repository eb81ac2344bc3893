"""Hybrid retrieval: the weighted scores of two or more retrievers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import model_validator

from rageval.chunking.chunks import Chunks
from rageval.retrieval.retrievers.blocks import ScoredIndex
from rageval.retrieval.retrievers.fusion import FUSIONS
from rageval.retrieval.retrievers.retriever import (
    Index,
    Query,
    Retriever,
    Scores,
    require,
    usage_of,
)
from rageval.retrieval.retrievers.statistics import Statistics
from rageval.schema.fields import Name, NonNegative, component


@component
class Hybrid:
    """Adds up the scores of several retrievers, each brought onto one scale per question.

    Scales (`fusion`): `zscore` and `minmax` over all chunks inside the asker's scope, `rrf` by
    rank. Weights are relative. The fused score says nothing from one question to the next, so a
    floor reads the raw score of the one retriever that `floor` names.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ()
    parts: ClassVar[tuple[str, ...]] = ("retrievers",)  # components inside, for the cache

    retrievers: Mapping[Name, Retriever]
    weights: Mapping[Name, NonNegative]  # name → its weight, relative to the others'
    floor: Name
    fusion: Literal["zscore", "minmax", "rrf"] = "zscore"
    statistics: Statistics = "all"  # of its parts

    @model_validator(mode="after")
    def _named(self) -> Hybrid:
        names = ", ".join(self.retrievers)
        if len(self.retrievers) < 2:
            raise ValueError(f"retrievers must name two or more, got: {names or 'none'}")
        if set(self.weights) != set(self.retrievers):
            raise ValueError(f"weights must name each retriever once: {names}")
        if not any(self.weights.values()):
            raise ValueError("weights must not all be 0")
        if self.floor not in self.retrievers:
            raise ValueError(f"floor must be one of {names}, got {self.floor!r}")
        for name, part in self.retrievers.items():
            own = getattr(part, "statistics", self.statistics)
            if own != self.statistics:
                raise ValueError(
                    f"statistics is {self.statistics}, that of retrievers.{name} is {own}: scores "
                    "that add up are made from the same chunks"
                )
        return self

    def require(self) -> None:
        """Need what every part needs."""
        for retriever in self.retrievers.values():
            require(retriever)

    def usage(self) -> dict[str, float]:
        """Return what the parts have used so far."""
        return usage_of(*self.retrievers.values())

    def index(self, chunks: Chunks) -> ScoredIndex:
        """Index the chunks once for each retriever."""
        parts = {name: retriever.index(chunks) for name, retriever in self.retrievers.items()}
        total = sum(self.weights.values())
        weights = {name: weight / total for name, weight in self.weights.items()}
        mixture = _Mixture(parts, weights, self.floor, self.fusion)
        return ScoredIndex(len(chunks), mixture.scores, mixture.unkept_scores)


@dataclass(frozen=True)
class _Mixture:
    parts: Mapping[str, Index]
    weights: Mapping[str, float]  # they sum to 1
    floor: str
    fusion: str

    def unkept_scores(self, queries: Sequence[Query]) -> Scores:
        parts = {name: part.direct for name, part in self.parts.items()}
        return replace(self, parts=parts).scores(queries)

    def scores(self, queries: Sequence[Query]) -> Scores:
        scale = FUSIONS[self.fusion]
        visible = np.stack([query.scope.visible for query in queries])
        found = {name: part.scores(queries) for name, part in self.parts.items()}
        value = sum(
            (
                self.weights[name] * scale(part.value, part.matched, visible)
                for name, part in found.items()
            ),
            start=np.zeros(visible.shape),
        )
        matched = np.logical_or.reduce([part.matched for part in found.values()])
        errors = {
            row: replace(fault, sentence=f"{name}: {fault.sentence}")
            for name, part in found.items()
            for row, fault in part.errors.items()
        }
        return Scores(value, found[self.floor].raw, matched, errors)
