"""`promote`: register a run, gate it, check it on held-out questions, make it the champion."""

from __future__ import annotations

from datetime import UTC, datetime

from omegaconf import DictConfig
from rich.console import Console
from rich.text import Text

from rageval.cli.commands.candidates import (
    BEST,
    all_named,
    as_cell,
    best_cell,
    measured_alone,
    named,
)
from rageval.config.commands import PromoteConfig
from rageval.config.next_command import next_command
from rageval.config.reading import read_part
from rageval.errors import InputError, NoVerdictError
from rageval.experiment.gating import Judgement, judge, plans, unopposed
from rageval.experiment.plan import Plan
from rageval.experiment.rules import Rules
from rageval.experiment.verdicts import keep_verdict
from rageval.experiment.workflow import require_tracking, seen_held_out
from rageval.gate.verdict import Outcome, State, Verdict
from rageval.heldout.scoring import Scored, judge_held_out, score, size
from rageval.registry.baseline import promoted_as, standing
from rageval.registry.promotion import Claim, Promotion, claimed
from rageval.registry.version import register, version_of
from rageval.report import console
from rageval.report.answer import answer
from rageval.tracking.ledger import Ledger, Purpose
from rageval.tracking.reading import PROMOTED, last_judged, newest
from rageval.tracking.run import mark, user
from rageval.tracking.store import Store

_FAILED = 1


def run(composed: DictConfig) -> int:
    """Promote one run and return the exit code."""
    config = read_part(composed, PromoteConfig)
    if config.force and config.reason is None:
        raise InputError("force=true needs a reason that stays in the history: reason='…'")
    if config.gate.baseline is not None:
        raise InputError("gate.baseline: a promotion is held against the registry, not a file")
    if config.gate.report_only:
        raise InputError("gate.report_only: a promotion rests on the gate; use it with gate alone")
    target = console.console()
    store = require_tracking(config.tracking, target)
    rules = Rules(config.gate, config.registry, config.threshold, config.secrets)
    candidate = _candidate(store, config, rules, target)
    try:
        judgement = judge(store, candidate, rules, target)
    except NoVerdictError as fault:
        if not config.force:
            raise
        target.print(Text(f"forced: {fault}"))
        judgement = unopposed(store, candidate, rules)
    return _promote(store, judgement, rules, config, target)


def _candidate(store: Store, config: PromoteConfig, rules: Rules, target: Console) -> str:
    """Return the run to promote; a cell of a sweep is measured in a run of its own first.

    Raises
    ------
    InputError
        If what is named may not be promoted, or is named twice.
    NoVerdictError
        If nothing is named and no gate has judged a run of the set yet.
    """
    if config.run is not None and config.gate.run is not None:
        raise InputError("run and gate.run both name what to promote; give one of them")
    if config.gate.run is not None:
        runs = all_named(store, config, config.gate.run)
        if len(runs) > 1:
            raise InputError("gate.run: one run is promoted at a time")
        return runs[0]
    if config.run is None:
        return _last_judged(store, config.dataset.name, target)
    best = config.run == BEST
    cell = best_cell(store, config.dataset.name) if best else as_cell(store, config.run)
    if cell is not None:
        return measured_alone(store, cell, rules, target)
    return named(store, config, config.run, "run")


def _last_judged(store: Store, dataset: str, target: Console) -> str:
    judged = last_judged(store, dataset)
    if judged is None:
        gate = next_command("gate", dataset=dataset)
        raise NoVerdictError(f"no run of the set {dataset} was gated yet; gate one first: {gate}")
    if (last := newest(store, dataset)) != judged:
        target.print(f"note: run {last} is newer than run {judged}, which the last gate judged")
    return judged


def _promote(
    store: Store, judgement: Judgement, rules: Rules, config: PromoteConfig, target: Console
) -> int:
    candidate, verdict = judgement.candidate, judgement.verdict
    console.show_verdict(target, verdict)
    keep_verdict(store, candidate.run, verdict)
    if verdict.outcome is Outcome.INCONCLUSIVE and not verdict.passed and not config.force:
        raise NoVerdictError(
            "not promoted: the gate is inconclusive, and gate.on_inconclusive=fail demands more"
        )
    if not verdict.passed and not config.force:
        return _refused(judgement, target)
    before = _champion(store, judgement, config)
    mine, champion = plans(judgement, rules)
    unseen = _unseen(store, mine, config, target)
    # Nothing is spent before the right to promote is won.
    with claimed(store, config.registry, candidate.result.dataset) as claim:
        claim.require_unmoved(before)
        passed = _held_out(judgement, mine, champion, config, target)
        passed = passed and unseen and verdict.passed
        if not passed and not config.force:
            return _refused(judgement, target)
        _move(claim, judgement, config, before, passed, target)
    return 0


