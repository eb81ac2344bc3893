"""The decision: a candidate, its baseline if there is one, and the thresholds. Nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor

from rageval.comparison.changes import Comparison, compare
from rageval.comparison.result import Result
from rageval.gate.thresholds import GateThresholds
from rageval.gate.verdict import Check, Rule, State, Verdict, share
from rageval.split import DEV

_NAMED = 8  # ids in a sentence before the rest is counted


def decide(
    candidate: Result,
    baseline: Result | None,
    thresholds: GateThresholds,
    state: State | None = None,
) -> Verdict:
    """Hold a candidate against its baseline and the thresholds, on exact fractions.

    `state` is COMPARABLE, or BASELINE without a baseline, unless it is given. Without a baseline
    only floors, errors and leaks are judged. Across different chunkings the measures that depend on
    how documents are cut are left out, and a note says so.
    """
    notes: list[str] = []
    if baseline is not None and baseline.chunking != candidate.chunking:
        whole, thresholds = thresholds, thresholds.across_chunkings()
        notes.append(_narrowed(whole, thresholds))
    comparison = None if baseline is None else compare(baseline, candidate)
    checks = [*_clean(candidate), *_floors(candidate, thresholds)]
    if comparison is not None:
        checks += [*_drops(comparison, thresholds), *_untouchable(comparison, thresholds)]
        checks += _distractors(comparison, thresholds)
        notes += _idle(comparison, thresholds)
    return Verdict(
        state or (State.BASELINE if comparison is None else State.COMPARABLE),
        candidate,
        comparison,
        tuple(checks),
        tuple(notes),
    )


def _narrowed(whole: GateThresholds, judged: GateThresholds) -> str:
    left_out = [name for name in whole.named if name not in judged.named]
    told = "the chunkings differ: hit rates, recall, mrr and evidence shares alone are judged"
    return told + (f"; left out: {', '.join(left_out)}" if left_out else "")


def _idle(comparison: Comparison, thresholds: GateThresholds) -> Iterator[str]:
    """Tell the limits that found no question: a subset may be misspelt, or not be in this set."""
    idle = [
        f"max_drop.{subset}.{measure}"
        for subset, limits in thresholds.max_drop.items()
        for measure in limits
        if _means(comparison, subset, measure) is None
    ]
    known = set(comparison.subsets)
    idle += [f"no_tolerance: {subset}" for subset in thresholds.no_tolerance if subset not in known]
    if idle:
        yield f"no question to judge: {', '.join(idle)}"


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
        return (
            f"has a floor, but there is no such measure; there are: {', '.join(candidate.measures)}"
        )
    return "has a floor and no cases"


def _listed(ids: list[str]) -> str:
    """Return the first ids, and how many more there are.

    Examples
    --------
    >>> _listed(["a", "b"]), _listed(list("abcdefghij"))
    ('a, b', 'a, b, c, d, e, f, g, h and 2 more')
    """
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return ", ".join(ids[:_NAMED]) + more


def _drops(comparison: Comparison, thresholds: GateThresholds) -> Iterator[Check]:
    for subset, limits in thresholds.max_drop.items():
        for measure, limit in limits.items():
            means = _means(comparison, subset, measure)
            if means is None:
                continue
            before, after = means
            drop = before[0] / before[1] - after[0] / after[1]
            tolerance = _decimal(limit)
            told = f"{share(*before)} → {share(*after)}, {_tolerated(limit, tolerance, after[1])}"
            if drop > tolerance and comparison.after.split == DEV:  # no held-out one is ever named
                told += f"; fell: {_listed(_fallen(comparison, subset, measure))}"
            yield Check(Rule.DROP, subset, measure, drop <= tolerance, told)


def _fallen(comparison: Comparison, subset: str, measure: str) -> list[str]:
    """Return the questions that made a measure drop: a hit may be lost though recall is not."""
    return [c.after.id for c in comparison.changes if subset in c.after.subsets and c.fell(measure)]


Mean = tuple[Fraction, int]  # the sum of a measure, and the n that it is divided by


def _means(comparison: Comparison, subset: str, measure: str) -> tuple[Mean, Mean] | None:
    before = comparison.before.mean(subset, measure)
    after = comparison.after.mean(subset, measure)
    return None if before is None or after is None else (before, after)


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
