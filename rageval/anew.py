"""Running again what a run kept: a candidate on held-out questions, the champion on new ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from omegaconf import DictConfig, OmegaConf

from rageval.config.compose import needed
from rageval.config.reading import plain, read
from rageval.config.restoring import allowed, supplied
from rageval.config.settings import PipelineConfig
from rageval.errors import InputError, NoVerdictError
from rageval.plan import Plan
from rageval.registry.baseline import Baseline
from rageval.stages.store import Stages
from rageval.tracking.reading import RESCORE, SINGLE, Kept

_RETRIEVAL = ("chunking", "analyser", "encoder", "retriever", "rewriting", "window")


@dataclass(frozen=True)
class Trust:
    """What a configuration that comes back from the store may do, and what it is not kept with."""

    allow: tuple[str, ...]  # what its classes may begin with
    secrets: Mapping[str, Any] = field(default_factory=dict)

    def restored(self, text: str) -> DictConfig:
        """Parse a configuration.

        Raises
        ------
        InputError
            If it is none of ours, builds a class that is not allowed, or needs a secret.
        """
        return supplied(allowed(text, self.allow), self.secrets)


def candidate_plan(candidate: Kept, trust: Trust) -> Plan:
    """Return how a candidate is run anew; it is the retrieval that was measured, on the same data.

    Raises
    ------
    NoVerdictError
        If it can no longer be run, or anything about it changed.
    """
    try:
        own = _ungated(trust.restored(candidate.config))
        plan = Plan.of(plain(own), lambda _: candidate.result.name, SINGLE)
    except InputError as fault:
        raise NoVerdictError(f"run {candidate.run} cannot be run anew: {fault}") from fault
    _require_same_questions(plan, candidate)
    if plan.variant.whole != candidate.result.variant:
        raise NoVerdictError(
            f"run {candidate.run} cannot be run anew: its configuration, the version of rageval or "
            "the source of its own classes is no longer the one that was measured; make a new run"
        )
    return plan


def champion_plan(
    candidate: Kept, found: Baseline, trust: Trust, stages: Stages | None = None
) -> Plan:
    """Return the champion's retrieval on the candidate's data, to be run as `rescore`.

    Raises
    ------
    NoVerdictError
        If the champion can no longer be run as it was registered.
    """
    who = f"the champion ({found.model} version {found.version})"
    try:
        composed = _grafted(trust.restored(candidate.config), trust.restored(found.kept.config))
        composed.run = {"name": f"champion anew: {found.kept.result.name}", "notes": None}
        kept = Stages if stages is None else lambda _: stages
        plan = Plan.of(plain(_ungated(composed)), lambda _: found.kept.result.name, RESCORE, kept)
    except InputError as fault:
        raise NoVerdictError(f"{who} cannot be run anew: {fault}") from fault
    _require_same_questions(plan, candidate)
    if plan.variant.sources != found.kept.tags.get("rageval.sources"):
        raise NoVerdictError(
            f"{who} cannot be run anew: the source of its own classes is no longer the one that "
            "was registered"
        )
    return plan


def _grafted(now: DictConfig, champion: DictConfig) -> DictConfig:
    """Return a candidate's configuration with the champion's retrieval in it.

    Everything else is the candidate's: it was written by the version that reads it, and a champion
    may be older than a key. The champion's depth stays, whatever cutoffs are measured now.
    """
    depth = read(needed(champion), PipelineConfig).settled_window.depth
    for key in _RETRIEVAL:
        now[key] = champion[key]
    now.window.depth = depth
    now.secrets = OmegaConf.merge(now.get("secrets") or {}, champion.get("secrets") or {})
    return now


def _require_same_questions(plan: Plan, candidate: Kept) -> None:
    if plan.benchmark != candidate.result.benchmark:
        raise NoVerdictError(
            f"the corpus or the labels are no longer those that run {candidate.run} was measured "
            "on: run the candidate anew"
        )


def _ungated(composed: DictConfig) -> DictConfig:
    """Leave out what only the command line of the kept run was about."""
    OmegaConf.update(composed, "gate.enabled", False)
    OmegaConf.update(composed, "register", False)
    return composed
