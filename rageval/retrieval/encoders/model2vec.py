"""Static token embeddings by model2vec: a small download, no torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rageval.retrieval.encoders.encoder import Encoding, Vectors, unit_rows
from rageval.retrieval.encoders.extras import need, unavailable
from rageval.schema.fields import Name, component


@component
class Model2Vec:
    """A model2vec model, by its name on the hub or the folder that holds it."""

    version: ClassVar[int] = 1  # raised when equal input may give other output
    extra: ClassVar[str] = "model2vec"  # of rageval that brings its packages
    libraries: ClassVar[tuple[str, ...]] = ("model2vec", "tokenizers")
    by_name: ClassVar[str] = "model"  # the field that may name a model of a hub

    model: Name = "minishlab/potion-retrieval-32M"

    pretrained: ClassVar[bool] = True  # the vector of a text is the same in any corpus

    def require(self) -> None:
        """Need the package."""
        need("model2vec", "model2vec")

    def fit(self, texts: Sequence[str]) -> Encoding:
        """Load the model; the texts are not looked at."""
        package = need("model2vec", "model2vec")
        try:
            return _Static(package.StaticModel.from_pretrained(self.model))
        except (OSError, ValueError) as fault:
            raise unavailable(self.model, fault) from fault


@dataclass(frozen=True)
class _Static:
    model: Any

    def encode(self, texts: Sequence[str]) -> Vectors:
        return unit_rows(np.asarray(self.model.encode(list(texts))))
