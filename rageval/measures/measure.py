"""What a measure is: its names, what it looks at, and the function that computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rageval.measures.rankings import JudgedRankings
from rageval.measures.values import Values


class Grain(Enum):
    """What a measure counts."""

    DOCUMENTS = "documents"  # distinct documents of the ranking
    CHUNKS = "chunks"  # chunks of the window
    CHARACTERS = "characters"  # characters of the window
    QUESTIONS = "questions"  # whether something happened at all


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure: a value in 0..1 for each question it applies to; tables show means of it.

    Parameters
    ----------
    name
        The key in tables and tracking, such as `hit_rate_at_1`.
    heading
        The name at the top of a column, such as `hit@1`.
    meaning
        One line in words.
    grain
        What is counted.
    values
        The function: rankings with their labels → one value a question.
    standard
        The field's name for it, as ir_measures writes it; empty where it has none.
    lower_is_better
        Whether a lower value is better.
    headline
        Whether comparisons test it and leaderboards show it.
    across_questions
        Whether means over different questions can be compared; a share of the window cannot, since
        it depends on how much evidence a question has.
    across_chunkings
        Whether values under different chunkings can be compared.
    in_table
        Whether it has a column of its own in the table of subsets; the others stand below it.
    depth
        How many distinct documents it looks at; 0 = the whole ranking, or none.
    """

    name: str
    heading: str
    meaning: str
    grain: Grain
    values: Callable[[JudgedRankings], Values]
    standard: str = ""
    lower_is_better: bool = False
    headline: bool = False
    across_questions: bool = False
    across_chunkings: bool = False
    in_table: bool = False
    depth: int = 0


@runtime_checkable
class OwnMeasure(Protocol):
    """What a user's measure must have: `measures.own.NAME._target_=their.module.Class`.

    Higher is better. A docstring's first line is shown as its meaning.
    """

    def values(self, rankings: JudgedRankings) -> NDArray[np.float64]:
        """Return one value in 0..1 a question: [n]. Only answerable questions count."""
        ...
