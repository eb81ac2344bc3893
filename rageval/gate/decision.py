"""The decision: a candidate, its baseline if there is one, and the thresholds. Nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from rageval.comparison.changes import Comparison, compare
from rageval.comparison.result import Result
from rageval.gate.drops import drops, means_of
from rageval.gate.thresholds import GateThresholds, decimal
from rageval.gate.verdict import Check, Rule, State, Verdict, share


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
        checks += [*drops(comparison, thresholds), *_untouchable(comparison, thresholds)]
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
        if means_of(comparison, subset, measure) is None
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
            passed = total / n >= decimal(limit)
            told = f"{share(total, n)}, the floor is {limit:g}"
            yield Check(Rule.FLOOR, subset, measure, passed, told)


def _no_cases(candidate: Result, measure: str) -> str:
    if measure not in candidate.measures:
        return (
            f"has a floor, but there is no such measure; there are: {', '.join(candidate.measures)}"
        )
    return "has a floor and no cases"


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
