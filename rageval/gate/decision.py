"""The decision: a candidate, its baseline if there is one, and the thresholds. Nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rageval.comparison.changes import Comparison, compare
from rageval.comparison.result import Result
from rageval.comparison.set_changes import SetChanges, set_changes
from rageval.gate.drops import MustSee, drops, means_of
from rageval.gate.exceptions import NO_EXCEPTIONS, Exceptions
from rageval.gate.removals import held_out_removals, quotes, removals, told
from rageval.gate.thresholds import GateThresholds, decimal, nearest
from rageval.gate.verdict import Check, Rule, State, Verdict, share
from rageval.statistics.churn import LOST, any_lost


@dataclass(frozen=True)
class Terms:
    """What is asked of a verdict beside its limits."""

    promoted: Result | None = None  # the champion as it was promoted; None: the baseline itself
    allow_removed: int = 0  # questions that may be removed or lose a label
    exceptions: Exceptions = NO_EXCEPTIONS
    must_see: MustSee = None  # the drop that a pass must have been able to see
    fail_blind: bool = False  # a pass that could not see it is none
    held_out_gone: int = 0  # held-out questions that were removed or relabelled since the champion


def decide(
    candidate: Result,
    baseline: Result | None,
    thresholds: GateThresholds,
    state: State | None = None,
    terms: Terms | None = None,
) -> Verdict:
    """Hold a candidate against its baseline and the thresholds, on exact fractions.

    `state` is COMPARABLE, or BASELINE without a baseline, unless it is given. Without a baseline
    only floors, errors and leaks are judged. Across different chunkings the measures that depend on
    how documents are cut are left out, and a note says so.
    """
    terms = terms or Terms()
    notes: list[str] = []
    if baseline is not None and baseline.chunking != candidate.chunking:
        whole, thresholds = thresholds, thresholds.across_chunkings()
        notes.append(_narrowed(whole, thresholds))
    comparison = None if baseline is None else compare(baseline, candidate)
    changes = SetChanges()
    checks = [*_clean(candidate), *_floors(candidate, thresholds)]
    if comparison is not None:
        promoted = terms.promoted or comparison.before
        changes = set_changes(promoted, candidate)
        checks += [*drops(comparison, thresholds, terms.must_see)]
        checks += [*_untouchable(comparison, thresholds), *_gone(promoted, candidate, thresholds)]
        checks += _distractors(comparison, thresholds)
        checks += removals(changes, thresholds, terms.exceptions, terms.allow_removed)
        checks += held_out_removals(terms.held_out_gone, terms.allow_removed)
        notes += [*_idle(comparison, promoted, thresholds), *told(changes, comparison)]
        notes += _policies(comparison, thresholds)
        notes += [*_uncompared(thresholds), *_unknown(terms, promoted, candidate)]
        notes += [*terms.exceptions.notes, *quotes(changes, thresholds, terms.exceptions)]
    return Verdict(
        state or (State.BASELINE if comparison is None else State.COMPARABLE),
        candidate,
        comparison,
        tuple(checks),
        tuple(notes),
        changes,
        terms.fail_blind,
    )


def _uncompared(thresholds: GateThresholds) -> Iterator[str]:
    """Say so if no limit compares the candidate with the champion."""
    if not (thresholds.max_drop or thresholds.no_tolerance) and thresholds.new_distractors is None:
        yield (
            "no limit compares the candidate with the champion: max_drop, no_tolerance and "
            "new_distractors are empty"
        )


def _unknown(terms: Terms, promoted: Result, candidate: Result) -> Iterator[str]:
    """Yield the exceptions for questions that nobody has."""
    known = {*promoted.rows, *candidate.rows}
    for name in sorted(terms.exceptions.questions - known):
        near = nearest(name, sorted(known))
        yield f"gate.exceptions names the question {name!r}, which the set never had; {near}"


def _narrowed(whole: GateThresholds, judged: GateThresholds) -> str:
    left_out = [name for name in whole.named if name not in judged.named]
    told = "the chunkings differ: hit rates, recall, mrr and evidence shares alone are judged"
    return told + (f"; left out: {', '.join(left_out)}" if left_out else "")


def _gone(promoted: Result, candidate: Result, thresholds: GateThresholds) -> Iterator[Check]:
    """Yield a failed check for each limit whose questions were there when the champion was."""
    for subset, limits in thresholds.max_drop.items():
        for measure in limits:
            was = promoted.mean(subset, measure)
            if was is not None and candidate.mean(subset, measure) is None:
                yield Check(Rule.DROP, subset, measure, False, f"{_of_then(was[1])}, now has none")
    for subset in thresholds.no_tolerance:
        n = len(promoted.inside(subset))
        if n and not candidate.inside(subset):
            yield Check(Rule.NO_TOLERANCE, subset, "", False, f"{_of_then(n)}, now has none")


def _of_then(n: int) -> str:
    return f"had {n} question{'s' if n > 1 else ''} when the champion was promoted"


def _idle(comparison: Comparison, promoted: Result, thresholds: GateThresholds) -> Iterator[str]:
    """Yield which limits had no question to compare: a subset that is new since the champion."""
    idle = [
        f"max_drop.{subset}.{measure}"
        for subset, limits in thresholds.max_drop.items()
        for measure in limits
        if means_of(comparison, subset, measure) is None and not promoted.mean(subset, measure)
    ]
    known = {*comparison.subsets, *promoted.subsets}
    idle += [f"no_tolerance: {subset}" for subset in thresholds.no_tolerance if subset not in known]
    if idle:
        yield f"no question to compare with the champion: {', '.join(idle)}"


def _clean(candidate: Result) -> Iterator[Check]:
    for rule, found, what in (
        (Rule.ERRORS, candidate.errors, "questions on which the retriever failed"),
        (
            Rule.LEAKS,
            candidate.leaks,
            "candidates that their asker may not see",
        ),
    ):
        yield Check(rule, "all", "", found == 0, f"{found} {what}, 0 are allowed")


def _floors(candidate: Result, thresholds: GateThresholds) -> Iterator[Check]:
    for subset, limits in thresholds.floors.items():
        for measure, limit in limits.items():
            found = candidate.mean(subset, measure)
            if found is None:
                yield Check(Rule.FLOOR, subset, measure, False, "has a floor and no question")
                continue
            total, n = found
            passed = total / n >= decimal(limit)
            told = f"{share(total, n)}, the floor is {limit:g}"
            yield Check(Rule.FLOOR, subset, measure, passed, told)


def _untouchable(comparison: Comparison, thresholds: GateThresholds) -> Iterator[Check]:
    for subset in thresholds.no_tolerance:
        inside = [c for c in comparison.changes if subset in c.after.subsets]
        lost = [change.after.id for change in inside if change.lost]
        if not inside:
            continue
        words = f"{len(lost)} of {len(inside)} questions lost, none is allowed"
        if lost:
            words += f": {', '.join(lost)}"
        yield Check(Rule.NO_TOLERANCE, subset, "", not lost, words)


def _policies(comparison: Comparison, thresholds: GateThresholds) -> Iterator[str]:
    """Yield what each line of `no_tolerance` costs: it is beside the level of the drops."""
    for subset in thresholds.no_tolerance:
        inside = [c for c in comparison.changes if subset in c.after.subsets]
        found = sum(change.before.found for change in inside)
        if found:
            share, churn = 100 * any_lost(found), 100 * LOST
            yield (
                f"no_tolerance of {subset} is a policy, not covered by the level of "
                f"{thresholds.level:g} that holds for drops: {share:.0f} % of harmless changes "
                f"lose one of its {found} found questions by chance ({churn:.0f} % churn)"
            )


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
