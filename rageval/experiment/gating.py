"""From a run's id to a verdict: candidate, baseline, and the champion anew where it must be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from rageval.comparison.result import Result, same_answers
from rageval.config.settings import EvaluationConfig
from rageval.errors import InputError, NoVerdictError, UnreachableError
from rageval.evaluation.provenance.variant import changed_libraries
from rageval.experiment.plan import Plan
from rageval.experiment.rerun import (
    Trust,
    candidate_plan,
    champion_at_home,
    champion_plan,
)
from rageval.experiment.workflow import measure_and_keep, require_tracking
from rageval.formats.trec.ids import UNVERSIONED
from rageval.gate.decision import Terms, decide
from rageval.gate.exceptions import NO_EXCEPTIONS, read_exceptions
from rageval.gate.settings import GateConfig
from rageval.gate.thresholds import Absent, GateThresholds, nearest
from rageval.gate.verdict import State, Verdict
from rageval.golden.identity import SetIdentity
from rageval.measures.catalogue import catalogue
from rageval.registry.baseline import Baseline, baseline
from rageval.registry.portable import read_portable
from rageval.registry.promotion import history, settle_what_was_left
from rageval.schema.fingerprint import text_digest
from rageval.tracking.reading import RESCORE, Kept, fetch, finished
from rageval.tracking.settings import RegistryConfig
from rageval.tracking.store import Store


class OwnRunError(NoVerdictError):
    """The candidate is the run that the champion came from."""


@dataclass(frozen=True)
class Rules:
    """What a candidate is held against."""

    gate: GateConfig
    registry: RegistryConfig
    thresholds: GateThresholds
    secrets: Mapping[str, Any] = field(default_factory=dict)
    today: date = field(default_factory=lambda: datetime.now(UTC).date())  # exceptions end on it

    @classmethod
    def of(cls, config: EvaluationConfig) -> Rules:
        """Return the rules of an evaluation's own configuration."""
        return cls(config.gate, config.registry, config.threshold, config.secrets)

    def terms(self, promoted: Kept | None, candidate: Kept) -> Terms:
        """Return what is asked of a verdict beside its limits.

        Raises
        ------
        InputError
            If the file of exceptions is wrong or not committed.
        """
        gate, path = self.gate, self.gate.exceptions
        return Terms(
            promoted=None if promoted is None else promoted.result,
            held_out_gone=0 if promoted is None else _held_out_gone(promoted, candidate),
            allow_removed=gate.allow_removed,
            exceptions=NO_EXCEPTIONS if path is None else read_exceptions(Path(path), self.today),
            must_see=gate.must_see,
            fail_blind=gate.on_inconclusive == "fail",
        )

    @property
    def trust(self) -> Trust:
        """Return what a configuration that comes back from the store may do."""
        return Trust(self.registry.allow, self.secrets)


@dataclass(frozen=True)
class Judgement:
    """A verdict with what it is about."""

    candidate: Kept
    home: Store  # the candidate's experiment
    against: Baseline | None
    verdict: Verdict


def judge(store: Store, run: str, rules: Rules, target: Console) -> Judgement:
    """Hold a run against the champion of its set.

    Raises
    ------
    NoVerdictError
        If the candidate or the baseline is missing or broken, the candidate is the baseline's own
        run, or the champion cannot be compared with it.
    InputError
        If a limit is of a subset, measure or cutoff that neither the candidate nor the champion
        has questions for, or the file of exceptions is wrong.
    """
    candidate = _candidate(store, run, rules)
    home = store.at(candidate.experiment)
    found = _baseline(store, rules, candidate.result.dataset)
    promoted = None if found is None else found.kept.result
    _require_questions(rules, candidate.result, promoted)
    terms = rules.terms(None if found is None else found.kept, candidate)
    if found is None:
        if rules.gate.require_baseline:
            name = rules.registry.name(candidate.result.dataset)
            raise NoVerdictError(
                f"there is no baseline: nothing was promoted as {name}@{rules.registry.alias} yet"
            )
        verdict = decide(candidate.result, None, rules.thresholds, terms=terms)
        return Judgement(candidate, home, None, verdict)
    _require_same_set(candidate, found)
    moved = _moved_by_hand(store, rules, found)
    champion, state, note = _champion(home, candidate, found, rules, target)
    verdict = decide(candidate.result, champion, rules.thresholds, state, terms)
    verdict = _noted(_noted(verdict, note), moved)
    return Judgement(candidate, home, found, verdict)


