"""Every model and service that the library `rerankers` knows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from rageval.errors import InputError
from rageval.retrieval.encoders.extras import need
from rageval.schema.fields import Name, component


@component
class RerankersLibrary:
    """A model of the library `rerankers`: a cross-encoder by its folder or name, or a service.

    Parameters
    ----------
    model
        Name of a model, or the folder that holds it.
    kind
        `model_type` of the library: cross-encoder, flashrank, t5, colbert, or for a service
        cohere, jina, voyage, mixedbread.ai, text-embeddings-inference. None = the library guesses.
    key
        Key of a service; it belongs into `secrets`.
    url
        Address of a service that is not the provider's own, such as one in your network.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    extra: ClassVar[str] = "rerankers"  # of rageval that brings its packages
    libraries: ClassVar[tuple[str, ...]] = ("rerankers", "torch", "transformers")
    by_name: ClassVar[str] = "model"  # the field that may name a model of a hub

    model: Name
    kind: Name | None = None
    key: str | None = None
    url: Name | None = None

    def require(self) -> None:
        """Need the package."""
        need("rerankers", "rerankers", "reranker=rerankers")

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the model's score of each text.

        Raises
        ------
        InputError
            If the model cannot be loaded.
        ValueError
            If it does not score every text.
        """
        found = self._loaded.rank(question, list(texts), doc_ids=list(range(len(texts))))
        scores = {int(one.doc_id): one.score for one in found.results}
        lost = [n for n in range(len(texts)) if scores.get(n) is None]
        if lost:
            raise ValueError(f"{self.model} gave no score to {len(lost)} of {len(texts)} passages")
        return [float(scores[n]) for n in range(len(texts))]

    @cached_property
    def _loaded(self) -> Any:  # noqa: ANN401  a model of the library
        library = need("rerankers", "rerankers", "reranker=rerankers")
        service = {"api_key": self.key, "url": self.url} if self.url or self.key else {}
        if self.kind is not None and self.url is not None:
            service["api_provider"] = self.kind
        given = {name: value for name, value in service.items() if value is not None}
        try:
            model = library.Reranker(self.model, model_type=self.kind, verbose=0, **given)
        except (OSError, ValueError, KeyError, ImportError) as fault:
            told = f"{type(fault).__name__}: {fault}"
            raise InputError(f"reranker.model: {self.model!r} cannot be loaded: {told}") from fault
        if model is None:  # what the library returns, after printing why
            raise InputError(
                f"reranker.model: {self.model!r} of kind {self.kind} cannot be loaded: the library "
                "rerankers lacks the packages for it, or does not know the kind"
            )
        return model
