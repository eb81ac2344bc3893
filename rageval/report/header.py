"""What an evaluation was of, in the words of every report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rageval.evaluation.provenance.variant import Variant


@dataclass(frozen=True, slots=True)
class Header:
    """The facts above a table."""

    dataset: str
    split: str  # dev | holdout
    retrieval: str  # retriever, chunking and window in words
    documents: int
    chunks: int
    benchmark: str  # fingerprint
    benchmark_facts: Mapping[str, Any]  # what it is made from
    variant: Variant
    commit: str  # empty outside a repository
    dirty: bool
    notes: tuple[str, ...]  # what was left out or came short, as sentences
    set_id: str = ""  # what the set's lock carries; empty without one
    location: str = ""  # where the set lives
    complete: bool = True  # False: only the passages that came back are known
    held_out: tuple[str, ...] = ()  # digests of the questions and labels that are held out

    @property
    def title(self) -> str:
        """Return one line: the set, its split, the retrieval."""
        return f"{self.dataset} ({self.split}) · {self.retrieval}"

    @property
    def size(self) -> str:
        """Return one clause: how many documents there are, and chunks or passages that came back.

        Of a retriever that brings its own passages nobody knows how many it holds.
        """
        kind = "chunks" if self.complete else "passages came back"
        return f"{self.documents:,} documents, {self.chunks:,} {kind}"

    @property
    def provenance(self) -> str:
        """Return one line: the fingerprints and the commit, shortened."""
        commit = f" · commit {self.commit[:10]}{'+' if self.dirty else ''}" if self.commit else ""
        return f"benchmark {self.benchmark[:10]} · variant {self.variant.whole[:10]}{commit}"