def _held_out_gone(promoted: Kept, candidate: Kept) -> int:
    """Return how many held-out questions of the champion's set the candidate's lacks."""
    then, now = (set(kept.facts.get("held_out", ())) for kept in (promoted, candidate))
    return len(then - now)


def unopposed(store: Store, run: str, rules: Rules) -> Judgement:
    """Hold a run against floors alone, since its champion cannot be read; that is never a pass.

    Raises
    ------
    NoVerdictError
        If the candidate itself is missing or broken.
    InputError
        If a threshold names a measure that was not taken.
    """
    candidate = _candidate(store, run, rules)
    _require_questions(rules, candidate.result, None)
    verdict = decide(candidate.result, None, rules.thresholds, State.UNKNOWN)
    return Judgement(candidate, store.at(candidate.experiment), None, verdict)


def _candidate(store: Store, run: str, rules: Rules) -> Kept:
    candidate = fetch(store, run)
    if not candidate.sealed:
        raise NoVerdictError(
            f"run {run} was written by rageval 0.1.0, which sealed nothing: make a new run of it"
        )
    if candidate.facts["benchmark"].get("corpus") == UNVERSIONED:
        raise InputError(
            f"run {run} was scored by ids alone, so nothing says what its documents held: score it "
            "again with a name for their state: dataset.corpus.version=…"
        )
    try:
        rules.thresholds.require_known(candidate.result.measures)
    except ValueError as fault:
        raise InputError(str(fault)) from fault
    return candidate


def _baseline(store: Store, rules: Rules, dataset: str) -> Baseline | None:
    if rules.gate.baseline is None:
        settle_what_was_left(store, rules.registry, dataset, insist=False)
        found = baseline(store, rules.registry, dataset)
    else:
        found = read_portable(Path(rules.gate.baseline))
    if found is not None and found.kept.result.dataset != dataset:
        raise NoVerdictError(
            f"{found.model} is of the set {found.kept.result.dataset!r}, the candidate of "
            f"{dataset!r}"
        )
    return found


def _require_same_set(candidate: Kept, found: Baseline) -> None:
    """Make sure that candidate and champion are of one set, where both say which.

    Raises
    ------
    NoVerdictError
        If they are of two sets of one name.
    """
    mine, other = (_identity(kept) for kept in (candidate, found.kept))
    if mine.location and other.location and not mine.same_as(other):
        raise NoVerdictError(
            f"two different sets are called {mine.name!r}: the champion ({found.model} version "
            f"{found.version}) is of {other.location}, the candidate of {mine.location}; name one "
            "of them otherwise, by its `set:` line or dataset.name=…"
        )


def _identity(kept: Kept) -> SetIdentity:
    return SetIdentity(
        kept.result.dataset,
        kept.tags.get("rageval.set_id", ""),
        kept.tags.get("rageval.set_location", ""),
        tuple(text_digest(row.text) for row in kept.result.rows.values()),
    )


def _moved_by_hand(store: Store, rules: Rules, found: Baseline) -> str:
    """Return what to note of an alias that is not where the last promotion put it; empty if it is.

    Raises
    ------
    NoVerdictError
        If it is not, and no reason was given to accept that.
    """
    if rules.gate.baseline is not None:
        return ""
    past = history(store, found.model)
    if past and past[-1].after == found.version:
        return ""
    settle_what_was_left(store, rules.registry, found.kept.result.dataset)  # one that is under way
    alias = f"{found.model}@{rules.registry.alias}"
    said = (
        f"the last promotion made version {past[-1].after} the champion"
        if past
        else ("no promotion is recorded")
    )
    if rules.gate.accept_alias is None:
        raise NoVerdictError(
            f"{alias} was set to version {found.version} by hand: {said}. Promote a run, roll "
            "back, or accept that version by gate.accept_alias='why'"
        )
    return (
        f"{alias} was set to version {found.version} by hand, and {said}; accepted: "
        f"{rules.gate.accept_alias}"
    )


def _require_questions(rules: Rules, candidate: Result, promoted: Result | None) -> None:
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
        found = _baseline(require_tracking(config.tracking, target), rules, config.dataset.name)
    except (NoVerdictError, UnreachableError):  # a store that is away is reported when it is used
        return None
    return None if found is None else found.kept.result


