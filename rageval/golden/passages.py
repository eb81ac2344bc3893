"""Where the corpus holds a text that a label gives in full."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from rageval.corpus.document import Corpus
from rageval.errors import InputError

_HOP = re.compile(r"^<\d+-hop>\s*")  # Ragas puts it before the contexts of several hops
_LISTED = 5  # documents in a message


class Passages:
    """Looks texts up in a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

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
        whole = self._whole.get(wanted, [])
        found = whole or [document.id for document in self._corpus if wanted in document.text]
        shown = f"“{wanted[:60]}{'…' if len(wanted) > 60 else ''}”"
        if not found:
            raise InputError(f"no document of the corpus holds {shown}")
        if len(found) > 1:
            names = ", ".join(found[:_LISTED]) + (", …" if len(found) > _LISTED else "")
            raise InputError(f"{len(found)} documents hold {shown}: {names}; name the right one")
        return {"document": found[0]} if whole else {"document": found[0], "quote": wanted}

    def place(self, document: str, text: str) -> Mapping[str, str]:
        """Return a text of a named document as a reference: the document itself, or a quote of it.

        Raises
        ------
        InputError
            If the document does not hold the text.
        """
        wanted = _HOP.sub("", text).strip()
        found = self._corpus.find(document)
        if found is None or not wanted or found.text.strip() == wanted:
            return {"document": document}  # an unknown document is told with all the others
        if wanted not in found.text:
            raise InputError(f"the document {document!r} does not hold “{wanted[:60]}”")
        return {"document": document, "quote": wanted}

    @cached_property
    def _whole(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for document in self._corpus:
            found.setdefault(document.text.strip(), []).append(document.id)
        return found
