"""The gate's verdict on the cells of a sweep; none of them is registered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console

from rageval.config.reading import typed
from rageval.config.settings import EvaluationConfig
from rageval.errors import InputError, NoVerdictError
from rageval.experiment.champion import OwnRunError
from rageval.experiment.gating import judge
from rageval.experiment.rules import Rules
from rageval.gate.verdict import Outcome, State, Verdict
from rageval.sweep.composing import Cell, Composer, Job
from rageval.sweep.result import CellResult
from rageval.tracking.store import Store

_CODES = {Outcome.PASSED: 0, Outcome.FAILED: 1, Outcome.INCONCLUSIVE: 3}


def judged(ended: CellResult, cell: Cell, store: Store, target: Console) -> CellResult:
    """Return a cell with its verdict against the champion, if it asks for one.

    The tables of both runs are compared, so nothing is retrieved, unless the champion must be run
    again on the cells' benchmark: once for all of them.
    """
    if not cell.tree.whole["gate"]["enabled"] or not ended.whole or not ended.run:
        return ended
    rules = Rules.of(typed(cell.tree.whole, EvaluationConfig))
    try:
        verdict = judge(store, ended.run, rules, target).verdict
    except OwnRunError:
        return replace(ended, verdict="is the champion's own run")
    except (InputError, NoVerdictError) as fault:
        return replace(ended, verdict=f"gave no verdict: {fault}", verdict_code=fault.exit_code)
    code = 0 if verdict.passed or rules.gate.report_only else _CODES[verdict.outcome]
    return replace(ended, verdict=_words(verdict), verdict_code=code)


def _words(verdict: Verdict) -> str:
    """Return the outcome, and the limits that were not kept."""
    if verdict.state is State.BASELINE and verdict.passed:
        return "passed without a champion"
    failed = [f"{one.subset} {one.measure or one.rule.value}" for one in verdict.failures]
    return verdict.outcome.value + (f": {', '.join(failed)}" if failed else "")


def refuse_verdicts(composer: Composer, jobs: Sequence[Job]) -> None:
    """Refuse cells that are to be registered, or gated without a store, before any is run.

    Raises
    ------
    InputError
        If there is one.
    """
    known: set[tuple[str, ...]] = set()
    for job in jobs:
        kind = tuple(word for word in job.overrides if decides(composer, word))
        if job.fault or kind in known:
            continue
        try:
            whole = composer.compose(job).tree.whole
        except InputError:  # the cell fails by itself
            continue
        known.add(kind)
        if whole["register"]:
            raise InputError("register=true is for a run of its own, not for the cells of a sweep")
        if whole["gate"]["enabled"] and not whole["tracking"]["enabled"]:
            raise InputError("gate.enabled=true needs the tracking store, got tracking=off")


def decides(composer: Composer, word: str) -> bool:
    """Say whether a word or key chooses a file of conf/, or asks for a verdict itself."""
    key = re.split(r"[@=]", word.lstrip("+~"), maxsplit=1)[0]
    return composer.chooses(key) or key.startswith(("gate", "register", "tracking"))
