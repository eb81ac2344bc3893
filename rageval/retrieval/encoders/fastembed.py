"""Sentence embeddings in ONNX by fastembed: no torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rageval.retrieval.encoders.encoder import Encoding, Vectors, unit_rows
from rageval.retrieval.encoders.extras import need, unavailable
from rageval.schema.fields import Count, Name, component


@component
class FastEmbed:
    """A model that fastembed knows, downloaded or from a folder.

    Parameters
    ----------
    model
        Its name in fastembed's list.
    folder
        The folder that holds its files; None = it is downloaded once.
    dimensions
        Length that vectors are cut to, for models that were trained for it; None = as they are.
    passage_prefix, query_prefix
        What the model's card asks to put before each text; fastembed puts none.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    extra: ClassVar[str] = "fastembed"  # of rageval that brings its packages
    libraries: ClassVar[tuple[str, ...]] = ("fastembed", "onnxruntime", "tokenizers")
    by_name: ClassVar[str] = "model"  # the field that may name a model of a hub
    pretrained: ClassVar[bool] = True  # the vector of a text is the same in any corpus

    model: Name = "BAAI/bge-small-en-v1.5"
    folder: Name | None = None
    dimensions: Count | None = None
    passage_prefix: str = ""
    query_prefix: str = ""
    batch_size: Count = 64

    def require(self) -> None:
        """Need the package."""
        need("fastembed", "fastembed")

    def fit(self, texts: Sequence[str]) -> Encoding:
        """Load the model; the texts are not looked at."""
        package = need("fastembed", "fastembed")
        place = {} if self.folder is None else {"specific_model_path": self.folder}
        try:
            model = package.TextEmbedding(self.model, **place)
        except (OSError, ValueError, RuntimeError) as fault:
            raise unavailable(self.model, fault) from fault
        return _Onnx(model, self)


@dataclass(frozen=True)
class _Onnx:
    model: Any
    settings: FastEmbed

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row a text."""
        return self._rows(self.settings.passage_prefix, texts)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row a question."""
        return self._rows(self.settings.query_prefix, texts)

    def _rows(self, prefix: str, texts: Sequence[str]) -> Vectors:
        given = [prefix + text for text in texts]
        rows = list(self.model.embed(given, batch_size=self.settings.batch_size))
        if not rows:
            return np.zeros((0, 0), np.float32)
        return unit_rows(np.stack(rows)[:, : self.settings.dimensions])
