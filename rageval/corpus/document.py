"""Documents, and the corpus that they make up."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from rageval.corpus.groups import group_fault
from rageval.errors import InputError
from rageval.schema.names import name_fault, shortened


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
        If there is no document, two share an id, or a name is too long or holds line ends and such.
    """

    ids_only: ClassVar[bool] = False  # True: the texts are not known, and more documents may exist

    documents: tuple[Document, ...]
    origin: str  # where it came from, for messages
    notes: tuple[str, ...] = ()  # what the loader left out, as sentences

    def __post_init__(self) -> None:
        if not self.documents:
            raise InputError(f"{self.origin}: the corpus holds no document")
        faults = list(_unfit(self.documents))
        if faults:
            raise InputError.of(f"{self.origin}: {fault}" for fault in faults)
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
        """Name the content: id, text and groups of every document, in any order (64 hex digits)."""
        return _digest(sorted(self.documents, key=lambda document: document.id))

    @cached_property
    def digest_as_read(self) -> str:
        """Name the content and its order (64 hex digits); models of version 0.1.0 keep this."""
        return _digest(self.documents)

    def in_tie_order(self) -> Corpus:
        """Return the same corpus in an order that depends on the ids alone.

        What retrieval finds equally good then stands in this order
        (see `rageval.retrieval.retrievers.top`), and nothing that is computed depends on how a
        file lists its documents.
        """
        return replace(self, documents=tuple(sorted(self.documents, key=_tie_key)))

    @cached_property
    def digests(self) -> dict[str, str]:
        """Name the text of each document: id → 12 hex digits."""
        return {
            document.id: hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest()[
                :12
            ]
            for document in self.documents
        }


_TIE_SEED = b"rageval"  # fixed: another one would order ties in another way


def _tie_key(document: Document) -> tuple[bytes, str]:
    name = document.id.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(name, digest_size=8, key=_TIE_SEED).digest(), document.id


def _unfit(documents: Iterable[Document]) -> Iterator[str]:
    """Yield what is wrong with ids and groups, for the formats that do not tell it by line."""
    known: set[frozenset[str]] = set()
    for document in documents:
        fault = name_fault(document.id)
        if fault:
            yield f"the document id {shortened(document.id)} {fault}"
        if document.groups and document.groups not in known:
            known.add(document.groups)
            told = group_fault(sorted(document.groups))
            if told:
                yield f"document {shortened(document.id)}: {told}"


def _digest(documents: Iterable[Document]) -> str:
    total = hashlib.sha256()
    for document in documents:
        for part in (document.id, document.text, *sorted(document.groups), ""):
            data = part.encode("utf-8", "surrogatepass")
            total.update(len(data).to_bytes(8, "little"))
            total.update(data)
    return total.hexdigest()
