"""`power`: what the gate of a set can see, simulated."""

from __future__ import annotations

from dataclasses import asdict

from omegaconf import DictConfig, OmegaConf
from rich.console import Console
from rich.text import Text

from rageval.comparison.result import Result
from rageval.comparison.table import Table
from rageval.config.commands import PowerConfig, PowerOfSetConfig
from rageval.config.loading import load
from rageval.config.next_command import next_command
from rageval.config.reading import read, read_part
from rageval.errors import InputError, NoVerdictError
from rageval.experiment.assumed import assumed
from rageval.experiment.workflow import require_tracking
from rageval.gate.power import Power, Simulation, estimated_churn, power
from rageval.gate.thresholds import GateThresholds
from rageval.registry.references import run_of
from rageval.report import console
from rageval.report.answer import answer
from rageval.statistics.churn import LOST
from rageval.tracking.reading import fetch, newest_runs
from rageval.tracking.store import Store

_CHAMPION, _LATEST = "champion", "latest"


def run(composed: DictConfig) -> int:
    """Simulate the gate of a set and return the exit code."""
    target = console.console()
    if OmegaConf.select(composed, "found") is not None:
        known = read(composed, PowerOfSetConfig)
        result = assumed(load(known.dataset), float(known.found), known.seed)
        churn, told = (known.churn, "given") if known.churn is not None else (LOST, "assumed")
        how = Simulation(churn, known.draws, known.seed)
        return _show(target, result, known.threshold, how, told)
    config = read_part(composed, PowerConfig)
    store = require_tracking(config.tracking, target)
    result = _result(store, config)
    churn, told = _churn(store, config)
    how = Simulation(churn, config.draws, config.seed)
    return _show(target, result, config.threshold, how, told)


def _result(store: Store, config: PowerConfig) -> Result:
    """Return the results that changes begin from; without a champion those of the newest run."""
    try:
        run = run_of(store, config.registry, config.dataset.name, config.run)
    except NoVerdictError:
        if config.run != _CHAMPION:
            raise
        run = run_of(store, config.registry, config.dataset.name, _LATEST)
    return fetch(store, run).result


def _churn(store: Store, config: PowerConfig) -> tuple[float, str]:
    """Return the churn, and where it comes from in words."""
    if config.churn is not None:
        return config.churn, "given"
    results = []
    for run in newest_runs(store, config.dataset.name, config.runs):
        try:
            results.append(fetch(store, run).result)
        except NoVerdictError:  # a run that cannot be read says nothing
            continue
    found = estimated_churn(results)
    if found is None:
        return (
            LOST,
            "assumed: no two runs of different retrievals to estimate it from",
        )
    share, pairs = found
    return share, f"the median of {pairs} pair{'s' if pairs > 1 else ''} of runs in the store"


def _show(
    target: Console, result: Result, thresholds: GateThresholds, how: Simulation, told: str
) -> int:
    absent = thresholds.not_in(result.subsets, result.measures)
    if absent:
        raise InputError.of(f"{limit.path}: {limit.why}" for limit in absent)
    found = power(result, thresholds, how)
    target.print(Text(f"{result.dataset} · {result.name}", style="bold"))
    target.print(
        f"{found.questions} questions in {found.groups} groups; {how.draws:,} simulated changes; "
        f"churn {100 * found.churn:.1f} % of the found questions ({told})"
    )
    target.print()
    console.show_table(target, _table(found))
    target.print()
    for line in _lines(found):
        target.print(Text(line), soft_wrap=True)
    answer(f"{found.alarms:.3f}", **_facts(found, told))
    console.say(target, f"next: {next_command('gate', dataset=result.dataset)}")
    return 0


def _table(found: Power) -> Table:
    rows = [
        [
            limit.path,
            limit.n,
            f"{100 * limit.alarms:.1f} %",
            "never" if limit.seen is None else f"{limit.seen} ({limit.seen / limit.n:.3f})",
        ]
        for limit in found.limits
    ]
    return Table(["limit", "n", "harmless changes that fail", "lost questions seen in 80 %"], rows)


def _lines(found: Power) -> list[str]:
    lines = [
        f"a harmless change fails the whole gate in {100 * found.alarms:.1f} % of the cases, its "
        f"limits of max_drop in {100 * found.drops:.1f} %",
        f"of 20 harmless candidates at least one is refused in {100 * found.any_of(20):.0f} %",
    ]
    if found.noise:
        named = ", ".join(f"{limit.path} ({100 * limit.alarms:.0f} %)" for limit in found.noise)
        lines.append(f"⚠ limits that fail more than one harmless change in ten: {named}")
    blind = [limit.path for limit in found.limits if limit.seen is None]
    if blind:
        lines.append(f"⚠ limits that no loss fails in 80 % of the cases: {', '.join(blind)}")
    return lines


def _facts(found: Power, told: str) -> dict[str, object]:
    return {
        "questions": found.questions,
        "groups": found.groups,
        "churn": found.churn,
        "churn_from": told,
        "false_alarms": found.alarms,
        "false_alarms_of_drops": found.drops,
        "false_alarms_of_20": found.any_of(20),
        "limits": [asdict(limit) for limit in found.limits],
    }
