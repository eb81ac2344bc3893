"""From hits to places in the corpus."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from rageval.chunking.chunks import Chunks
from rageval.errors import InputError
from rageval.judging.outline import Outline
from rageval.retrieval.passages.hit import Hit
from rageval.retrieval.passages.text_index import Place, TextIndex

_OWN_ID = re.compile(r"(?P<document>.+)#(?P<start>\d+)-(?P<end>\d+)", re.DOTALL)


class Located(NamedTuple):
    """Where a hit stands, or why that is unknown."""

    place: Place | None
    reason: str = ""  # why there is no place
    document: int | None = None  # of a hit without a place: its document, where that is known
    others: int = 0  # more places that hold the same text; the first one counts


class Locator:
    """Finds the places that hits name in one corpus."""

    def __init__(self, chunks: Chunks) -> None:
        self._chunks, self._corpus = chunks, chunks.corpus
        self._texts = TextIndex(chunks.corpus)
        self._outlines: dict[int, Outline] = {}

    def locate(self, hit: Hit) -> Located:
        """Return the place that a hit names.

        Of what a hit says the most exact counts: characters, then its text, then a heading, then
        the document. A document alone stands for all its characters.
        """
        name = hit.document or hit.id
        number = self._corpus.number.get(name)
        if self._corpus.ids_only:
            return self._by_name(name, number)
        if hit.document and number is None:
            return Located(None, f"the corpus has no document {hit.document!r}")
        if number is None:
            return self._by_id(hit)
        if hit.span is not None:
            return self._span(number, hit.span)
        if hit.text:
            return self._text(hit.text, number)
        if hit.heading:
            return self._heading(number, hit.heading)
        return Located(self._document(number))

    def _by_name(self, name: str, number: int | None) -> Located:
        """Locate a hit where no text is known: it stands for its document, labelled or not."""
        if number is not None:
            return Located(self._document(number))
        if name.strip():
            return Located(None)  # no label names it, which is no fault
        return Located(None, "which names no document, and no text is at hand to look it up in")

    def _by_id(self, hit: Hit) -> Located:
        """Locate a hit by an id that names no document, or by its text alone."""
        own = _OWN_ID.fullmatch(hit.id)
        if own and own["document"] in self._corpus.number:
            number = self._corpus.number[own["document"]]
            return self._span(number, (int(own["start"]), int(own["end"])))
        if hit.text:
            return self._text(hit.text, None)
        if len(hit.id.split()) > 1:  # ids have no spaces as a rule: it may be the passage itself
            found = self._text(hit.id, None)
            if found.place is not None:
                return found
        return Located(
            None,
            "which is neither a passage of this chunking nor a document of the corpus",
        )

    def _span(self, number: int, span: tuple[int, int]) -> Located:
        length = len(self._corpus[number].text)
        if not 0 <= span[0] <= span[1] <= length:
            return Located(None, f"but the document has {length} characters", number)
        return Located(Place(number, *span))

    def _text(self, text: str, number: int | None) -> Located:
        places = self._texts.places(text, number)
        if places:
            return Located(places[0], others=len(places) - 1)
        where = "corpus" if number is None else "document"
        return Located(None, f"which the {where} does not hold", number)

    def _heading(self, number: int, heading: tuple[str, ...]) -> Located:
        text = self._corpus[number].text
        if number not in self._outlines:
            self._outlines[number] = Outline(text)
        outline = self._outlines[number]
        try:
            return Located(Place(number, *outline.place(heading)))
        except InputError as fault:
            ends = outline.ending(heading) if len(heading) == 1 else []
            if len(ends) == 1:
                return Located(Place(number, *ends[0]))
            return Located(None, f"but {fault}", number)

    def _document(self, number: int) -> Place:
        """Return the one chunk of a document, or the document as a whole."""
        single = self._single.get(number)
        if single is not None:
            return Place(number, int(self._chunks.start[single]), int(self._chunks.end[single]))
        return Place(number, 0, len(self._corpus[number].text))

    @cached_property
    def _single(self) -> dict[int, int]:
        """Map each document of one chunk to that chunk."""
        chunks: dict[int, int | None] = {}
        for chunk, document in enumerate(self._chunks.document.tolist()):
            chunks[document] = None if document in chunks else chunk
        return {document: chunk for document, chunk in chunks.items() if chunk is not None}
