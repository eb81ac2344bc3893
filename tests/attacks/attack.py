"""One attack: what is tried, and the exit code and sentence that answer it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from conftest import Said
from desk import Desk


@dataclass(frozen=True)
class Attack:
    """An attempt to get a wrong verdict, and the right answer to it."""

    name: str  # of the function that tries it
    topic: str  # heading of its table in docs/attacks.md
    tries: str  # what is tried, in words
    code: int  # exit code that answers it
    sentence: str  # what the command prints; … stands for what varies
    run: Callable[[Desk], Said]

    def answered_by(self, said: Said) -> bool:
        """Say whether a command's output holds the sentence, whatever its line breaks."""
        pattern = r".*?".join(re.escape(part) for part in _flat(self.sentence).split("…"))
        return re.search(pattern, _flat(said.out + " " + said.err)) is not None


def _flat(text: str) -> str:
    return " ".join(text.split())


def attack(topic: str, code: int, sentence: str) -> Callable[[Callable[[Desk], Said]], Attack]:
    """Make an attack of a function; its docstring says what is tried.

    The function gets a desk (a folder with an empty tracking store and the tiny set in `tiny/`) and
    returns what the last command printed.
    """

    def make(run: Callable[[Desk], Said]) -> Attack:
        tries = _flat(run.__doc__ or "")
        return Attack(run.__name__, topic, tries, code, sentence, run)

    return make
