"""Subsets of the questions, and a measure's value over each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rageval.golden.question import Question
from rageval.measures.values import Values
from rageval.statistics.wilson import wilson

ALL = "all"


@dataclass(frozen=True, slots=True)
class Summary:
    """A measure over a subset."""

    n: int  # questions of the subset that the measure applies to
    value: float | None  # their mean; None if n = 0
    low: float | None  # 95 % interval
    high: float | None

    @classmethod
    def of(cls, value: float | None, n: int) -> Summary:
        """Return the mean of n values in 0..1 with its 95 % interval; None and 0 have none."""
        return cls(n, None, None, None) if value is None else cls(n, value, *wilson(value, n))


def members(
    questions: Sequence[Question], groups: Callable[[str | None], frozenset[str]]
) -> dict[str, NDArray[np.bool_]]:
    """Return who belongs to each subset, `all` first and then by kind and name: [n_questions] each.

    A question counts in every subset that names it: of its form, hard class, tags, groups of its
    asker (`asker.public` without any) and answerability. Only subsets that occur are listed.

    Examples
    --------
    >>> rows = [Question("a", "?", form="GAP"), Question("b", "?", form="MATCH", tags=("code",))]
    >>> {name: row.tolist() for name, row in members(rows, lambda asker: frozenset()).items()}
    ... # doctest: +NORMALIZE_WHITESPACE
    {'all': [True, True], 'form.GAP': [True, False], 'form.MATCH': [False, True],
     'tag.code': [False, True], 'asker.public': [True, True], 'answerable.true': [True, True]}
    """
    named = [subsets_of(question, groups(question.asker)) for question in questions]
    found = set().union(*named)
    return {name: np.array([name in row for row in named], dtype=bool) for name in in_order(found)}


def subsets_of(question: Question, groups: frozenset[str]) -> frozenset[str]:
    """Return the subsets that a question counts in; `groups` are those of its asker."""
    return frozenset(
        [
            ALL,
            *([f"form.{question.form}"] if question.form else []),
            *([f"class.{question.hard_class}"] if question.hard_class else []),
            *(f"tag.{tag}" for tag in question.tags),
            *(f"asker.{group}" for group in groups or ["public"]),
            f"answerable.{question.answerable.value}",
        ]
    )


_KINDS = (ALL, "form", "class", "tag", "asker", "answerable")


def in_order(names: Iterable[str]) -> list[str]:
    """Return subsets as tables list them: `all`, then by kind, then by name.

    Examples
    --------
    >>> in_order(["tag.b", "form.MATCH", "all", "tag.a", "form.GAP"])
    ['all', 'form.GAP', 'form.MATCH', 'tag.a', 'tag.b']
    """

    def place(name: str) -> tuple[int, str]:
        kind = name.partition(".")[0]
        return (_KINDS.index(kind) if kind in _KINDS else len(_KINDS), name)

    return sorted(names, key=place)


def summarise(values: Values, inside: NDArray[np.bool_]) -> Summary:
    """Return the mean over a subset with its 95 % interval.

    Examples
    --------
    >>> found = Values(np.array([1.0, 1.0, 1.0, 0.0]), np.ones(4, bool))
    >>> summary = summarise(found, np.ones(4, bool))
    >>> summary.n, summary.value, round(summary.low, 3), round(summary.high, 3)
    (4, 0.75, 0.301, 0.954)
    """
    counted = values.value[inside & values.counts]
    if len(counted) == 0:
        return Summary.of(None, 0)
    return Summary.of(math.fsum(counted.tolist()) / len(counted), len(counted))


def table(
    values: Mapping[str, Values], subsets: Mapping[str, NDArray[np.bool_]]
) -> dict[str, dict[str, Summary]]:
    """Return every measure over every subset: subset → measure → summary."""
    return {
        subset: {name: summarise(column, inside) for name, column in values.items()}
        for subset, inside in subsets.items()
    }
