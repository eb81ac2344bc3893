"""Where the corpus holds a text that a label gives in full."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError

_HOP = re.compile(r"^<\d+-hop>\s*")  # Ragas puts it before the contexts of several hops
_LISTED = 5  # documents in a message
_SHOWN = 60  # characters of a text in a message


class Passages:
    """Looks texts up in a corpus: character for character, or else up to white space.

    How many were found up to white space only is counted, for it must be said.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.loose = 0  # texts found that stand there with other white space

    @property
    def notes(self) -> tuple[str, ...]:
        """Say how many texts stand in the corpus with other white space."""
        if not self.loose:
            return ()
        texts = "label text was" if self.loose == 1 else "label texts were"
        return (f"{self.loose} {texts} matched up to white space",)

    def reference(self, text: str) -> Mapping[str, str]:
        """Return the document whose text it is, or the one that holds it once, with the quote.

        White space around it does not count, nor does what Ragas puts before it (`<1-hop>`).

        Raises
        ------
        InputError
            If no document or several hold it; nothing is guessed.
        """
        wanted = _HOP.sub("", text).strip()
        if not wanted:
            raise InputError("a text is blank")
        if whole := self._whole.get(_spaced(wanted), []):
            return {"document": _only(whole, wanted)}
        exact = [document.id for document in self._corpus if wanted in document.text]
        if exact:
            return {"document": _only(exact, wanted), "quote": wanted}
        found = self._spaced_holders(wanted)
        if not found:
            raise InputError(f"no document of the corpus holds {_shown(wanted)}")
        name = _only([document.id for document in found], wanted)
        return {"document": name, "quote": self._as_it_stands(wanted, found[0])}

    def place(self, document: str, text: str) -> Mapping[str, str]:
        """Return a text of a named document as a reference: the document itself, or a quote of it.

        Raises
        ------
        InputError
            If the document does not hold the text.
        """
        wanted = _HOP.sub("", text).strip()
        found = self._corpus.find(document)
        if found is None or not wanted or _spaced(found.text) == _spaced(wanted):
            return {"document": document}  # an unknown document is reported with all the others
        if wanted in found.text:
            return {"document": document, "quote": wanted}
        if _spaced(wanted) not in _spaced(found.text):
            raise InputError(f"the document {document!r} does not hold {_shown(wanted)}")
        return {"document": document, "quote": self._as_it_stands(wanted, found)}

    def holds(self, text: str) -> bool:
        """Say whether any document holds a text, up to white space."""
        wanted = _spaced(_HOP.sub("", text))
        return bool(wanted) and any(wanted in spaced for spaced in self._spaced_texts)

    def _spaced_holders(self, wanted: str) -> list[Document]:
        spaced = _spaced(wanted)
        pairs = zip(self._corpus, self._spaced_texts, strict=True)
        return [document for document, text in pairs if spaced in text]

    def _as_it_stands(self, wanted: str, document: Document) -> str:
        """Return the one passage of a document that is a text but for its white space.

        Raises
        ------
        InputError
            If there are several.
        """
        found = list(places_up_to_space(wanted, document.text))
        if len(found) > 1:
            raise InputError(
                f"the document {document.id!r} holds {_shown(wanted)} {len(found)} times; "
                "quote more of it"
            )
        self.loose += 1
        start, end = found[0]
        return document.text[start:end]

    @cached_property
    def _whole(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for document, text in zip(self._corpus, self._spaced_texts, strict=True):
            found.setdefault(text, []).append(document.id)
        return found

    @cached_property
    def _spaced_texts(self) -> list[str]:
        return [_spaced(document.text) for document in self._corpus]


def places_up_to_space(quote: str, text: str) -> Iterator[tuple[int, int]]:
    r"""Yield the half-open places where a text holds a quote, whatever white space stands between.

    Examples
    --------
    >>> list(places_up_to_space("two three", "one two\n three"))
    [(4, 14)]
    """
    words = quote.split()
    if words:
        pattern = r"\s+".join(map(re.escape, words))
        yield from (match.span() for match in re.finditer(pattern, text))


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _shown(text: str) -> str:
    return f"“{text[:_SHOWN]}{'…' if len(text) > _SHOWN else ''}”"


def _only(names: list[str], wanted: str) -> str:
    if len(names) > 1:
        listed = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
        raise InputError(
            f"{len(names)} documents hold {_shown(wanted)}: {listed}; name the right one"
        )
    return names[0]
