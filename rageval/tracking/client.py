"""MLflow's client, with a store that stops answering told as what it is."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from types import FrameType
from typing import Any

from rageval.errors import UnreachableError
from rageval.escaping.redaction import without_accounts

# What a store that answers may say; anything else is a store that does not work.
ANSWERS = {
    "RESOURCE_DOES_NOT_EXIST", "RESOURCE_ALREADY_EXISTS", "RESOURCE_CONFLICT", "NOT_FOUND",
    "INVALID_PARAMETER_VALUE", "INVALID_STATE", "BAD_REQUEST", "ALREADY_EXISTS",
}  # fmt: skip
_TOLD_BY_THE_CALLER = {"download_artifacts"}  # a missing file looks like a broken store there


class Client:
    """An `mlflow.MlflowClient` whose calls raise UnreachableError where the store is gone."""

    def __init__(self, client: Any, shown: str) -> None:  # noqa: ANN401  an MlflowClient
        self._client, self._shown = client, shown

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever MLflow's client has
        found = getattr(self._client, name)
        if not callable(found) or name in _TOLD_BY_THE_CALLER:
            return found

        @wraps(found)
        def call(*words: Any, **named: Any) -> Any:  # noqa: ANN401
            from mlflow.exceptions import MlflowException
            from requests.exceptions import RequestException

            try:
                with _whole():
                    words, named = _clean(name, words, named)
                    return found(*words, **named)
            except MlflowException as fault:
                if fault.error_code in ANSWERS:
                    raise
                raise gone(self._shown, fault) from fault
            except RequestException as fault:
                raise gone(self._shown, fault) from fault

        return call


_TEXTS = {"tags", "description", "run_name"}  # what callers put words into


def _clean(
    method: str, words: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Return what a call is given without the secrets in the texts that it keeps."""
    if method.startswith("set_") and method.endswith("tag") and words:
        words = (*words[:-1], _redacted(words[-1]))
    texts = {key: _redacted(value) for key, value in named.items() if key in _TEXTS}
    lists = {key: [*map(_redacted, value)] for key, value in named.items() if key == "params"}
    return words, {**named, **texts, **lists}


def _redacted(value: Any) -> Any:  # noqa: ANN401  a text, tags as MLflow takes them, or a param
    from mlflow.entities import Param, RunTag

    if isinstance(value, str):
        return without_accounts(value)
    if isinstance(value, dict):
        return {key: _redacted(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted(inner) for inner in value]
    if isinstance(value, Param | RunTag):
        return type(value)(value.key, _redacted(value.value))
    return value


@contextmanager
def _whole() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait for the end of a call; a second one does not wait.

    Half a transaction would keep sqlite locked for this very process, which then could not even
    write how it ended.
    """
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    handlers = {number: found for number, found in before.items() if callable(found)}
    if not handlers or threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[tuple[int, FrameType | None]] = []

    def note(number: int, frame: FrameType | None) -> None:
        received.append((number, frame))
        if len(received) > 1:
            handlers[signal.Signals(number)](number, frame)

    for caught in handlers:
        signal.signal(caught, note)
    try:
        yield
    finally:
        for caught, handler in handlers.items():
            signal.signal(caught, handler)
        if len(received) == 1:
            number, frame = received[0]
            handlers[signal.Signals(number)](number, frame)


def gone(shown: str, fault: Exception) -> UnreachableError:
    """Return the error for a store, as its address is shown, that stopped answering."""
    first = (str(fault).strip().splitlines() or [type(fault).__name__])[0]
    return UnreachableError(f"tracking store {shown} does not answer: {without_accounts(first)}")
