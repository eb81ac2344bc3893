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
from rageval.retrieval.passages.hit import PARTS, Hit
from rageval.schema.fields import Count, Name, Natural, Positive, component

_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})  # a later attempt may succeed
_LONGEST_WAIT = 30.0  # seconds between two attempts, also where a service asks for more
_SHOWN = 200  # characters of an answer that is an error


class AnswerError(Exception):
    """An answer of a service that cannot be used."""


class _RetryError(AnswerError):
    """An answer after which the service may be asked again."""

    def __init__(self, sentence: str, wait: float) -> None:
        super().__init__(sentence)
        self.wait = wait  # seconds that the service asks for; 0 = it does not say


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
        answer = self._answer(self._expressions["request"].search(asked))
        found = self._expressions["hits"].search(answer)
        if not isinstance(found, list):
            told = "nothing" if found is None else type(found).__name__
            raise AnswerError(
                f"retriever.hits={self.hits!r} finds {told} in the answer, not a list"
            )
        return [self._hit(entry) for entry in found]

    def _answer(self, request: Any) -> Any:  # noqa: ANN401  any JSON value
        """Send a request until it is answered or the attempts are used up."""
        import stamina

        for attempt in stamina.retry_context(
            on=_backoff, attempts=self.retries + 1, timeout=None, wait_max=_LONGEST_WAIT
        ):
            with attempt:
                return self._once(request)
        raise AnswerError("was not asked")  # never: the last attempt raises

    def _once(self, request: Any) -> Any:  # noqa: ANN401  any JSON value
        import httpx

        self._rate.wait()
        content = {"params": request} if self.method == "GET" else {"json": request}
        try:
            answer = self._client.request(self.method, self.url, **content)
        except httpx.TransportError as fault:
            raise _RetryError(
                f"the service does not answer: {fault or type(fault).__name__}", 0
            ) from None
        if answer.status_code in _RETRIED:
            raise _RetryError(_refusal(answer), _seconds(answer.headers.get("retry-after")))
        if answer.is_error:
            raise AnswerError(_refusal(answer))
        try:
            return answer.json()
        except ValueError:
            raise AnswerError(f"the answer is no JSON: {answer.text[:_SHOWN]!r}") from None

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
    def _client(self) -> Any:  # noqa: ANN401  an httpx.Client
        import httpx

        limits = httpx.Limits(max_connections=self.concurrency)
        return httpx.Client(headers=dict(self.headers or {}), timeout=self.timeout, limits=limits)

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


def _backoff(fault: Exception) -> bool | float:
    """Say whether to ask again, and after how many seconds where the service says so."""
    if not isinstance(fault, _RetryError):
        return False
    return min(fault.wait, _LONGEST_WAIT) or True


def _refusal(answer: Any) -> str:  # noqa: ANN401  an httpx.Response
    text = " ".join(answer.text.split())[:_SHOWN]
    return f"the service answers {answer.status_code}" + (f": {text}" if text else "")


def _seconds(header: str | None) -> float:
    """Return the seconds of a Retry-After header; 0 where it has none or a date."""
    try:
        return max(0.0, float(header or 0))
    except ValueError:
        return 0.0


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
