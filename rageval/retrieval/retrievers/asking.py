"""Asking a user's retriever: one question after the other, several at a time, or within a time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from rageval.retrieval.retrievers.failure import Failure

Q = TypeVar("Q")
A = TypeVar("A")


def answers(
    ask: Callable[[Q], A | Failure], queries: Sequence[Q], workers: int, timeout: float | None
) -> list[A | Failure]:
    """Return the answer to each query, [n_queries].

    With one worker and no timeout the queries are asked in the thread of the caller: connections
    that belong to a thread work, and Ctrl-C reaches the retriever. Otherwise they are asked in
    threads that end with the program, whatever hangs in them.

    Parameters
    ----------
    ask
        Asks one query; it raises nothing.
    queries
        What to ask.
    workers
        How many are asked at a time.
    timeout
        Seconds that an answer may take; None = any time. A thread that hangs cannot be ended: it
        is left behind, and the next query is asked beside it.
    """
    if workers == 1 and timeout is None:
        return [ask(query) for query in queries]
    found: list[A | Failure] = [Failure("was not asked")] * len(queries)
    left = iter(range(len(queries)))
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                row = next(left, None)
            if row is None:
                return
            found[row] = _within(ask, queries[row], timeout)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _within(ask: Callable[[Q], A | Failure], query: Q, timeout: float | None) -> A | Failure:
    if timeout is None:
        return ask(query)
    answered: list[A | Failure] = []
    thread = threading.Thread(target=lambda: answered.append(ask(query)), daemon=True)
    thread.start()
    thread.join(timeout)
    late = Failure(f"no answer within {timeout:g} s (retriever.timeout)")
    return answered[0] if answered else late


def awaited(found: Awaitable[Any]) -> Any:  # noqa: ANN401  what a user's method returns
    """Return what an awaitable comes to, also inside of a running event loop, as in a notebook."""

    async def wait() -> Any:  # noqa: ANN401
        return await found

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    results: list[Any] = []
    faults: list[BaseException] = []

    def run() -> None:
        try:
            results.append(asyncio.run(wait()))
        except BaseException as fault:  # noqa: BLE001  raised again by the thread that asked
            faults.append(fault)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join()
    if faults:
        raise faults[0]
    return results[0]
