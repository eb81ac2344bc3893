"""`rollback`: make the version before the champion again."""

from __future__ import annotations

from datetime import UTC, datetime

from omegaconf import DictConfig

from rageval.config.commands import RollbackConfig
from rageval.config.next_command import next_command
from rageval.config.reading import read_part
from rageval.errors import NoVerdictError
from rageval.experiment.workflow import require_tracking
from rageval.registry.baseline import standing
from rageval.registry.promotion import (
    Promotion,
    former,
    history,
    move,
    settle_what_was_left,
)
from rageval.report import console
from rageval.report.answer import answer
from rageval.tracking.run import user


def run(composed: DictConfig) -> int:
    """Point the alias back at the version before, and return the exit code."""
    config = read_part(composed, RollbackConfig)
    target = console.console()
    store = require_tracking(config.tracking, target)
    registry, dataset = config.registry, config.dataset.name
    settle_what_was_left(store, registry, dataset)
    model, now = registry.name(dataset), standing(store, registry, dataset)
    past = history(store, model)
    by_hand = bool(past) and past[-1].after != now
    before = past[-1].after if by_hand else former(store, registry, dataset)
    if before is None or before == now:
        raise NoVerdictError(f"{model}: there is no version before this one to go back to")
    entry = Promotion(
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        who=user(),
        action="rollback",
        before=now,
        after=before,
        verdict="none",
        reason=config.reason or "rolled back",
        forced=False,
    )
    move(store, registry, dataset, entry)
    told = f"{model}@{registry.alias} is version {before} again"
    if by_hand:
        was = f"moved by hand to version {now}" if now else "removed by hand"
        target.print(f"{told}, the last that was promoted: the alias had been {was}")
    else:
        target.print(f"{told}, {now} is {registry.previous}")
    answer(before, model=model, alias=registry.alias, version=before, previous=now)
    report = next_command("report", f"run={registry.alias}", dataset=dataset)
    console.say(target, f"next: {report}   to look at what is the champion again")
    return 0
