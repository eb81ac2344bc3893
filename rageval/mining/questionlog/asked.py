"""One question as a running system logged it, and the log that it stands in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from rageval.errors import InputError
from rageval.files.errors import ErrorCollector


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that somebody asked; what the log does not tell is None."""

    text: str
    row: int  # of the log: 1, 2, …
    when: datetime | None = None  # with its time zone
    top_score: float | None = None  # of the best result, in the scale of the system's retriever
    results: int | None = None  # how many came back
    helpful: bool | None = None  # what the asker said; None = nothing
    answered: bool | None = None  # whether the system gave an answer
    asker: str | None = None
    documents: tuple[str, ...] = ()  # ids that came back, best first


@dataclass(frozen=True)
class Log:
    """A question log, in the order of its source."""

    place: str  # where it was read from, in words
    rows: tuple[Asked, ...]
    blank: int  # rows without a question, which are left out
    unheard: tuple[str, ...] = ()  # feedback that neither praises nor complains, some of it

    def masked(self, mask: Callable[[str], str]) -> Log:
        """Return the log with every question masked, so that nothing later sees what was said.

        What the mask leaves nothing of counts as blank.

        Raises
        ------
        InputError
            If the mask fails or gives no text; without its words, which may hold what was said.
        """
        texts = [_masked(one, mask, self.place) for one in self.rows]
        pairs = zip(self.rows, texts, strict=True)
        rows = tuple(replace(one, text=text) for one, text in pairs if text)
        return replace(self, rows=rows, blank=self.blank + len(self.rows) - len(rows))

    def __iter__(self) -> Iterator[Asked]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def _masked(asked: Asked, mask: Callable[[str], str], place: str) -> str:
    try:
        text: object = mask(asked.text)
    except Exception as fault:  # a user's class may raise anything
        told = f"{place}:{asked.row}: the masking failed with {type(fault).__name__}"
        raise InputError(told) from fault
    if not isinstance(text, str):
        kind = type(text).__name__
        raise InputError(f"{place}:{asked.row}: the masking gave {kind}, a text is needed")
    return text.strip()


class Source(Protocol):
    """A table of questions. One class a kind of source, one file a class."""

    @property
    def place(self) -> str:
        """Return where the rows come from, in words and without a password."""

    def rows(self, faults: ErrorCollector) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield each row with its number (1, 2, …), as column → value; faulty ones are noted.

        Raises
        ------
        InputError
            If the source cannot be read.
        UnreachableError
            If a database does not answer.
        """
