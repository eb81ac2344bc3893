"""`rollback`: make the version before the champion again."""

from __future__ import annotations

from datetime import UTC, datetime

from omegaconf import DictConfig
from rich.text import Text

from rageval.config.next_command import next_command
from rageval.config.reading import read_part
from rageval.config.verbs import RollbackConfig
from rageval.errors import NoVerdictError
from rageval.registry.baseline import aliased
from rageval.registry.promotion import Promotion, former, move, settle_what_was_left
from rageval.report import console
from rageval.tracking.run import user
from rageval.workflow import require_tracking


def run(composed: DictConfig) -> int:
    """Point the alias back at the version before, and return the exit code."""
    config = read_part(composed, RollbackConfig)
    target = console.console()
    store = require_tracking(config.tracking, target)
    registry, dataset = config.registry, config.dataset.name
    settle_what_was_left(store, registry, dataset)
    champion = aliased(store, registry, dataset)
    now = None if champion is None else str(champion.version)
    before = former(store, registry, dataset)
    model = registry.name(dataset)
    if now is None or before is None or before == now:
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
    target.print(
        f"{model}@{registry.alias} is version {before} again, {now} is {registry.previous}"
    )
    report = next_command("report", f"run={registry.alias}", dataset=dataset)
    target.print(Text(f"next: {report}   to look at what is the champion again"))
    return 0
