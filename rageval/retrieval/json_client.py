"""Calls of a service that speaks HTTP and JSON, with bounded attempts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})  # a later attempt may succeed
_LONGEST_WAIT = 30.0  # seconds between two attempts, also where a service asks for more
_SHOWN = 200  # characters of an answer that is an error


class AnswerError(Exception):
    """An answer of a service that cannot be used."""


class BusyError(AnswerError):
    """No answer, or one after which the service may be asked again."""

    def __init__(self, sentence: str, wait: float) -> None:
        super().__init__(sentence)
        self.wait = wait  # seconds that the service asks for; 0 = it does not say


class JsonClient:
    """A client that several threads may use at once; it needs the extra `http`.

    Parameters
    ----------
    headers
        Sent with every request.
    timeout
        Seconds that one attempt may take.
    retries
        Attempts after the first one; they follow a lost connection and the answers 408, 425, 429
        and 5xx, after the time that the service asks for or a growing one.
    connections
        Open at a time at most.
    """

    def __init__(
        self, headers: Mapping[str, str], timeout: float, retries: int, connections: int
    ) -> None:
        self._headers, self._timeout = dict(headers), timeout
        self._retries, self._connections = retries, connections

    def call(self, method: Literal["POST", "GET"], url: str, content: Any) -> Any:  # noqa: ANN401  any JSON values
        """Return the answer to a request; a GET has its content in the address.

        Raises
        ------
        AnswerError
            If the service does not answer, refuses, or answers what is no JSON.
        """
        import stamina

        for attempt in stamina.retry_context(
            on=_backoff, attempts=self._retries + 1, timeout=None, wait_max=_LONGEST_WAIT
        ):
            with attempt:
                return self._once(method, url, content)
        raise AnswerError("was not asked")  # never: the last attempt raises

    def _once(self, method: str, url: str, content: Any) -> Any:  # noqa: ANN401  any JSON values
        import httpx

        given = {"params": content} if method == "GET" else {"json": content}
        try:
            answer = self._client.request(method, url, **given)
        except httpx.TransportError as fault:
            why = str(fault) or type(fault).__name__
            raise BusyError(f"the service does not answer: {why}", 0) from None
        if answer.status_code in _RETRIED:
            raise BusyError(_refusal(answer), _seconds(answer.headers.get("retry-after")))
        if answer.is_error:
            raise AnswerError(_refusal(answer))
        try:
            return answer.json()
        except ValueError:
            raise AnswerError(f"the answer is no JSON: {answer.text[:_SHOWN]!r}") from None

    @cached_property
    def _client(self) -> Any:  # noqa: ANN401  an httpx.Client
        import httpx

        limits = httpx.Limits(max_connections=self._connections)
        return httpx.Client(headers=self._headers, timeout=self._timeout, limits=limits)


def _backoff(fault: Exception) -> bool | float:
    """Say whether to ask again, and after how many seconds where the service says so."""
    if not isinstance(fault, BusyError):
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
