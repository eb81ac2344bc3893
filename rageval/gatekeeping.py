"""From a run's id to a verdict: candidate, baseline, and the champion anew where it must be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from omegaconf import DictConfig
from rich.console import Console

from rageval.config.restoring import allowed
from rageval.errors import InputError, NoVerdictError
from rageval.gate.decision import decide
from rageval.gate.settings import GateConfig
from rageval.gate.thresholds import GateThresholds
from rageval.gate.verdict import State, Verdict
from rageval.registry.baseline import Baseline, baseline
from rageval.registry.portable import read_portable
from rageval.tracking.reading import RESCORE, SINGLE, Kept, fetch, finished
from rageval.tracking.settings import RegistryConfig
from rageval.tracking.store import Store
from rageval.workflow import Plan, measure_and_keep


@dataclass(frozen=True)
class Rules:
    """What a candidate is held against."""

    gate: GateConfig
    registry: RegistryConfig
    thresholds: GateThresholds


@dataclass(frozen=True)
class Judgement:
    """A verdict with what it is about."""

    candidate: Kept
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
    candidate = fetch(store, run)
    try:
        rules.thresholds.require_known(candidate.result.measures)
    except ValueError as fault:
        raise InputError(str(fault)) from fault
    found = _baseline(store, rules, candidate.result.dataset)
    if found is None:
        if rules.gate.require_baseline:
            name = rules.registry.name(candidate.result.dataset)
            raise NoVerdictError(
                f"there is no baseline: nothing was promoted as {name}@{rules.registry.alias} yet"
            )
        return Judgement(candidate, None, decide(candidate.result, None, rules.thresholds))
    return Judgement(candidate, found, _against(store, candidate, found, rules, target))


def _baseline(store: Store, rules: Rules, dataset: str) -> Baseline | None:
    if rules.gate.baseline is None:
        return baseline(store, rules.registry, dataset)
    found = read_portable(Path(rules.gate.baseline))
    if found.kept.result.dataset != dataset:
        raise NoVerdictError(
            f"{rules.gate.baseline} is of the set {found.kept.result.dataset!r}, the candidate of "
            f"{dataset!r}"
        )
    return found


def _against(
    store: Store, candidate: Kept, found: Baseline, rules: Rules, target: Console
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
    anew = _rescored(store, candidate, found, rules.registry, target)
    return decide(candidate.result, anew.result, rules.thresholds, State.RESCORED)


def _rescored(
    store: Store, candidate: Kept, found: Baseline, registry: RegistryConfig, target: Console
) -> Kept:
    """Return the champion on the candidate's benchmark, measured now if it was not before."""
    plan = _champion_plan(candidate, found, registry)
    if plan.benchmark() != candidate.result.benchmark:
        raise NoVerdictError(
            f"the corpus or the labels are no longer those that run {candidate.run} was measured "
            "on: run the candidate anew"
        )
    if plan.provenance().sources != found.kept.tags.get("rageval.sources"):
        raise NoVerdictError(
            f"the champion ({found.model} version {found.version}) cannot be run anew: the source "
            "of its own classes is no longer the one that was registered"
        )
    known = finished(store, RESCORE, candidate.result.benchmark, plan.provenance().whole)
    if known is None:
        target.print(
            f"running the champion ({found.kept.result.name}) on the candidate's benchmark"
        )
        known = measure_and_keep(plan, store, target)[1]
    return fetch(store, known)


def plans(judgement: Judgement, registry: RegistryConfig, split: str) -> tuple[Plan, Plan | None]:
    """Return how the candidate and the champion, if there is one, are run on a side of the split.

    Raises
    ------
    NoVerdictError
        If the configuration of either can no longer be run.
    """
    candidate, found = judgement.candidate, judgement.against
    try:
        own = _plain(allowed(candidate.config, registry.allow))
        mine = Plan.of(own, lambda _: candidate.result.name, SINGLE)
    except InputError as fault:
        raise NoVerdictError(f"run {candidate.run} cannot be run anew: {fault}") from fault
    champion = None if found is None else _champion_plan(candidate, found, registry)
    return (
        replace(mine, split=split),
        None if champion is None else replace(champion, split=split),
    )


def _champion_plan(candidate: Kept, found: Baseline, registry: RegistryConfig) -> Plan:
    """Return the champion's retrieval with the candidate's data, to be run as `rescore`."""
    try:
        champion = allowed(found.kept.config, registry.allow)
        now = allowed(candidate.config, registry.allow)
        for key in ("dataset", "measures", "judging"):
            champion[key] = now[key]
        champion.run = {"name": f"champion anew: {found.kept.result.name}", "notes": None}
        return Plan.of(_plain(champion), lambda _: found.kept.result.name, RESCORE)
    except InputError as fault:
        raise NoVerdictError(
            f"the champion ({found.model} version {found.version}) cannot be run anew: {fault}"
        ) from fault


def _plain(champion: DictConfig) -> DictConfig:
    """Leave out what only the command line of the champion's own run was about."""
    champion.gate.enabled = False
    champion.register = False
    return champion
