"""Qdrant: a server, or a folder of its local mode."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from rageval.errors import InputError, UnreachableError
from rageval.retrieval.adapters.payload import (
    hit_from,
    payload_of,
    require_ours,
    require_passages,
)
from rageval.retrieval.adapters.vectors import fitted, of_question
from rageval.retrieval.encoders.encoder import Encoder, Encoding
from rageval.retrieval.encoders.extras import need
from rageval.retrieval.passages.hit import Hit
from rageval.retrieval.retrievers.foreign import Passage
from rageval.retrieval.retrievers.retriever import require
from rageval.schema.fields import Flag, Name, Positive, component

_BATCH = 256  # points that are written at a time
_DISTANCES = frozenset({"Euclid", "Manhattan"})  # lower is nearer


@component
class Qdrant:
    """Nearest vectors in a Qdrant collection; only a collection that we build is ever written.

    Parameters
    ----------
    location
        Address of a server (http://localhost:6333), the folder of a local collection, or :memory:.
    collection
        Its name; what begins with `rageval_` is built over.
    encoder
        Makes the vectors of questions, and of passages where we build the collection.
    vector
        Name of the vector, in a collection whose vectors have names.
    groups
        Field of the payload with the groups that may see a passage; none or an empty one = public.
        None = the collection is not filtered, and what an asker may not see is counted as a leak.
    key
        Key of the server; it belongs into `secrets`.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    extra: ClassVar[str] = "qdrant"  # of rageval that brings its packages
    libraries: ClassVar[tuple[str, ...]] = ("qdrant-client",)
    asked_alone: ClassVar[bool] = True  # `index` returns what is asked question by question
    unseen: ClassVar[str] = "the points of the collection at retriever.location"

    encoder: Encoder
    location: Name
    collection: Name = "rageval_passages"
    vector: Name | None = None
    groups: Name | None = "groups"
    key: str | None = None
    timeout: Positive = 10.0  # seconds of one request
    build: Flag = False

    def require(self) -> None:
        """Need the client, and what the encoder needs."""
        need("qdrant_client", "qdrant", "retriever=qdrant")
        require(self.encoder)

    def index(self, passages: list[Passage]) -> _Ready:
        """Open the collection, or build it.

        Raises
        ------
        UnreachableError
            If the server cannot be reached.
        InputError
            If the collection is not there, or one that is not ours would be replaced.
        """
        client = self._client()
        ready = _Ready(client, self, self._prepared(client, passages), self._sign(client))
        weakref.finalize(ready, client.close)
        return ready

    def _client(self) -> Any:  # noqa: ANN401  a QdrantClient
        from qdrant_client import QdrantClient

        if self.location == ":memory:":
            return QdrantClient(":memory:")
        if self.location.startswith(("http://", "https://")):
            seconds = max(1, round(self.timeout))
            return QdrantClient(
                url=self.location, api_key=self.key, timeout=seconds, check_compatibility=False
            )
        return QdrantClient(path=self.location)

    def _prepared(self, client: Any, passages: Sequence[Passage]) -> Encoding:  # noqa: ANN401
        from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

        try:
            there = client.collection_exists(self.collection)
        except ResponseHandlingException as fault:
            raise UnreachableError(f"retriever.location: {self.location}: {fault}") from fault
        except UnexpectedResponse as fault:
            raise InputError(f"retriever.location: {self.location}: {fault}") from fault
        require_ours(self.collection, there, self.build, "collection")
        if self.build:
            require_passages(passages)
        encoding = fitted(self.encoder, [passage.text for passage in passages])
        if self.build:
            self._fill(client, passages, encoding)
        return encoding

    def _fill(self, client: Any, passages: Sequence[Passage], encoding: Encoding) -> None:  # noqa: ANN401
        from qdrant_client import models

        vectors = encoding.encode([passage.text for passage in passages])
        client.delete_collection(self.collection)
        size = models.VectorParams(size=vectors.shape[1], distance=models.Distance.COSINE)
        named = size if self.vector is None else {self.vector: size}
        client.create_collection(self.collection, vectors_config=named)
        for at in range(0, len(passages), _BATCH):
            rows = [vector.tolist() for vector in vectors[at : at + _BATCH]]
            points = [
                models.PointStruct(
                    id=at + place,
                    vector=row if self.vector is None else {self.vector: row},
                    payload=payload_of(passages[at + place]),
                )
                for place, row in enumerate(rows)
            ]
            client.upsert(self.collection, points, wait=True)

    def _sign(self, client: Any) -> Literal[1, -1]:  # noqa: ANN401
        """Return −1 where the collection's scores are distances, of which less is nearer."""
        found = client.get_collection(self.collection).config.params.vectors
        named = found if isinstance(found, dict) else {None: found}
        parameters = named.get(self.vector)
        if parameters is None:
            names = ", ".join(name or "one without a name" for name in named)
            raise InputError(
                f"retriever.vector: {self.vector!r} is no vector of {self.collection}; "
                f"its vectors: {names}"
            )
        return -1 if str(parameters.distance.value) in _DISTANCES else 1


@dataclass(frozen=True)
class _Ready:
    """An open collection."""

    client: Any  # a QdrantClient
    settings: Qdrant
    encoding: Encoding
    sign: Literal[1, -1]  # of a score that is higher for better hits

    def retrieve(self, question: str, limit: int, groups: frozenset[str]) -> list[Hit]:
        """Return the hits of one question."""
        found = self.client.query_points(
            self.settings.collection,
            query=of_question(self.encoding, question),
            using=self.settings.vector,
            query_filter=_visible(self.settings.groups, groups),
            limit=limit,
            with_payload=True,
        )
        return [
            hit_from(point.id, self.sign * point.score, point.payload or {})
            for point in found.points
        ]


def _visible(field: str | None, groups: frozenset[str]) -> Any:  # noqa: ANN401  a Filter or None
    """Return what lets through the public points and those of the asker's groups."""
    from qdrant_client import models

    if field is None:
        return None
    public: list[Any] = [models.IsEmptyCondition(is_empty=models.PayloadField(key=field))]
    shared = models.MatchAny(any=sorted(groups))
    own = [models.FieldCondition(key=field, match=shared)] if groups else []
    return models.Filter(should=[*public, *own])
