"""LlamaIndex: any retriever of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from rageval.retrieval.adapters.factory import Made
from rageval.retrieval.encoders.extras import need
from rageval.retrieval.passages.hit import Hit
from rageval.schema.fields import component


@component
class LlamaIndex:
    """Asks what `source` is or makes: a retriever of LlamaIndex.

    A function (limit, groups) is called once for each set of groups that asks, so it can push a
    filter down to the store: `index.as_retriever(similarity_top_k=limit, filters=…)`. The metadata
    of a hit are those of its node, with `doc_id`, `start` and `end` where the node knows them.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    extra: ClassVar[str] = "llama-index"  # of rageval that brings its packages
    libraries: ClassVar[tuple[str, ...]] = ("llama-index-core",)
    asked_alone: ClassVar[bool] = True  # `index` returns what is asked question by question
    unseen: ClassVar[str] = "what the LlamaIndex retriever of retriever.source returns"

    source: Any  # what is asked, or a function (limit, groups) that makes it

    def require(self) -> None:
        """Need the package."""
        need("llama_index.core", "llama-index", "retriever=llama_index")

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
        return [_hit(found) for found in self.made.of(limit, groups).retrieve(question)]


def _hit(found: Any) -> Hit:  # noqa: ANN401  a NodeWithScore
    node = found.node
    known = {
        "doc_id": getattr(node, "ref_doc_id", None),
        "start": getattr(node, "start_char_idx", None),
        "end": getattr(node, "end_char_idx", None),
    }
    metadata = {name: value for name, value in known.items() if value is not None} | node.metadata
    score = math.nan if found.score is None else float(found.score)
    return Hit(str(node.node_id), text=node.get_content(), score=score, metadata=metadata)
