"""What a program may pass as a retriever, made into what a pipeline asks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from rageval.errors import InputError
from rageval.retrieval.retrievers.foreign import Foreign
from rageval.retrieval.retrievers.retriever import Retriever


@dataclass(frozen=True)
class Called:
    """A function that is asked like a retriever.

    It is given the question, and the limit and the asker's groups if it takes them.
    """

    function: Callable[..., Iterable[object]]
    name: str
    arguments: int  # 1 question, 2 limit, 3 groups
    thread_safe: bool = False

    def retrieve(self, question: str, limit: int, groups: frozenset[str]) -> Iterable[object]:
        """Call the function."""
        return self.function(*(question, limit, groups)[: self.arguments])


def as_retriever(given: object, timeout: float | None = None, max_unmatched: int = 0) -> Retriever:
    """Return what a pipeline asks: one of our retrievers as it is, anything else wrapped.

    Raises
    ------
    InputError
        If it is neither a function nor an object with `retrieve` or `index`.
    """
    if inspect.isclass(given):
        raise InputError(
            f"retriever: {given.__name__} is a class; pass an object of it: {given.__name__}(…)"
        )
    if isinstance(given, Retriever) and not hasattr(given, "retrieve"):
        return given
    single: object = given
    if hasattr(given, "retrieve"):
        if _arguments(given.retrieve) < 3:
            single = _Wrapped(given, given.retrieve)
    elif callable(given):
        name = getattr(given, "__name__", type(given).__name__)
        single = Called(given, name, _arguments(given))
    else:
        raise _no_retriever(given)
    return Foreign(single, timeout=timeout, max_unmatched=max_unmatched)


def _no_retriever(given: object) -> InputError:
    return InputError(
        f"retriever: {type(given).__name__} is neither a function of a question nor an object "
        "with retrieve(question, limit, groups)"
    )


class _Wrapped(Called):
    """An object whose `retrieve` takes fewer arguments."""

    def __init__(self, given: object, method: Callable[..., Iterable[object]]) -> None:
        safe = bool(getattr(given, "thread_safe", False))
        super().__init__(method, name_of(given), _arguments(method), safe)
        if hasattr(given, "index"):
            object.__setattr__(self, "index", given.index)


def name_of(given: object) -> str:
    """Return what a retriever is called: its own name, that of its function, or of its class."""
    inner = given.retriever if isinstance(given, Foreign) else given
    own = getattr(inner, "name", None) or getattr(inner, "__name__", None)
    return str(own or type(inner).__name__)


def _arguments(function: Callable[..., Any]) -> int:
    """Return how many of question, limit and groups a function takes by position."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some functions written in C have none
        return 1
    if any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters):
        return 3
    required = [p for p in parameters if p.kind in kinds and p.default is inspect.Parameter.empty]
    return min(max(len(required), 1), 3)
