"""`holdout`: score a run's retrieval on held-out questions, against a budget, with a reason."""

from __future__ import annotations

from datetime import UTC, datetime

from omegaconf import DictConfig
from rich.console import Console
from rich.text import Text

from rageval.comparison.gap import Gap
from rageval.comparison.table import Table
from rageval.config.commands import HoldoutCommandConfig
from rageval.config.next_command import next_command
from rageval.config.reading import read_part
from rageval.errors import InputError
from rageval.experiment.rerun import Trust, candidate_plan
from rageval.experiment.workflow import require_tracking
from rageval.heldout.scoring import FOLLOWED, Scored, score, size
from rageval.registry.references import run_of
from rageval.report import console
from rageval.report.answer import answer
from rageval.report.data import table_facts
from rageval.tracking.ledger import Entry, Ledger, Purpose, quarter
from rageval.tracking.reading import fetch
from rageval.tracking.store import Store

_FAILED = 1


def run(composed: DictConfig) -> int:
    """Spend one scoring, or list those that were, and return the exit code."""
    config = read_part(composed, HoldoutCommandConfig)
    if config.reason is None and not config.ledger:
        raise InputError(
            "reason: held-out questions are scored for a reason that stays in the ledger: "
            "reason='…' (ledger=true lists what was scored and scores nothing)"
        )
    target = console.console()
    store = require_tracking(config.tracking, target)
    return _list(store, config, target) if config.ledger else _score(store, config, target)


def _score(store: Store, config: HoldoutCommandConfig, target: Console) -> int:
    named = run_of(store, config.registry, config.dataset.name, config.run)
    candidate = fetch(store, named)
    dataset = candidate.result.dataset
    plan = candidate_plan(candidate, Trust(config.registry.allow, config.secrets))
    if size(plan) == 0:
        raise InputError(f"{dataset}: the set has no held-out questions")
    ledger = Ledger.of(store.at(candidate.experiment), dataset, config.holdout)
    purpose = Purpose("holdout", config.reason or "", candidate.run)
    scored = score(candidate, plan, purpose, ledger, target)
    answer(
        scored.entry,
        entry=scored.entry,
        set=dataset,
        retrieval=plan.retrieval,
        questions=scored.n,
        gaps=table_facts(_gaps(scored)),
        spent=scored.spent,
        budget=config.holdout.budget,
    )
    target.print(Text(f"{dataset}, {plan.retrieval}; held-out questions: {scored.n}", style="bold"))
    target.print()
    console.show_table(target, _gaps(scored))
    target.print()
    target.print(scored.told)
    _broken(scored, target)
    target.print(
        f"scoring {scored.spent} of {config.holdout.budget} in {quarter(datetime.now(UTC))}; entry "
        f"{scored.entry} in experiment {ledger.store.name}"
    )
    ledger_command = next_command("holdout", "ledger=true", dataset=dataset)
    console.say(target, f"next: {ledger_command}   lists them all")
    return _FAILED if scored.found.errors or scored.found.leaks else 0


def _broken(scored: Scored, target: Console) -> None:
    for number, what in (
        (scored.found.errors, "questions on which the retriever failed"),
        (scored.found.leaks, "candidates that their asker may not see"),
    ):
        if number:
            target.print(f"✗ {number} {what}, 0 are allowed")


def _gaps(scored: Scored) -> Table:
    return Table(
        ["measure", "dev", "held out", "dev − held out", "95 %"],
        [_row(name, gap) for name, gap in scored.gaps.items()],
    )


def _row(name: str, gap: Gap) -> list[object]:
    interval = f"[{gap.low:+.2f}, {gap.high:+.2f}]"
    return [name, gap.dev.value, gap.held.value, f"{gap.value:+.2f}", interval]


def _list(store: Store, config: HoldoutCommandConfig, target: Console) -> int:
    ledger = Ledger.of(store, config.dataset.name, config.holdout)
    now = datetime.now(UTC)
    entries = ledger.entries()
    answer(str(len(entries)), set=config.dataset.name, entries=table_facts(_entries(entries)))
    if entries:
        console.show_table(target, _entries(entries))
        target.print()
    spent, budget = len(ledger.spent(now)), config.holdout.budget
    target.print(
        f"{config.dataset.name}: {spent} of {budget} scorings spent in {quarter(now)}, "
        f"{max(0, budget - spent)} left"
    )
    spend = next_command("holdout", "reason=WHY", dataset=config.dataset.name)
    console.say(target, f"next: {spend}   spends one")
    return 0


def _entries(entries: list[Entry]) -> Table:
    return Table(
        ["when (UTC)", "who", "by", "retrieval", "measure", "dev", "held out", "gap", "reason"],
        [
            [
                f"{entry.when:%Y-%m-%d %H:%M}",
                entry.who,
                entry.purpose.command,
                entry.retrieval or entry.state.lower(),
                *_followed(entry),
                entry.purpose.reason,
            ]
            for entry in entries
        ],
    )


def _followed(entry: Entry) -> list[object]:
    """Return the measure whose gap is followed, with its values on both sides."""
    name = next((name for name in FOLLOWED if entry.gap(name) is not None), None)
    if name is None:
        return [None] * 4
    values = entry.values
    return [name, values.get(f"dev/{name}"), values.get(f"all/{name}"), f"{entry.gap(name):+.2f}"]
