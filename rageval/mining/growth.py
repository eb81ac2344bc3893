"""Whether a golden set keeps up with what is asked and with what there is to be found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from rageval.corpus.document import Corpus
from rageval.golden.question import GoldenSet, Question
from rageval.mining.questionlog.asked import Asked

STALE = timedelta(days=61)  # two months: a set that has not grown for so long is stale
_NAMED = 5


@dataclass(frozen=True)
class Growth:
    """The age of a set, and what it does not ask about."""

    newest: date | None  # when the newest question was added; None = no question says so
    stale: bool
    undated: int  # questions that do not say when they were added
    still: Mapping[str, date | None]  # subset without growth → its newest question
    unasked: tuple[str, ...]  # documents that answer no question
    returned: Mapping[str, int]  # of those, what production returned → how often, most first
    documents: int


def growth(
    golden: GoldenSet,
    corpus: Corpus,
    members: Mapping[str, NDArray[np.bool_]],
    log: Sequence[Asked],
    today: date,
) -> Growth:
    """Return how a set grows; `members` says which questions each subset holds: [n_questions].

    `log` is what was asked lately; where it says which documents came back, those that answer no
    question of the set are counted.
    """
    added = [_day(question) for question in golden]
    newest = _newest(added)
    still = {
        subset: latest
        for subset, inside in members.items()
        if _old(latest := _newest([added[row] for row in np.flatnonzero(inside)]), today)
    }
    asked = {name for question in golden for name in _documents(question)}
    unasked = tuple(document.id for document in corpus if document.id not in asked)
    counted = Counter(name for one in log for name in one.documents if name not in asked)
    returned = dict(counted.most_common())
    undated = added.count(None)
    return Growth(newest, _old(newest, today), undated, still, unasked, returned, len(corpus))


def _day(question: Question) -> date | None:
    return None if question.added is None else date.fromisoformat(question.added)


def _newest(days: Sequence[date | None]) -> date | None:
    return max((day for day in days if day is not None), default=None)


def _old(newest: date | None, today: date) -> bool:
    return newest is None or today - newest > STALE


def _documents(question: Question) -> Iterator[str]:
    yield from question.targets
    for need in question.supporting:
        yield from (reference.document for reference in need)


def sentences(found: Growth) -> Iterator[str]:
    """Yield what the growth of a set says, the gravest first."""
    if found.newest is None:
        yield "no question says when it was `added`: whether the set grows cannot be told"
    elif found.stale:
        yield f"STALE: the newest question is of {found.newest}, over two months ago"
    else:
        yield f"the newest question is of {found.newest}"
    if found.undated and found.newest is not None:
        yield f"{found.undated} questions do not say when they were `added`"
    if found.still and not found.stale:
        told = [f"{name} ({day or 'no date'})" for name, day in found.still.items()]
        yield f"{len(told)} subsets without a new question for two months: {_some(told)}"
    if found.unasked:
        share = len(found.unasked) / found.documents
        yield (
            f"{len(found.unasked)} of {found.documents} documents ({share:.0%}) answer no "
            f"question: {_some(found.unasked)}"
        )

    if found.returned:
        told = [f"{name} ({times})" for name, times in found.returned.items()]
        yield f"{len(told)} documents that production returned answer no question: {_some(told)}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


@dataclass(frozen=True)
class Turnover:
    """What became of the documents since a run."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    before: int  # documents then

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def turnover(before: Mapping[str, str], now: Mapping[str, str]) -> Turnover:
    """Return what changed between two states of a corpus, each document id → digest.

    Examples
    --------
    >>> turnover({"a": "1", "b": "2"}, {"a": "1", "b": "3", "c": "4"})
    Turnover(added=('c',), removed=(), changed=('b',), before=2)
    """
    return Turnover(
        added=tuple(name for name in now if name not in before),
        removed=tuple(name for name in before if name not in now),
        changed=tuple(name for name in now if name in before and before[name] != now[name]),
        before=len(before),
    )
