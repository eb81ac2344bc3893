"""What became better and what became worse, question by question."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from rageval.comparison.result import Result, Row
from rageval.evaluation.subsets import in_order
from rageval.measures.catalogue import hit_rates

_DEAD_BAND = Fraction(1, 10)  # of the reciprocal rank: the chapter's; the ranks are shown anyway


class Turn(Enum):
    """How a question fared."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    MISSED = "still missed"
    KEPT = "unchanged"


@dataclass(frozen=True, slots=True)
class Change:
    """One question in both results."""

    turn: Turn
    before: Row
    after: Row

    @property
    def moved(self) -> bool:
        """Say whether the first supporting chunk or the best target changed its rank."""
        return any(self.before.ranks[n] != self.after.ranks[n] for n in ("evidence", "target"))

    @property
    def lost(self) -> bool:
        """Say whether something found before is found no more.

        Found is a supporting chunk in the window, a target among the documents of the deepest hit
        rate, silence where nothing answers, or a forbidden document withheld.
        """
        hits = hit_rates(self.before.values)
        return any(self.fell(name) for name in ("recall", "denied_pass", *hits[-1:]))

    def fell(self, measure: str) -> bool:
        """Say whether a measure is lower than it was."""
        then, now = self.before.exact(measure), self.after.exact(measure)
        return then is not None and now is not None and now < then

    @property
    def displaced_by(self) -> str:
        """Return the document that now stands where the answer stood; empty if it is the same."""
        rank = self.before.ranks["target"]
        if not rank or rank > len(self.after.documents):
            return ""
        now = self.after.documents[rank - 1]
        then = self.before.documents[rank - 1] if rank <= len(self.before.documents) else ""
        return "" if now == then else now


@dataclass(frozen=True)
class Comparison:
    """Two results, paired by question id."""

    before: Result
    after: Result
    changes: tuple[Change, ...]  # questions in both with equal labels, in the order of `after`
    added: tuple[str, ...]  # ids in `after` alone
    removed: tuple[str, ...]  # ids in `before` alone
    relabelled: tuple[str, ...]  # ids in both whose text or labels differ; they are not compared

    def of(self, turn: Turn, subset: str = "all") -> list[Change]:
        """Return the questions of a subset that fared in this way."""
        return [c for c in self.changes if c.turn is turn and subset in c.after.subsets]

    @property
    def net(self) -> int:
        """Return improved less regressed questions."""
        return len(self.of(Turn.IMPROVED)) - len(self.of(Turn.REGRESSED))

    @property
    def subsets(self) -> list[str]:
        """Return the subsets of either result, as tables list them."""
        results = (self.after, self.before)
        return in_order(
            {n for found in results for row in found.rows.values() for n in row.subsets}
        )


def compare(before: Result, after: Result) -> Comparison:
    """Pair two results by question; the ids of the rest are listed, never dropped."""
    both = [name for name in after.rows if name in before.rows]
    same = {name for name in both if before.rows[name].labels == after.rows[name].labels}
    return Comparison(
        before,
        after,
        changes=tuple(
            _change(before.rows[name], after.rows[name]) for name in both if name in same
        ),
        added=tuple(name for name in after.rows if name not in before.rows),
        removed=tuple(name for name in before.rows if name not in after.rows),
        relabelled=tuple(name for name in both if name not in same),
    )


def _change(before: Row, after: Row) -> Change:
    """Decide by recall, then by rank.

    A question is improved if its recall rose, or if recall is equal and the reciprocal rank rose by
    more than 0.1; regressed mirrored. For questions that nothing answers or whose answer is denied,
    the hit or the pass decides.
    """
    return Change(_turn(before, after), before, after)


def _turn(before: Row, after: Row) -> Turn:
    for name, band in _deciding(after):
        then, now = before.exact(name), after.exact(name)
        if then is None or now is None:
            continue
        if now - then > band:
            return Turn.IMPROVED
        if then - now > band:
            return Turn.REGRESSED
    return Turn.MISSED if _missed(after) else Turn.KEPT


def _deciding(row: Row) -> list[tuple[str, Fraction]]:
    none = Fraction(0)
    if row.values.get("recall") is not None:
        return [("recall", none), ("mrr", _DEAD_BAND)]
    return [(name, none) for name in (*hit_rates(row.values), "denied_pass") if name in row.values]


def _missed(row: Row) -> bool:
    return all(row.exact(name) in {None, Fraction(0)} for name, _ in _deciding(row))
