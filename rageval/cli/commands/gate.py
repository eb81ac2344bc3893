"""`gate`: hold runs against the registry's champion and the committed thresholds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from omegaconf import DictConfig
from rich.console import Console

from rageval.cli.commands.candidates import all_named
from rageval.cli.commands.suggestion import require_seen, write_suggestion
from rageval.config.commands import GateCommandConfig
from rageval.config.next_command import next_command
from rageval.config.reading import read_part
from rageval.errors import InputError, NoVerdictError
from rageval.escaping.redaction import redacted
from rageval.experiment.champion import OwnRunError
from rageval.experiment.gating import Judgement, judge
from rageval.experiment.rules import Rules
from rageval.experiment.verdicts import files_of, keep_verdict
from rageval.experiment.workflow import require_tracking
from rageval.gate.verdict import Outcome
from rageval.report import console
from rageval.report.answer import answer
from rageval.report.comparison import as_json
from rageval.tracking.reading import fetch, newest
from rageval.tracking.settings import TrackingConfig
from rageval.tracking.store import Store

_FAILED, _UNDECIDED = 1, 3


def run(composed: DictConfig) -> int:
    """Judge the candidates; return 0 if all pass, 1 if any fails, 3 if any is inconclusive."""
    config = read_part(composed, GateCommandConfig)
    if config.suggest:
        require_seen(Path(config.suggest_to))
    target = console.console()
    store = require_tracking(_of_first_set(config), target)
    rules = Rules(config.gate, config.registry, config.threshold, config.secrets)
    found, refused, runs = [], [], []
    for candidate in candidates(store, config):
        try:
            runs.append(candidate())
            found.append(judge(store, runs[-1], rules, target))
        except NoVerdictError as fault:
            # The floors of the champion itself need no comparison.
            if not (config.suggest and isinstance(fault, OwnRunError)):
                refused.append(str(fault))
    code = show(store, found, rules, target) if found else 0
    if refused:
        raise NoVerdictError("\n".join(refused))
    if config.suggest:
        write_suggestion(config, [fetch(store, run).result for run in runs], target)
    return code


def _of_first_set(config: GateCommandConfig) -> TrackingConfig:
    """Return the tracking settings; where sets are named, the experiment is that of the first."""
    sets, tracking = config.gate.sets, config.tracking
    if not sets or tracking.experiment != config.dataset.name:
        return tracking
    return tracking.model_copy(update={"experiment": sets[0]})


def candidates(store: Store, config: GateCommandConfig) -> list[Callable[[], str]]:
    """Return what finds each candidate: the runs that are named, or the newest one of each set."""
    gate = config.gate
    if gate.run is not None:
        return [partial(str, run) for run in all_named(store, config, gate.run)]
    sets = (config.dataset.name,) if gate.sets is None else gate.sets
    twice = [name for name in dict.fromkeys(sets) if sets.count(name) > 1]
    if not sets or twice:
        fault = f"{twice[0]!r} is named twice" if twice else "[] names no set"
        raise InputError(f"gate.sets: {fault}; give each set once, or null for that of the dataset")
    return [partial(_newest, store, config, name) for name in sets]


def _newest(store: Store, config: GateCommandConfig, dataset: str) -> str:
    """Return the newest run of a set: in the set's experiment, or in one that all sets share."""
    shared = config.tracking.experiment != config.dataset.name
    return newest(store if shared else store.of(dataset), dataset)


def show(store: Store, found: list[Judgement], rules: Rules, target: Console) -> int:
    """Print every verdict, keep it with its candidate, and return the exit code."""
    for judgement in found:
        console.show_verdict(target, judgement.verdict)
        keep_verdict(store, judgement.candidate.run, judgement.verdict)
        target.print()
    if rules.gate.output is not None:
        _write(Path(rules.gate.output), found)
    verdicts = [judgement.verdict for judgement in found]
    outcomes = "\n".join(verdict.outcome.value for verdict in verdicts)
    answer(outcomes, verdicts=[as_json(verdict) for verdict in verdicts])
    passed = all(verdict.passed for verdict in verdicts)
    console.say(target, f"next: {_next(found, passed, rules.gate.baseline is not None)}")
    if passed or rules.gate.report_only:
        return 0
    return _FAILED if any(v.outcome is Outcome.FAILED for v in verdicts) else _UNDECIDED


def _next(found: list[Judgement], passed: bool, from_file: bool) -> str:
    """Return what to type after a verdict: of several, about the first that decides.

    With a baseline `from_file`, a passed run takes its place by another file.
    """
    decisive = next((j for j in found if j.verdict.passed == passed), found[0])
    run, dataset = decisive.candidate.run, decisive.candidate.result.dataset
    if passed and from_file:
        report = next_command("report", f"run={run}", "format=baseline", dataset=dataset)
        return f"{report}   to make it the baseline"
    if passed:
        promote = next_command("promote", f"run={run}", dataset=dataset)
        return f"{promote}   to make it the champion"
    report = next_command("report", f"run={run}", dataset=dataset)
    return f"{report}   to look at the questions that were lost"


def _write(folder: Path, found: list[Judgement]) -> None:
    """Write the verdicts as files; those of several sets go into a folder each."""
    for judgement in found:
        inside = folder / judgement.candidate.result.dataset if len(found) > 1 else folder
        try:
            inside.mkdir(parents=True, exist_ok=True)
            for name, content in files_of(judgement.verdict).items():
                (inside / name).write_text(redacted(content), encoding="utf-8")
        except OSError as fault:
            raise InputError(f"gate.output: {inside} cannot be written: {fault}") from fault
