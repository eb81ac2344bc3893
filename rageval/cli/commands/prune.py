"""`prune`: let old runs go, or what holds questions in them; never what a champion rests on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from omegaconf import DictConfig
from rich.console import Console

from rageval.comparison.table import Table
from rageval.config.commands import PruneCommandConfig
from rageval.config.next_command import next_command
from rageval.config.reading import read_part
from rageval.errors import InputError
from rageval.experiment.workflow import require_tracking
from rageval.registry.registered import registered_runs
from rageval.report import console
from rageval.report.answer import answer
from rageval.tracking.pruning import delete, past_runs, strip
from rageval.tracking.retention import Past, due
from rageval.tracking.store import Store

_SHOWN = 20
_DOES = {"runs": "deleted", "text": "stripped of all that holds questions"}


def run(composed: DictConfig) -> int:
    """List the runs that are due or let them go, and return the exit code."""
    config = read_part(composed, PruneCommandConfig)
    target = console.console()
    if config.tracking.experiment.endswith("-holdout"):
        raise InputError(
            f"tracking.experiment: {config.tracking.experiment!r} is a ledger; it stays"
        )
    store = require_tracking(config.tracking, target)
    there, protected = past_runs(store), registered_runs(store)
    found = due(there, protected, config.prune, datetime.now(UTC))
    _list(found, target)
    if config.prune.apply:
        _apply(store, found, config)
    names = [past.run for past in found]
    answer("\n".join(names), runs=len(there), due=names, applied=config.prune.apply)
    target.print(_summary(len(there), found, config))
    _next(store, found, config, target)
    return 0


def _list(found: Sequence[Past], target: Console) -> None:
    if not found:
        return
    rows = [[f"{past.when:%Y-%m-%d %H:%M}", past.run, past.name] for past in found[:_SHOWN]]
    console.show_table(target, Table(["started (UTC)", "run", "name"], rows))
    if len(found) > _SHOWN:
        target.print(f"and {len(found) - _SHOWN} more")
    target.print()


def _apply(store: Store, found: Sequence[Past], config: PruneCommandConfig) -> None:
    act = delete if config.prune.what == "runs" else strip
    for past in found:
        act(store, past.run)


def _summary(there: int, found: Sequence[Past], config: PruneCommandConfig) -> str:
    name, rules = config.tracking.experiment, config.prune
    if rules.older_than is None and rules.keep is None:
        return f"{name}: {there} runs, none goes: set prune.older_than=DAYS, prune.keep=N or both"
    done = _DOES[rules.what]
    told = done if rules.apply else f"would be {done}"
    return (
        f"{name}: {len(found)} of {there} runs {told}; what a registered version rests on, its "
        "history and the held-out ledger stay"
    )


def _next(store: Store, found: Sequence[Past], config: PruneCommandConfig, target: Console) -> None:
    if found and not config.prune.apply:
        again = next_command("prune", "prune.apply=true", dataset=config.dataset.name)
        console.say(target, f"next: {again}")
    elif found and config.prune.what == "runs":
        uri = store.location.shown
        console.say(
            target, f"next: mlflow gc --backend-store-uri {uri}   to free the space for good"
        )
    else:
        report = next_command("report", dataset=config.dataset.name)
        console.say(target, f"next: {report}   to look at the newest run")
