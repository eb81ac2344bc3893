"""A golden set together with what its labels mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rageval.corpus.document import Corpus
from rageval.golden.access import Access
from rageval.golden.question import GoldenSet
from rageval.judging.resolution import Evidence


@dataclass(frozen=True)
class Labelled:
    """A golden set with what its labels mean."""

    golden: GoldenSet
    evidence: Sequence[Evidence]  # one a question
    corpus: Corpus
    access: Access
