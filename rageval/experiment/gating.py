"""From a run's id to a verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rich.console import Console

from rageval.errors import InputError, NoVerdictError
from rageval.experiment.champion import champion_of, champion_on, moved_by_hand, require_same_set
from rageval.experiment.limits import require_questions
from rageval.experiment.plan import Plan
from rageval.experiment.rerun import (
    candidate_plan,
    champion_plan,
)
from rageval.experiment.rules import Rules
from rageval.formats.trec.ids import UNVERSIONED
from rageval.gate.decision import decide
from rageval.gate.verdict import State, Verdict
from rageval.registry.baseline import Baseline
from rageval.tracking.reading import Kept, fetch
from rageval.tracking.store import Store


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
    found = champion_of(store, rules, candidate.result.dataset)
    promoted = None if found is None else found.kept.result
    require_questions(rules, candidate.result, promoted)
    terms = rules.terms(None if found is None else found.kept, candidate)
    if found is None:
        if rules.gate.require_baseline:
            name = rules.registry.name(candidate.result.dataset)
            raise NoVerdictError(
                f"there is no baseline: nothing was promoted as {name}@{rules.registry.alias} yet"
            )
        verdict = decide(candidate.result, None, rules.thresholds, terms=terms)
        return Judgement(candidate, home, None, verdict)
    require_same_set(candidate, found)
    moved = moved_by_hand(store, rules, found)
    champion, state, note = champion_on(home, candidate, found, rules, target)
    verdict = decide(candidate.result, champion, rules.thresholds, state, terms)
    verdict = _noted(_noted(verdict, note), moved)
    return Judgement(candidate, home, found, verdict)


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
    require_questions(rules, candidate.result, None)
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


def _noted(verdict: Verdict, note: str) -> Verdict:
    return replace(verdict, notes=(*verdict.notes, note)) if note else verdict


def plans(judgement: Judgement, rules: Rules) -> tuple[Plan, Plan | None]:
    """Return how the candidate and the champion, if there is one, are run again.

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
