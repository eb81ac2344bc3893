"""MLflow's client, with a deadline, and a store that stops answering reported as what it is."""

from __future__ import annotations

import contextvars
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import FrameType
from typing import Any, TypeVar

from rageval.escaping.redaction import without_accounts
from rageval.tracking.faults import ANSWERS, TrackingError, first_line, tracking_error

_TOLD_BY_THE_CALLER = {"download_artifacts"}  # a missing file looks like a broken store there
T = TypeVar("T")


class Client:
    """An `mlflow.MlflowClient` whose calls raise TrackingError where the store is gone.

    With a timeout in seconds no call takes longer; after one that did the store counts as gone, so
    that what is left to do about it does not wait again.
    """

    def __init__(self, client: Any, shown: str, timeout: float | None = None) -> None:  # noqa: ANN401  an MlflowClient
        self._client, self._shown, self._timeout = client, shown, timeout
        self._late: TrackingError | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever MLflow's client has
        found = getattr(self._client, name)
        if not callable(found):
            return found

        @wraps(found)
        def call(*words: Any, **named: Any) -> Any:  # noqa: ANN401
            words, named = _clean(name, words, named)
            return self.within(lambda: found(*words, **named), name in _TOLD_BY_THE_CALLER)

        return call

    def within(self, work: Callable[[], T], told_by_caller: bool = False) -> T:
        """Do something with the store, for no longer than a call may take.

        Raises
        ------
        TrackingError
            If the store does not answer in time, or not at all.
        """
        from mlflow.exceptions import MlflowException
        from requests.exceptions import RequestException

        if self._late is not None:
            raise self._late
        try:
            with _whole():
                return in_time(work, self._timeout)
        except MlflowException as fault:
            if told_by_caller or fault.error_code in ANSWERS:
                raise
            raise tracking_error(self._shown, fault) from fault
        except RequestException as fault:
            raise tracking_error(self._shown, fault) from fault
        except Late as fault:
            self._late = late(self._shown, self._timeout)
            raise self._late from fault
        except unreadable() as fault:
            raise rubbish(self._shown, self._timeout, fault) from fault


class Late(Exception):
    """A call took longer than it may."""


def late(shown: str, seconds: float | None) -> TrackingError:
    """Return the error for a store that did not answer in time."""
    return TrackingError(
        f"tracking store {shown} does not answer within {seconds or 0:g} s (tracking.timeout)"
    )


def unreadable() -> tuple[type[Exception], ...]:
    """Return what MLflow's client raises where a server gives an answer that is not MLflow's."""
    from google.protobuf.json_format import Error

    return (ValueError, KeyError, TypeError, AttributeError, Error)


def rubbish(shown: str, timeout: float | None, fault: Exception) -> Exception:
    """Return the error for an answer that is not MLflow's; without a server, `fault` itself."""
    if timeout is None:
        return fault
    return TrackingError(
        f"tracking store {shown} gives no answer of MLflow's ({type(fault).__name__}: "
        f"{first_line(fault)}); is it an MLflow server?"
    )


def in_time(work: Callable[[], T], seconds: float | None) -> T:
    """Return what some work returns, for which it may take so many seconds; None: any number.

    What takes longer goes on in a thread that ends with the program; nothing waits for it.

    Raises
    ------
    Late
        If it takes longer.
    """
    if seconds is None:
        return work()
    came: list[T] = []
    broke: list[BaseException] = []
    context = contextvars.copy_context()

    def run() -> None:
        try:
            came.append(context.run(work))
        except BaseException as fault:  # noqa: BLE001  it is raised again where it is waited for
            broke.append(fault)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if broke:
        raise broke[0]
    if not came:
        raise Late
    return came[0]


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
