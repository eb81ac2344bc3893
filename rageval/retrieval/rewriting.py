"""From a question and the turns before it to the text that is searched for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from rageval.schema.fields import Natural, component


class Rewriter(Protocol):
    """Makes a follow-up question stand on its own."""

    def rewrite(self, question: str, history: Sequence[str]) -> str:
        """Return the text to search for; `history` holds the earlier turns, oldest first."""
        ...


@component
class JoinTurns:
    r"""Puts the last turns before the question; without history the question stays as it is.

    Examples
    --------
    >>> JoinTurns(turns=1).rewrite("And in Germany?", ["Hello", "What is the per diem?"])
    'What is the per diem?\nAnd in Germany?'
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ()

    turns: Natural = 2

    def rewrite(self, question: str, history: Sequence[str]) -> str:
        """Join the last `turns` turns and the question, a line each."""
        return "\n".join([*history[len(history) - min(self.turns, len(history)) :], question])
