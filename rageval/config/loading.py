"""From a dataset's configuration to its corpus, its questions and their evidence, all checked."""

from __future__ import annotations

from dataclasses import dataclass

from rageval.config.build import build
from rageval.config.settings import DatasetConfig
from rageval.corpus.document import Corpus
from rageval.golden.access import Access
from rageval.golden.check import check
from rageval.golden.question import GoldenSet
from rageval.judging.evidence import Evidence
from rageval.judging.resolution import resolve
from rageval.judging.split import Split, assign


@dataclass(frozen=True)
class Dataset:
    """A corpus with its golden set, whole: both sides of the split."""

    corpus: Corpus
    golden: GoldenSet
    evidence: tuple[Evidence, ...]  # one a question
    access: Access
    split: Split

    def dev(self) -> tuple[GoldenSet, tuple[Evidence, ...]]:
        """Return the questions of the dev side with their evidence."""
        ...
