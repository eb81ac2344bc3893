"""Pooled token embeddings by wordllama: the model travels in its package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from rageval.retrieval.encoders.encoder import Encoding, Vectors, unit_rows
from rageval.retrieval.encoders.extras import need, unavailable
from rageval.schema.fields import Name, component


@component
class WordLlama:
    """A wordllama configuration, cut to `dimensions`."""

    version: ClassVar[int] = 1  # raised when equal input may give other output
    extra: ClassVar[str] = "wordllama"  # of rageval that brings its packages
    libraries: ClassVar[tuple[str, ...]] = ("wordllama", "tokenizers")

    model: Name = "l2_supercat"
    dimensions: Literal[64, 128, 256] = 256

    pretrained: ClassVar[bool] = True  # the vector of a text is the same in any corpus

    def require(self) -> None:
        """Need the package."""
        need("wordllama", "wordllama")

    def fit(self, texts: Sequence[str]) -> Encoding:
        """Load the model; the texts are not looked at."""
        package = need("wordllama", "wordllama")
        try:
            model = package.WordLlama.load(
                self.model,
                trunc_dim=self.dimensions,
                # The package looks for its own tokenizer in a folder it does not ship; as a cache
                # folder its own root serves, and nothing is downloaded.
                cache_dir=Path(str(package.__file__)).parent,
                disable_download=True,
            )
        except (OSError, ValueError, KeyError, AttributeError) as fault:
            raise unavailable(self.model, fault) from fault
        return _Pooled(model)


@dataclass(frozen=True)
class _Pooled:
    model: Any

    def encode(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, 1))
        return unit_rows(np.asarray(self.model.embed(list(texts))))
