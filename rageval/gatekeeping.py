"""From a run's id to a verdict: candidate, baseline, and the champion anew where it must be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from rageval.anew import Trust, candidate_plan, champion_plan
from rageval.errors import InputError, NoVerdictError
from rageval.fingerprint import text_digest
from rageval.gate.decision import decide
from rageval.gate.settings import GateConfig
from rageval.gate.thresholds import GateThresholds
from rageval.gate.verdict import State, Verdict
from rageval.golden.identity import SetIdentity
from rageval.plan import Plan
from rageval.registry.baseline import Baseline, baseline
from rageval.registry.portable import read_portable
from rageval.registry.promotion import settle_what_was_left
from rageval.tracking.reading import RESCORE, Kept, fetch, finished
from rageval.tracking.settings import RegistryConfig
from rageval.tracking.store import Store
from rageval.workflow import measure_and_keep


@dataclass(frozen=True)
class Rules:
    """What a candidate is held against."""

    gate: GateConfig
    registry: RegistryConfig
    thresholds: GateThresholds
    secrets: Mapping[str, Any] = field(default_factory=dict)

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
        If a threshold names a measure that was not taken.
    """
    candidate = _candidate(store, run, rules)
    home = store.at(candidate.experiment)
    found = _baseline(store, rules, candidate.result.dataset)
    if found is None:
        if rules.gate.require_baseline:
            name = rules.registry.name(candidate.result.dataset)
            raise NoVerdictError(
                f"there is no baseline: nothing was promoted as {name}@{rules.registry.alias} yet"
            )
        return Judgement(candidate, home, None, decide(candidate.result, None, rules.thresholds))
    _require_same_set(candidate, found)
    return Judgement(candidate, home, found, _against(home, candidate, found, rules, target))


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
    verdict = decide(candidate.result, None, rules.thresholds, State.UNKNOWN)
    return Judgement(candidate, store.at(candidate.experiment), None, verdict)


def _candidate(store: Store, run: str, rules: Rules) -> Kept:
    candidate = fetch(store, run)
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


def _against(
    home: Store, candidate: Kept, found: Baseline, rules: Rules, target: Console
) -> Verdict:
    if found.kept.run == candidate.run:
        raise NoVerdictError(
            f"run {candidate.run} is the baseline's own run ({found.model} version "
            f"{found.version}): there is nothing to compare; make a run of the change"
        )
    if found.kept.result.benchmark == candidate.result.benchmark:
        return decide(candidate.result, found.kept.result, rules.thresholds)
    if rules.gate.on_mismatch == "refuse":
        raise NoVerdictError(
            f"run {candidate.run} and the baseline {found.kept.run} were measured on different "
            "benchmarks (corpus, labels, cutoffs or rights differ); gate.on_mismatch=rescore runs "
            "the champion anew"
        )
    anew = _rescored(home, candidate, found, rules.trust, target)
    return decide(candidate.result, anew.result, rules.thresholds, State.RESCORED)


def _rescored(home: Store, candidate: Kept, found: Baseline, trust: Trust, target: Console) -> Kept:
    """Return the champion on the candidate's benchmark, measured now if it was not before."""
    plan = champion_plan(candidate, found, trust)
    known = finished(home, RESCORE, candidate.result.benchmark, plan.variant.whole)
    if known is None:
        target.print(
            f"running the champion ({found.kept.result.name}) on the candidate's benchmark"
        )
        known = measure_and_keep(plan, home, target)[1]
    return fetch(home, known)


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
    return mine, champion_plan(candidate, found, rules.trust, mine.stages)
