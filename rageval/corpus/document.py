"""Documents, and the corpus that they make up."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from rageval.errors import InputError


@dataclass(frozen=True, slots=True)
class Document:
    """One document as the labels know it; positions in `text` are Python characters."""

    id: str
    text: str
    groups: frozenset[str] = frozenset()  # who may see it; empty = everybody

    def visible_to(self, groups: frozenset[str]) -> bool:
        """Say whether an asker of these groups may see the document: it is public or shares one."""
        return not self.groups or not self.groups.isdisjoint(groups)


@dataclass(frozen=True)
class Corpus:
    """Documents in a fixed order; a document's position is its number everywhere behind the edges.

    Raises
    ------
    InputError
        If there is no document or two share an id.
    """

    documents: tuple[Document, ...]
    origin: str  # where it came from, for messages

    def __post_init__(self) -> None:
        if not self.documents:
            raise InputError(f"{self.origin}: the corpus holds no document")
        if len(self.number) < len(self.documents):
            counts = Counter(document.id for document in self.documents)
            raise InputError.of(
                f"{self.origin}: document id {name!r} occurs {times} times, each id must be unique"
                for name, times in counts.items()
                if times > 1
            )

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __getitem__(self, number: int) -> Document:
        return self.documents[number]

    @cached_property
    def number(self) -> dict[str, int]:
        """Map each document id to its position."""
        return {document.id: n for n, document in enumerate(self.documents)}

    def find(self, name: str) -> Document | None:
        """Return the document of that id, or None."""
        number = self.number.get(name)
        return None if number is None else self.documents[number]

    @cached_property
    def contents(self) -> tuple[tuple[int, int], ...]:
        """The half-open characters of each document without the white space around its text."""
        texts = (document.text for document in self.documents)
        return tuple((len(text) - len(text.lstrip()), len(text.rstrip())) for text in texts)

    @cached_property
    def digest(self) -> str:
        """Name the content: id, text and groups of every document, in order (64 hex digits)."""
        return _digest(self.documents)


def _digest(documents: Iterable[Document]) -> str:
    total = hashlib.sha256()
    for document in documents:
        for part in (document.id, document.text, *sorted(document.groups), ""):
            data = part.encode("utf-8", "surrogatepass")
            total.update(len(data).to_bytes(8, "little"))
            total.update(data)
    return total.hexdigest()
