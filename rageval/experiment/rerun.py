"""Running again what a run kept: a candidate on held-out questions, the champion on new ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from omegaconf import DictConfig, OmegaConf

from rageval.cache.store import Cache
from rageval.config.compose import needed
from rageval.config.reading import plain, read
from rageval.config.restoring import allowed, supplied
from rageval.config.settings import PipelineConfig
from rageval.errors import InputError, NoVerdictError
from rageval.experiment.plan import Plan
from rageval.formats.trec.ids import RunDocuments
from rageval.registry.baseline import Baseline
from rageval.tracking.reading import RESCORE, SINGLE, Kept

_RETRIEVAL = ("chunking", "analyser", "encoder", "retriever", "rewriting", "window", "variant")
RUN_DOCUMENTS = f"{RunDocuments.__module__}.{RunDocuments.__qualname__}"
_NAMED = 3  # differences that one sentence lists


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
    """Return how a candidate is run again; it is the retrieval that was measured, on the same data.

    Raises
    ------
    NoVerdictError
        If it can no longer be run, or anything about it changed.
    """
    try:
        own = _ungated(trust.restored(candidate.config))
        plan = Plan.of(plain(own), lambda _: candidate.result.name, SINGLE)
    except InputError as fault:
        raise NoVerdictError(f"run {candidate.run} cannot be run again: {fault}") from fault
    _require_same_questions(plan, candidate)
    if plan.variant.whole != candidate.result.variant:
        raise NoVerdictError(
            f"run {candidate.run} cannot be reproduced: {difference(candidate, plan)}; make a new "
            "run"
        )
    return plan


def champion_plan(
    candidate: Kept, found: Baseline, trust: Trust, cache: Cache | None = None
) -> Plan:
    """Return the champion's retrieval on the candidate's data, to be run as `rescore`.

    Raises
    ------
    NoVerdictError
        If the champion can no longer be run as it was registered.
    """
    try:
        composed = _grafted(trust.restored(candidate.config), trust.restored(found.kept.config))
        plan = _rescoring(composed, found, cache)
    except InputError as fault:
        raise NoVerdictError(f"{_who(found)} cannot be run again: {fault}") from fault
    _require_same_questions(plan, candidate)
    return plan


def champion_at_home(found: Baseline, trust: Trust) -> Plan | None:
    """Return the champion on the benchmark that it was promoted on; None if that is gone.

    Raises
    ------
    NoVerdictError
        If the champion can no longer be run as it was registered.
    """
    try:
        plan = _rescoring(trust.restored(found.kept.config), found, None)
    except InputError as fault:
        raise NoVerdictError(f"{_who(found)} cannot be run again: {fault}") from fault
    return plan if plan.benchmark == found.kept.result.benchmark else None


def _rescoring(composed: DictConfig, found: Baseline, cache: Cache | None) -> Plan:
    composed.run = {"name": f"champion again: {found.kept.result.name}", "notes": None}
    cache_for = Cache if cache is None else lambda _: cache
    plan = Plan.of(plain(_ungated(composed)), lambda _: found.kept.result.name, RESCORE, cache_for)
    _require_same_retrieval(plan, found)
    return plan


def _require_same_retrieval(plan: Plan, found: Baseline) -> None:
    """Make sure that the champion is what was registered; another environment is looked at later.

    Version 0.1.0 kept no digests of the inputs, only of the files that define a user's classes.
    """
    tags, now = found.kept.tags, plan.variant
    if not found.kept.sealed:
        if now.sources != tags.get("rageval.sources"):
            raise NoVerdictError(
                f"{_who(found)} cannot be run again: the source of its own classes is no longer "
                "the one that was registered"
            )
    elif now.inputs != tags.get("rageval.inputs") or _versions(now.facts) != _versions(
        found.kept.facts["variant"]
    ):
        raise NoVerdictError(f"{_who(found)} cannot be run again: {difference(found.kept, plan)}")


def _versions(variant: Mapping[str, Any]) -> Mapping[str, int]:
    versions: Mapping[str, int] = variant["configuration"]["versions"]
    return versions


def _who(found: Baseline) -> str:
    return f"the champion ({found.model} version {found.version})"


def difference(kept: Kept, plan: Plan) -> str:
    """Return what is no longer as it was when a run was measured, as a clause."""
    if not kept.facts:
        return "it was measured by rageval 0.1.0, which did not keep what it rests on"
    then, now = kept.facts["variant"], plan.variant.facts
    found = [
        *(_changed("", "", then["environment"], now["environment"])),
        *(_changed("component ", "version ", _versions(then), _versions(now))),
        *_changed_inputs(then["inputs"], now["inputs"]),
    ]
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return "; ".join(found[:_NAMED]) + more or "its configuration is no longer the one measured"


def _changed(
    what: str, unit: str, then: Mapping[str, Any], now: Mapping[str, Any]
) -> Iterator[str]:
    for name in sorted({*then, *now}):
        if then.get(name) != now.get(name):
            was, is_now = (found.get(name) or "not there" for found in (then, now))
            yield f"{what}{name} was {unit}{was} when it was measured and is {is_now} now"


def _changed_inputs(then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*then, *now}):
        if then.get(name) != now.get(name):
            yield f"{name.removeprefix('module:')} has changed since it was measured"


def _grafted(now: DictConfig, champion: DictConfig) -> DictConfig:
    """Return a candidate's configuration with the champion's retrieval in it.

    Everything else is the candidate's: it was written by the version that reads it, and a champion
    may be older than a key. The champion's depth stays, whatever cutoffs are measured now.
    """
    depth = read(needed(champion), PipelineConfig).settled_window.depth
    for key in _RETRIEVAL:
        now[key] = champion.get(key, {"tag": None})  # older configurations have no variant
    now.window.depth = depth
    if now.dataset.corpus.get("_target_") == RUN_DOCUMENTS:
        # Documents that are known by id alone are those of the run that is scored.
        now.dataset.corpus.run = now.dataset.golden.run = now.retriever.run
    now.secrets = OmegaConf.merge(now.get("secrets") or {}, champion.get("secrets") or {})
    return now


def _require_same_questions(plan: Plan, candidate: Kept) -> None:
    if plan.benchmark != candidate.result.benchmark:
        raise NoVerdictError(
            f"the corpus or the labels are no longer those that run {candidate.run} was measured "
            "on: make a new run of the candidate"
        )


def _ungated(composed: DictConfig) -> DictConfig:
    """Leave out what only the command line of the kept run was about."""
    OmegaConf.update(composed, "gate.enabled", False)
    OmegaConf.update(composed, "register", False)
    return composed
