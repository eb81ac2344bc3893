"""Vectors of a service that speaks the embeddings API of OpenAI, as many servers do."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rageval.errors import InputError, UnreachableError
from rageval.retrieval.encoders.encoder import Encoding, Vectors, unit_rows
from rageval.retrieval.encoders.extras import need
from rageval.retrieval.json_client import AnswerError, BusyError, JsonClient
from rageval.schema.fields import Count, Name, Natural, NonNegative, Positive, component

_PER = 1_000_000  # tokens that `price` is for


@component
class OpenAiEncoder:
    """Asks POST `url`/embeddings for the vectors of texts, each text once.

    OpenAI, Azure, vLLM, Ollama, llama.cpp, text-embeddings-inference and LiteLLM answer so.

    Parameters
    ----------
    url
        Address of the API without `/embeddings`: https://api.openai.com/v1.
    model
        Name of the model there.
    key
        Key of the service; it belongs into `secrets`.
    dimensions
        Length that vectors are cut to, for models that were trained for it; None = as they are.
        The service is not asked for it, so that any server will do: cut vectors are scaled again.
    passage_prefix, query_prefix
        What the model's card asks to put before each text.
    batch_size
        Texts in one request.
    price
        Money for a million tokens, for the metric `usage/cost`.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    extra: ClassVar[str] = "http"  # of rageval that brings its packages
    libraries: ClassVar[tuple[str, ...]] = ()
    unseen: ClassVar[str] = "the model behind encoder.url"
    pretrained: ClassVar[bool] = True  # the vector of a text is the same in any corpus

    url: Name
    model: Name
    key: str | None = None
    dimensions: Count | None = None
    passage_prefix: str = ""
    query_prefix: str = ""
    batch_size: Count = 64
    timeout: Positive = 60.0  # seconds of one attempt
    retries: Natural = 3  # attempts after the first one
    price: NonNegative | None = None

    def require(self) -> None:
        """Need the packages."""
        for module in ("httpx", "stamina"):
            need(module, "http", "encoder=openai")

    def fit(self, texts: Sequence[str]) -> Encoding:
        """Return the encoding; the texts are not looked at."""
        return _Service(self, self._known)

    def usage(self) -> dict[str, float]:
        """Return the tokens that were paid for so far, and their cost where a price is given."""
        tokens = float(self._known.tokens)
        cost = {} if self.price is None else {"cost": tokens * self.price / _PER}
        return {"tokens": tokens, **cost}

    @cached_property
    def _known(self) -> _Known:
        headers = {} if self.key is None else {"Authorization": f"Bearer {self.key}"}
        return _Known(JsonClient(headers, self.timeout, self.retries, 1))


class _Known:
    """Vectors by the digest of their text, and the tokens that they cost."""

    def __init__(self, client: JsonClient) -> None:
        self.client = client
        self.vectors: dict[bytes, NDArray[np.float32]] = {}
        self.tokens = 0
        self.lock = threading.Lock()


@dataclass(frozen=True)
class _Service:
    settings: OpenAiEncoder
    known: _Known

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row a text.

        Raises
        ------
        UnreachableError
            If the service does not answer.
        InputError
            If it refuses.
        """
        try:
            return self._rows(self.settings.passage_prefix, texts)
        except BusyError as fault:
            raise UnreachableError(f"encoder.url: {self.settings.url}: {fault}") from fault
        except AnswerError as fault:
            raise InputError(f"encoder.url: {self.settings.url}: {fault}") from fault

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row a question.

        Raises
        ------
        AnswerError
            If the service does not answer, or refuses.
        """
        return self._rows(self.settings.query_prefix, texts)

    def _rows(self, prefix: str, texts: Sequence[str]) -> Vectors:
        given = [prefix + text for text in texts]
        names = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in given]
        with self.known.lock:
            new = {
                name: text
                for name, text in zip(names, given, strict=True)
                if name not in self.known.vectors
            }
            for at in range(0, len(new), self.settings.batch_size):
                some = list(new.items())[at : at + self.settings.batch_size]
                vectors = self._asked([text for _, text in some])
                self.known.vectors.update(zip((n for n, _ in some), vectors, strict=True))
            rows = [self.known.vectors[name] for name in names]
        if not rows:
            return np.zeros((0, 0), np.float32)
        return unit_rows(np.stack(rows)[:, : self.settings.dimensions])

    def _asked(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return the vectors of one request."""
        request = {"model": self.settings.model, "input": list(texts)}
        url = f"{self.settings.url.rstrip('/')}/embeddings"
        answer = self.known.client.call("POST", url, request)
        self.known.tokens += _tokens(answer)
        return _vectors(answer, len(texts))


def _tokens(answer: Any) -> int:  # noqa: ANN401  any JSON value
    usage = answer.get("usage") if isinstance(answer, Mapping) else None
    counted = usage.get("total_tokens", usage.get("prompt_tokens")) if usage else None
    return counted if isinstance(counted, int) else 0


def _vectors(answer: Any, texts: int) -> list[NDArray[np.float32]]:  # noqa: ANN401  any JSON value
    """Return the vectors of an answer in the order of the texts."""
    rows = answer.get("data") if isinstance(answer, Mapping) else None
    if not isinstance(rows, list) or len(rows) != texts:
        raise AnswerError(f"the answer has no data of {texts} vectors")
    ordered = sorted(rows, key=lambda row: int(row.get("index", 0)))
    vectors = [np.asarray(row["embedding"], dtype=np.float32) for row in ordered]
    if len({len(vector) for vector in vectors}) != 1 or not all(map(_finite, vectors)):
        raise AnswerError("the vectors are not of one length, or hold what is no finite number")
    return vectors


def _finite(vector: NDArray[np.float32]) -> bool:
    return bool(np.isfinite(vector).all())
