"""The decision: a candidate, its baseline if there is one, and the thresholds. Nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor

from rageval.comparison.changes import Comparison, compare
from rageval.comparison.result import Result
from rageval.gate.thresholds import GateThresholds
from rageval.gate.verdict import Check, Rule, State, Verdict, share


def decide(
    candidate: Result,
    baseline: Result | None,
    thresholds: GateThresholds,
    state: State = State.COMPARABLE,
) -> Verdict:
    """Hold a candidate against its baseline and the thresholds, on exact fractions.

    Without a baseline only floors, errors and leaks are judged. Across different chunkings the
    measures that depend on how documents are cut are left out, and a note says so.
    """
    notes: list[str] = []
    if baseline is not None and baseline.chunking != candidate.chunking:
        thresholds = thresholds.across_chunkings()
        notes.append(
            "the chunkings differ: hit rates, recall, mrr and evidence shares alone are judged"
        )
    comparison = None if baseline is None else compare(baseline, candidate)
    checks = [*_clean(candidate), *_floors(candidate, thresholds)]
    if comparison is not None:
        checks += [*_drops(comparison, thresholds), *_untouchable(comparison, thresholds)]
        checks += _distractors(comparison, thresholds)
    return Verdict(
        State.BASELINE if comparison is None else state,
        candidate,
        comparison,
        tuple(checks),
        tuple(notes),
    )


def _clean(candidate: Result) -> Iterator[Check]:
    for rule, found, what in (
        (Rule.ERRORS, candidate.errors, "questions on which the retriever failed"),
        (Rule.LEAKS, candidate.leaks, "candidates that their asker may not see"),
    ):
        yield Check(rule, "all", "", found == 0, f"{found} {what}, 0 are allowed")


def _floors(candidate: Result, thresholds: GateThresholds) -> Iterator[Check]:
    for subset, limits in thresholds.floors.items():
        for measure, limit in limits.items():
            found = candidate.mean(subset, measure)
            if found is None:
                yield Check(Rule.FLOOR, subset, measure, False, _no_cases(candidate, measure))
                continue
            total, n = found
            passed = total / n >= _decimal(limit)
            told = f"{share(total, n)}, the floor is {limit:g}"
            yield Check(Rule.FLOOR, subset, measure, passed, told)


def _no_cases(candidate: Result, measure: str) -> str:
    if measure not in candidate.measures:
        return f"has a floor, but there is no such measure; there are: {_listed(candidate)}"
    return "has a floor and no cases"


def _listed(candidate: Result) -> str:
    return ", ".join(candidate.measures)


def _drops(comparison: Comparison, thresholds: GateThresholds) -> Iterator[Check]:
    for subset, limits in thresholds.max_drop.items():
        for measure, limit in limits.items():
            before = comparison.before.mean(subset, measure)
            after = comparison.after.mean(subset, measure)
            if before is None or after is None:
                continue
            drop = before[0] / before[1] - after[0] / after[1]
            tolerance = _decimal(limit)
            told = f"{share(*before)} → {share(*after)}, {_tolerated(limit, tolerance, after[1])}"
            yield Check(Rule.DROP, subset, measure, drop <= tolerance, told)


def _tolerated(limit: float, tolerance: Fraction, n: int) -> str:
    """Say what a tolerance means in questions.

    Examples
    --------
    >>> _tolerated(0.1, Fraction(1, 10), 34)
    'a drop of 0.1 is allowed: fails from 4 lost questions'
    """
    lost = floor(tolerance * n) + 1
    if lost > n:
        return f"a drop of {limit:g} is allowed: never fails"
    questions = "question" if lost == 1 else "questions"
    return f"a drop of {limit:g} is allowed: fails from {lost} lost {questions}"


def _untouchable(comparison: Comparison, thresholds: GateThresholds) -> Iterator[Check]:
    for subset in thresholds.no_tolerance:
        inside = [c for c in comparison.changes if subset in c.after.subsets]
        lost = [change.after.id for change in inside if change.lost]
        told = f"{len(lost)} of {len(inside)} questions lost, none is allowed"
        if lost:
            told += f": {', '.join(lost)}"
        yield Check(Rule.NO_TOLERANCE, subset, "", not lost, told)


def _distractors(comparison: Comparison, thresholds: GateThresholds) -> Iterator[Check]:
    if thresholds.new_distractors is None:
        return
    name = "distractor_above_answer"
    new = [
        change.after.id
        for change in comparison.changes
        if change.after.values.get(name) == 1 and change.before.values.get(name) == 0
    ]
    told = f"{len(new)} questions newly have a distractor above the answer, "
    told += f"{thresholds.new_distractors} are allowed" + (f": {', '.join(new)}" if new else "")
    yield Check(Rule.DISTRACTORS, "all", name, len(new) <= thresholds.new_distractors, told)


def _decimal(limit: float) -> Fraction:
    """Read a limit as the decimal that was written, not as the float nearest to it."""
    return Fraction(str(limit))
