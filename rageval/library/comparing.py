"""Several results, paired by question with one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rageval.comparison.changes import Change, Comparison, Turn
from rageval.comparison.changes import compare as pair
from rageval.comparison.paired import Paired, differences_of, paired
from rageval.errors import InputError
from rageval.library.evaluating import EvaluationResult, key_of
from rageval.library.tables import Tabular
from rageval.measures.catalogue import (
    comparable_across_chunkings,
    headlines,
    measure_named,
)
from rageval.statistics.holm import holm

if TYPE_CHECKING:
    from pandas import DataFrame

_MUST_BE_EQUAL = {
    "corpus": "documents",
    "cutoffs": "measures",
    "own_measures": "measures of your own",
    "min_overlap": "rule for when a chunk supports evidence",
    "scoring": "version of the scoring",
    "groups": "rights of the askers",
}


@dataclass(frozen=True, slots=True)
class Tested:
    """One measure of one result against the baseline's."""

    name: str  # of the result
    measure: str  # key
    paired: Paired
    p: float  # two-sided, corrected by Holm for all tests of the comparison


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Results against a baseline, question by question.

    Parameters
    ----------
    baseline
        What the others are compared with.
    others
        The other results by name.
    tests
        Each measure of each of them, with its difference, interval and corrected p.
    """

    baseline: EvaluationResult
    others: dict[str, EvaluationResult]
    pairs: dict[str, Comparison]
    tests: tuple[Tested, ...]

    def improved(self, name: str) -> list[Change]:
        """Return the questions on which a result is better than the baseline."""
        return self.pairs[name].of(Turn.IMPROVED)

    def regressed(self, name: str) -> list[Change]:
        """Return the questions on which a result is worse than the baseline."""
        return self.pairs[name].of(Turn.REGRESSED)

    def to_pandas(self) -> DataFrame:
        """Return one row a result and measure."""
        return self._table.to_pandas().set_index("measure", append=True)

    @cached_property
    def _table(self) -> Tabular:
        headings = (
            "result", "measure", "n", "baseline", "value", "difference", "low", "high", "p",
            "p corrected",
        )  # fmt: skip
        rows = []
        for test in self.tests:
            found, measure = test.paired, measure_named(test.measure)
            rows.append(
                (
                    test.name,
                    test.measure if measure is None else measure.heading,
                    found.n,
                    self.baseline[test.measure],
                    self.others[test.name][test.measure],
                    found.difference,
                    found.low,
                    found.high,
                    found.either,
                    test.p,
                )
            )
        title = f"{self.baseline.result.dataset}: compared with {self.baseline.name}"
        return Tabular(title, headings, tuple(rows))

    def __str__(self) -> str:
        lines = [str(self._table), ""]
        for name, found in self.pairs.items():
            better, worse = found.of(Turn.IMPROVED), found.of(Turn.REGRESSED)
            lines.append(f"{name}: {len(better)} improved, {len(worse)} regressed")
            lines += [f"  regressed: {change.after.id} {change.after.text}" for change in worse]
        many = len(self.tests)
        lines.append(f"intervals are 95 %; p is two-sided, corrected for {many} tests (Holm)")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Comparisons of {', '.join(self.others)} with {self.baseline.name}>"

    def _repr_html_(self) -> str:
        return self._table.as_html()


def compare(
    results: Sequence[EvaluationResult],
    *,
    baseline: int = 0,
    measures: Sequence[str] | None = None,
) -> Comparisons:
    """Pair results with one of them by question, and test every difference.

    Parameters
    ----------
    results
        Two or more results on the same dataset. Of equal names the second becomes `name (2)`.
    baseline
        Position of the one that the others are compared with.
    measures
        What is tested; None tests the hit rates, recall, mrr, precision and completeness, and what
        the results were asked for. Across different chunkings, measures that depend on how
        documents are cut are left out.

    Raises
    ------
    InputError
        If there are fewer than two results, the baseline is not one of them, or they were measured
        on different documents or in different ways.

    Examples
    --------
    >>> from rageval import evaluate, load_dataset
    >>> data = load_dataset(
    ...     {"leave": "Staff get 25 days.", "travel": "Book by rail."},
    ...     [{"id": "q1", "question": "How many days off?", "expected": ["leave"]}],
    ... )
    >>> one = evaluate(lambda question: ["travel", "leave"], data, name="before")
    >>> two = evaluate(lambda question: ["leave", "travel"], data, name="after")
    >>> [change.after.id for change in compare([one, two]).improved("after")]
    ['q1']
    """
    chosen = _checked(results, baseline)
    others = {
        name: one
        for number, (name, one) in enumerate(_named(results).items())
        if number != baseline % len(results)
    }
    pairs = {name: pair(chosen.result, one.result) for name, one in others.items()}
    wanted = [key_of(name) for name in measures] if measures is not None else None
    found = []
    for name, comparison in pairs.items():
        for measure in wanted or _tested(chosen, others[name]):
            differences = differences_of(comparison, "all", measure)
            if differences is not None:
                found.append((name, measure, paired(differences)))
    corrected = holm([one.either for _, _, one in found])
    tests = tuple(Tested(*row, p) for row, p in zip(found, corrected, strict=True))
    return Comparisons(chosen, others, pairs, tests)


def _named(results: Sequence[EvaluationResult]) -> dict[str, EvaluationResult]:
    """Return results by names that differ."""
    named: dict[str, EvaluationResult] = {}
    for one in results:
        name, number = one.name, 1
        while name in named:
            number += 1
            name = f"{one.name} ({number})"
        named[name] = one
    return named


def _checked(results: Sequence[EvaluationResult], baseline: int) -> EvaluationResult:
    if len(results) < 2:
        raise InputError(f"compare: two results or more are needed, got {len(results)}")
    if not -len(results) <= baseline < len(results):
        raise InputError(
            f"compare: baseline is a position among the {len(results)} results, got {baseline}"
        )
    chosen = results[baseline]
    for one in results:
        require_comparable(chosen, one)
    return chosen


def require_comparable(one: EvaluationResult, other: EvaluationResult) -> None:
    """Make sure that two results were measured on the same documents in the same way.

    Questions may differ: those of one result alone are listed as added or removed.

    Raises
    ------
    InputError
        If they were not; what differs is named.
    """
    different = [
        words for key, words in _MUST_BE_EQUAL.items() if one.facts.get(key) != other.facts.get(key)
    ]
    if different:
        raise InputError(
            f"{one.name} and {other.name} cannot be compared: their {', '.join(different)} differ"
        )


def _tested(one: EvaluationResult, other: EvaluationResult) -> list[str]:
    """Return the measures that are tested if none are named."""
    both = [name for name in one.result.measures if name in other.result.measures]
    asked = [name for name in both if name in one.asked and name not in headlines(both)]
    lower = {m.name for m in one.measures if m.lower_is_better}
    names = [name for name in (*headlines(both), *asked) if name not in lower]
    if one.result.chunking == other.result.chunking:
        return names
    return [name for name in names if comparable_across_chunkings(name)]
