"""A search service that speaks HTTP and JSON."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

import jmespath
from jmespath.exceptions import JMESPathError

from rageval.errors import InputError
from rageval.retrieval.encoders.extras import need
from rageval.retrieval.json_client import AnswerError, JsonClient
from rageval.retrieval.passages.hit import PARTS, Hit
from rageval.schema.fields import Count, Name, Natural, Positive, component


@component
class HttpService:
    """Asks a service one question a request; request and answer are mapped by JMESPath.

    Parameters
    ----------
    url
        Address of the service.
    method
        POST sends the request as a JSON body, GET as parameters of the address.
    headers
        Sent with every request; a token belongs into `secrets`.
    request
        A JMESPath over `question`, `limit` and `groups` (a list) that makes the request.
    hits
        A JMESPath that finds the list of hits in the answer.
    hit
        For each part of a hit a JMESPath over one entry of that list.
    timeout
        Seconds that one attempt may take.
    retries
        Attempts after the first one; they follow a lost connection and the answers 408, 425, 429
        and 5xx, after the time that the service asks for or a growing one.
    rate
        Requests a second at most; None = as many as `concurrency` makes.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    extra: ClassVar[str] = "http"  # of rageval that brings its packages
    libraries: ClassVar[tuple[str, ...]] = ("jmespath",)
    unseen: ClassVar[str] = "what the service behind retriever.url returns"
    thread_safe: ClassVar[bool] = True

    url: Name
    method: Literal["POST", "GET"] = "POST"
    headers: Mapping[str, str] | None = None
    request: Name = "{query: question, limit: limit}"
    hits: Name = "hits"
    hit: Mapping[str, str] | None = None
    timeout: Positive = 30.0
    retries: Natural = 3
    concurrency: Count = 8
    rate: Positive | None = None

    def __post_init__(self) -> None:
        self._expressions  # noqa: B018  compiling checks them
        if urlsplit(self.url).scheme not in {"http", "https"}:
            raise InputError("retriever.url: it must begin with http:// or https://")

    def require(self) -> None:
        """Need the packages."""
        need("httpx", "http", "retriever=http")
        need("stamina", "http", "retriever=http")

    def index(self, passages: object) -> None:
        """Make sure that the service can be reached; nothing is asked of it yet.

        Raises
        ------
        OSError
            If nothing listens there.
        """
        place = urlsplit(self.url)
        port = place.port or (443 if place.scheme == "https" else 80)
        socket.create_connection((place.hostname or "", port), self.timeout).close()

    def retrieve(
        self, question: str, limit: int, groups: frozenset[str]
    ) -> list[Hit | dict[str, Any]]:
        """Return the hits of one question.

        Raises
        ------
        AnswerError
            If the service does not answer, refuses, or answers otherwise than `hits` expects.
        """
        asked = {"question": question, "limit": limit, "groups": sorted(groups)}
        request = self._expressions["request"].search(asked)
        self._rate.wait()
        answer = self._client.call(self.method, self.url, request)
        found = self._expressions["hits"].search(answer)
        if not isinstance(found, list):
            told = "nothing" if found is None else type(found).__name__
            raise AnswerError(
                f"retriever.hits={self.hits!r} finds {told} in the answer, not a list"
            )
        return [self._hit(entry) for entry in found]

    def _hit(self, entry: Any) -> Any:  # noqa: ANN401  any JSON value
        """Return an entry of the answer as a hit; without a mapping it must be one already."""
        if self.hit is None:
            return Hit(entry) if isinstance(entry, str) else entry
        parts = {name: self._expressions[f"hit.{name}"].search(entry) for name in self.hit}
        for name in ("id", "document"):
            if isinstance(parts.get(name), int):
                parts[name] = str(parts[name])
        return parts

    @cached_property
    def _client(self) -> JsonClient:
        return JsonClient(self.headers or {}, self.timeout, self.retries, self.concurrency)

    @cached_property
    def _rate(self) -> _Rate:
        return _Rate(self.rate)

    @cached_property
    def _expressions(self) -> dict[str, Any]:
        unknown = [name for name in self.hit or {} if name not in PARTS]
        if unknown:
            raise InputError(f"retriever.hit.{unknown[0]}: unknown key; known: {', '.join(PARTS)}")
        written = {"request": self.request, "hits": self.hits}
        written |= {f"hit.{name}": text for name, text in (self.hit or {}).items()}
        return {name: _compiled(name, text) for name, text in written.items()}


def _compiled(name: str, written: str) -> Any:  # noqa: ANN401  jmespath has no types
    try:
        return jmespath.compile(written)
    except JMESPathError as fault:
        told = str(fault).splitlines()[0]
        raise InputError(f"retriever.{name}: {written!r} is no JMESPath: {told}") from fault


class _Rate:
    """Lets so many requests a second begin, whichever thread they are from."""

    def __init__(self, rate: float | None) -> None:
        self._step = 0.0 if rate is None else 1 / rate
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        with self._lock:
            now = time.monotonic()
            begin = max(now, self._next)
            self._next = begin + self._step
        time.sleep(begin - now)