def _champion(
    home: Store, candidate: Kept, found: Baseline, rules: Rules, target: Console
) -> tuple[Result, State, str]:
    """Return the champion's result on the candidate's benchmark, its state and what to note."""
    if found.kept.run == candidate.run:
        raise OwnRunError(
            f"run {candidate.run} is the baseline's own run ({found.model} version "
            f"{found.version}): there is nothing to compare; make a run of the change"
        )
    if found.kept.result.benchmark == candidate.result.benchmark:
        note = _reproduced(home, found, rules, target)
        return found.kept.result, State.COMPARABLE, note
    if rules.gate.on_mismatch == "refuse":
        raise NoVerdictError(
            f"run {candidate.run} and the baseline {found.kept.run} were measured on different "
            "benchmarks (corpus, labels, cutoffs or rights differ); gate.on_mismatch=rescore runs "
            "the champion again"
        )
    plan = champion_plan(candidate, found, rules.trust)
    champion = _measured(home, plan, target, "on the candidate's benchmark")
    note = _same_answers(found, champion, plan, rules)
    return champion.result, State.RESCORED, note


def _measured(home: Store, plan: Plan, target: Console, where: str) -> Kept:
    """Return the champion's retrieval as measured here and now, or by an equal run before."""
    known = finished(home, RESCORE, plan.benchmark, plan.variant.whole)
    if known is None:
        target.print(f"running the champion ({plan.retrieval}) {where}")
        known = measure_and_keep(plan, home, target)[1]
    return fetch(home, known)


def _noted(verdict: Verdict, note: str) -> Verdict:
    return replace(verdict, notes=(*verdict.notes, note)) if note else verdict


def _reproduced(home: Store, found: Baseline, rules: Rules, target: Console) -> str:
    """Make sure that the champion's table still holds where other libraries are installed.

    Returns what to note; empty if the environment is the same, or was not kept by 0.1.0.

    Raises
    ------
    NoVerdictError
        If the same retrieval finds something else here, or its benchmark cannot be had any more.
    """
    changed = changed_libraries(found.kept.libraries)
    if not changed or rules.gate.on_environment == "accept":
        return f"not checked in this environment: {changed}" if changed else ""
    plan = champion_at_home(found, rules.trust)
    if plan is None:
        raise _environment(found, changed, "its own benchmark is no longer there to check it on")
    again = _measured(home, plan, target, "again, since other libraries are installed")
    if not same_answers(found.kept.result, again.result):
        raise _environment(found, changed, "it answers differently now")
    return f"the champion gives the same table in this environment ({changed})"


def _same_answers(found: Baseline, champion: Kept, plan: Plan, rules: Rules) -> str:
    """As `_reproduced`, for a champion that was run on another benchmark anyway.

    Where only questions were added or relabelled, those that stayed are answered from the same
    documents, so that their rows must be the same.
    """
    changed = changed_libraries(found.kept.libraries)
    if not changed or rules.gate.on_environment == "accept":
        return f"not checked in this environment: {changed}" if changed else ""
    if found.kept.facts["benchmark"]["corpus"] != plan.benchmark_facts["corpus"]:
        raise _environment(found, changed, "the documents changed too, so it cannot be checked")
    if not same_answers(found.kept.result, champion.result):
        raise _environment(found, changed, "it answers differently now")
    return f"the champion gives the same answers in this environment ({changed})"


def _environment(found: Baseline, changed: str, why: str) -> NoVerdictError:
    return NoVerdictError(
        f"the champion ({found.model} version {found.version}) was measured in another "
        f"environment: {changed}, and {why}; install what it was measured with and promote a run "
        "of this environment, or compare all the same by gate.on_environment=accept"
    )


def plans(judgement: Judgement, rules: Rules) -> tuple[Plan, Plan | None]:
    """Return how the candidate and the champion, if there is one, are run anew.

    Raises
    ------
    NoVerdictError
        If either can no longer be run as it was.
    """
    candidate, found = judgement.candidate, judgement.against
    mine = candidate_plan(candidate, rules.trust)
    if found is None:
        return mine, None
    return mine, champion_plan(candidate, found, rules.trust, mine.cache)
