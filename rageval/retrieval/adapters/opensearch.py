"""OpenSearch through its client: full text, or any query of its language."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import jmespath

from rageval.errors import InputError, UnreachableError
from rageval.retrieval.adapters.lucene import (
    MAPPINGS,
    body_of,
    hits_of,
    operations,
    require_indexed,
)
from rageval.retrieval.adapters.payload import require_ours, require_passages
from rageval.retrieval.encoders.extras import need
from rageval.retrieval.passages.hit import Hit
from rageval.retrieval.retrievers.foreign import Passage
from rageval.schema.fields import Count, Flag, Name, Natural, Positive, component


@component
class OpenSearch:
    """Asks an OpenSearch index; only an index that we build is ever written.

    Parameters
    ----------
    url
        Address of the server.
    search_index
        Name of the index or alias; what begins with `rageval_` is built over.
    query
        A JMESPath over `question` that makes the query of the search.
    groups
        Field with the groups that may see a document; without it a document is public. It is added
        to the query as a filter. None = no filter, and what an asker may not see is a leak.
    key
        `user:password` of the server; it belongs into `secrets`.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    extra: ClassVar[str] = "opensearch"  # of rageval that brings its packages
    libraries: ClassVar[tuple[str, ...]] = ("opensearch-py",)
    asked_alone: ClassVar[bool] = True  # `index` returns what is asked question by question
    thread_safe: ClassVar[bool] = True
    unseen: ClassVar[str] = "the documents of the index at retriever.url"

    url: Name
    search_index: Name = "rageval_passages"
    query: Name = "{match: {text: question}}"
    groups: Name | None = "groups"
    key: str | None = None
    timeout: Positive = 30.0  # seconds of one attempt
    retries: Natural = 3  # attempts after the first one, after 429, 502, 503 and 504
    concurrency: Count = 8
    build: Flag = False

    def require(self) -> None:
        """Need the client."""
        need("opensearchpy", "opensearch", "retriever=opensearch")

    def index(self, passages: list[Passage]) -> _Ready:
        """Open the index, or build it.

        Raises
        ------
        UnreachableError
            If the server cannot be reached.
        InputError
            If the index is not there, or one that is not ours would be replaced.
        """
        try:
            query = jmespath.compile(self.query)
        except jmespath.exceptions.JMESPathError as fault:
            told = str(fault).splitlines()[0]
            raise InputError(f"retriever.query: {self.query!r} is no JMESPath: {told}") from fault
        client = self._client()
        ready = _Ready(client, self, query)
        weakref.finalize(ready, client.close)
        with _explained(self.url):
            there = bool(client.indices.exists(index=self.search_index))
            require_ours(self.search_index, there, self.build, "index")
            if self.build:
                require_passages(passages)
                self._fill(client, passages, there)
        return ready

    def _client(self) -> Any:  # noqa: ANN401  the library's own
        from opensearchpy import OpenSearch as Client

        account = None if self.key is None else tuple(self.key.split(":", 1))
        return Client(
            self.url,
            http_auth=account,
            timeout=self.timeout,
            max_retries=self.retries,
            retry_on_status=(429, 502, 503, 504),
            pool_maxsize=self.concurrency,
        )

    def _fill(self, client: Any, passages: Sequence[Passage], there: bool) -> None:  # noqa: ANN401
        if there:
            client.indices.delete(index=self.search_index)
        client.indices.create(index=self.search_index, body={"mappings": MAPPINGS})
        for lines in operations(passages):
            require_indexed(client.bulk(index=self.search_index, body=lines))
        client.indices.refresh(index=self.search_index)


@dataclass(frozen=True)
class _Ready:
    """An open client."""

    client: Any  # the library's own
    settings: OpenSearch
    query: Any  # a compiled JMESPath

    def retrieve(self, question: str, limit: int, groups: frozenset[str]) -> list[Hit]:
        """Return the hits of one question."""
        found: Mapping[str, Any] = self.query.search({"question": question})
        asked = body_of(found, self.settings.groups, groups)
        body = {"query": asked, "size": limit}
        answer = self.client.search(index=self.settings.search_index, body=body)
        return hits_of(answer)


@contextmanager
def _explained(url: str) -> Iterator[None]:
    """Report a server that is away as unreachable, and what it refuses as the user's fault."""
    from opensearchpy import ConnectionError as AwayError
    from opensearchpy import OpenSearchException

    try:
        yield
    except AwayError as fault:
        raise UnreachableError(f"retriever.url: {url}: {fault}") from fault
    except OpenSearchException as fault:
        raise InputError(f"retriever.url: {url}: {fault}") from fault