def _refused(judgement: Judgement, target: Console) -> int:
    candidate = judgement.candidate
    target.print("not promoted: the alias stays where it is")
    report = next_command("report", f"run={candidate.run}", dataset=candidate.result.dataset)
    console.say(target, f"next: {report}   to look at the questions that were lost")
    return _FAILED


def _champion(store: Store, judgement: Judgement, config: PromoteConfig) -> str | None:
    """Return the version that is to be replaced, which must not be the candidate's own."""
    dataset = judgement.candidate.result.dataset
    before = None if judgement.against is None else judgement.against.version
    if judgement.verdict.state is State.UNKNOWN:
        before = standing(store, config.registry, dataset)
    if before is not None and version_of(store, config.registry, judgement.candidate) == before:
        model = config.registry.name(dataset)
        raise NoVerdictError(f"version {before} is {model}@{config.registry.alias} already")
    return before


def _unseen(store: Store, mine: Plan, config: PromoteConfig, target: Console) -> bool:
    """Say whether a candidate's dev questions are held out nowhere, as far as is known.

    Raises
    ------
    NoVerdictError
        If some are and the promotion is not forced.
    """
    seen = seen_held_out(mine.dataset, store)
    if not seen:
        return True
    where = ", ".join(f"{n} are held out in the set {name}" for name, n in seen.items())
    told = (
        f"of the {len(mine.dataset.dev.golden)} dev questions of this run {where}: it was tuned on "
        "what is held out; take them out of the set, or split it by the lock of that set"
    )
    if not config.force:
        raise NoVerdictError(told)
    target.print(Text(f"forced: {told}"))
    return False


def _held_out(
    judgement: Judgement, mine: Plan, champion: Plan | None, config: PromoteConfig, target: Console
) -> bool:
    """Say whether nothing on the held-out side speaks against a candidate; that spends a scoring.

    Raises
    ------
    NoVerdictError
        If the budget is spent and the promotion is not forced.
    """
    candidate = judgement.candidate
    if size(mine) == 0:
        target.print("held-out check: the set has no held-out questions")
        return True
    ledger = Ledger.of(judgement.home, candidate.result.dataset, config.holdout)
    purpose = Purpose("promote", config.reason or "a promotion", candidate.run)
    try:
        scored = score(candidate, mine, purpose, ledger, target)
    except NoVerdictError as fault:
        if not config.force:
            raise
        target.print(Text(f"forced: {fault}"))
        return False
    held = judge_held_out(scored, champion, config.threshold, target)
    _show_held(target, scored, held)
    return held.passed


def _move(
    claim: Claim,
    judgement: Judgement,
    config: PromoteConfig,
    before: str | None,
    passed: bool,
    target: Console,
) -> None:
    verdict = judgement.verdict
    word = "passed" if passed else "none" if verdict.state is State.UNKNOWN else "failed"
    version = register(claim.store, judgement.candidate, config.registry, word)
    claim.move(
        Promotion(
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            who=user(),
            action="promote",
            before=before,
            after=version,
            verdict=word,
            reason=config.reason or "the gate and the held-out check passed",
            forced=not passed,
        )
    )
    model = config.registry.name(claim.dataset)
    was = f", version {before} is {config.registry.previous}" if before else ""
    forced = " (forced)" if not passed else ""
    target.print(f"{model}@{config.registry.alias} is version {version}{forced}{was}")
    answer(version, model=model, alias=config.registry.alias, version=version, previous=before)
    promoted = promoted_as(judgement.candidate.tags, model, version)
    mark(claim.store, judgement.candidate.run, PROMOTED, promoted)
    report = next_command("report", f"run={config.registry.alias}", dataset=claim.dataset)
    console.say(target, f"next: {report}   to look at what is now the champion")


def _show_held(target: Console, scored: Scored, held: Verdict) -> None:
    word = "passed" if held.passed else "FAILED"
    target.print()
    target.print(f"held-out check {word} on {scored.n} questions, overall values alone")
    for failed in held.failures:
        target.print(Text(f"✗ {failed.subset} {failed.measure}: {failed.sentence}"))
    target.print(scored.told)
