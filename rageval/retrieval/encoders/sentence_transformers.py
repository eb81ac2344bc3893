"""Transformer sentence embeddings by sentence-transformers (needs torch)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rageval.retrieval.encoders.encoder import Encoding, Vectors, unit_rows
from rageval.retrieval.encoders.extras import need, unavailable
from rageval.schema.fields import Count, Name, component


@component
class SentenceTransformers:
    """A sentence-transformers model, by its name on the hub or the folder that holds it.

    `query_prefix` and `passage_prefix` are what the model's card asks to put before each text.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    extra: ClassVar[str] = "sentence-transformers"  # of rageval that brings its packages
    libraries: ClassVar[tuple[str, ...]] = (
        "sentence-transformers",
        "transformers",
        "tokenizers",
        "torch",
    )
    by_name: ClassVar[str] = "model"  # the field that may name a model of a hub

    model: Name = "sentence-transformers/all-MiniLM-L6-v2"
    batch_size: Count = 32
    passage_prefix: str = ""
    query_prefix: str = ""
    dimensions: Count | None = None  # that vectors are cut to, of models trained for it

    pretrained: ClassVar[bool] = True  # the vector of a text is the same in any corpus

    def require(self) -> None:
        """Need the package."""
        need("sentence_transformers", "sentence-transformers")

    def fit(self, texts: Sequence[str]) -> Encoding:
        """Load the model; the texts are not looked at."""
        package = need("sentence_transformers", "sentence-transformers")
        try:
            model = package.SentenceTransformer(self.model)
        except (OSError, ValueError) as fault:
            raise unavailable(self.model, fault) from fault
        return _Transformer(model, self)


@dataclass(frozen=True)
class _Transformer:
    model: Any
    settings: SentenceTransformers

    def encode(self, texts: Sequence[str]) -> Vectors:
        return self._rows(self.settings.passage_prefix, texts)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._rows(self.settings.query_prefix, texts)

    def _rows(self, prefix: str, texts: Sequence[str]) -> Vectors:
        rows = self.model.encode(
            [prefix + text for text in texts],
            batch_size=self.settings.batch_size,
            show_progress_bar=False,
        )
        return unit_rows(np.asarray(rows)[:, : self.settings.dimensions])
