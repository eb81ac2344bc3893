"""What every corpus format is: something that loads a corpus."""

from __future__ import annotations

from typing import Protocol

from rageval.corpus.document import Corpus


class CorpusSource(Protocol):
    """Reads documents from where they are kept."""

    def load(self) -> Corpus:
        """Return the corpus; all faults of it are raised as one InputError."""
        ...
