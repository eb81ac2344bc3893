"""Whether a set has what every limit is about, before any work and before a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Console

from rageval.comparison.result import Result
from rageval.config.settings import EvaluationConfig
from rageval.errors import InputError, NoVerdictError, UnreachableError
from rageval.experiment.champion import champion_of
from rageval.experiment.plan import Plan
from rageval.experiment.rules import Rules
from rageval.experiment.workflow import require_tracking
from rageval.gate.thresholds import Absent, GateThresholds, nearest
from rageval.measures.catalogue import catalogue


def require_questions(rules: Rules, candidate: Result, promoted: Result | None) -> None:
    """Make sure that every limit has questions, or had some when the champion was promoted.

    Raises
    ------
    InputError
        With every limit that has none.
    """
    absent = rules.thresholds.not_in(candidate.subsets, candidate.measures)
    absent = [one for one in absent if not _was_there(one, candidate, promoted)]
    faults = [f"{one.path}: {one.why}" for one in absent]
    faults += _uncounted(rules.thresholds, candidate, promoted)
    faults += _unlimited(rules)
    if faults:
        raise InputError.of(faults)


def _was_there(absent: Absent, candidate: Result, promoted: Result | None) -> bool:
    """Say whether a limit's subset is only gone since the champion was promoted."""
    measured = not absent.measure or absent.measure in candidate.measures
    return measured and promoted is not None and bool(promoted.inside(absent.subset))


def _uncounted(
    thresholds: GateThresholds, candidate: Result, promoted: Result | None
) -> Iterator[str]:
    """Yield the limits of a measure that counts in no question of its subset."""
    for path, (subset, measure) in thresholds.paths():
        there = measure in candidate.measures and candidate.inside(subset)
        if not there or candidate.mean(subset, measure) is not None:
            continue
        if promoted is None or promoted.mean(subset, measure) is None:
            yield f"{path}: {measure} counts in no question of {subset}"


def _unlimited(rules: Rules) -> Iterator[str]:
    """Yield the keys of gate.must_see that no limit of max_drop answers to."""
    wanted = rules.gate.must_see
    limits = rules.thresholds.max_drop
    for subset, measures in wanted.items() if isinstance(wanted, Mapping) else ():
        for measure in measures:
            if measure not in limits.get(subset, {}):
                known = [f"{s}.{m}" for s, ms in limits.items() for m in ms]
                yield (
                    f"gate.must_see.{subset}.{measure}: max_drop has no such limit; "
                    f"{nearest(f'{subset}.{measure}', known)}"
                )


def require_limits(plan: Plan, target: Console) -> list[str]:
    """Make sure before any work that the set has what every limit is about, or had it as promoted.

    A cutoff that is not measured is only noted in what is returned, unless a verdict is asked for:
    one may look at other cutoffs for once without another file of limits.

    Raises
    ------
    InputError
        With every limit of a subset or cutoff that the set does not have.
    """
    config = plan.config
    measures = [measure.name for measure in catalogue(config.measures)]
    absent = config.threshold.not_in(plan.subsets, measures)
    if not absent:
        return []
    promoted = _promoted(config, target)
    subsets = {*plan.subsets, *(() if promoted is None else promoted.subsets)}
    faults, notes = [], []
    for one in absent:
        if one.subset in plan.subsets and not config.gate.enabled:
            notes.append(f"{one.path}: {one.why}")
        elif one.subset not in subsets or (one.measure and one.measure not in measures):
            faults.append(f"{one.path}: {one.why}")
    if faults:
        raise InputError.of(faults)
    return notes


def _promoted(config: EvaluationConfig, target: Console) -> Result | None:
    """Return the champion's result as it was promoted; None if there is none that can be read."""
    if not config.tracking.enabled:
        return None
    rules = Rules.of(config)
    try:
        found = champion_of(require_tracking(config.tracking, target), rules, config.dataset.name)
    except (NoVerdictError, UnreachableError):  # a store that is away is reported when it is used
        return None
    return None if found is None else found.kept.result
