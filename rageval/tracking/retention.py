"""Which runs are old enough to go, and which never go."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from rageval.schema.fields import Days, Flag, Natural, Record


class PruneConfig(Record):
    """What goes; with neither an age nor a number nothing does."""

    older_than: Days | None
    keep: Natural | None  # so many of the newest runs stay, whatever their age
    what: Literal["runs", "text"]  # whole runs, or all that holds questions while values stay
    apply: Flag  # false: only list them


@dataclass(frozen=True, slots=True)
class Past:
    """A run of ours, as far as its age matters."""

    run: str  # id
    parent: str  # id of the sweep that it is a cell of; "" = of none
    name: str
    when: datetime  # of its start, UTC
    running: bool
    stripped: bool  # what holds questions is gone already


def due(
    runs: Sequence[Past], protected: Collection[str], config: PruneConfig, now: datetime
) -> list[Past]:
    """Return the runs that go, the oldest first; a sweep goes with its cells or not at all.

    Where both an age and a number are given, a run goes if it is older than the one and not among
    the other. `protected` are ids that never go, a registered version's run for instance; neither
    does what is still running, nor the sweep of either. A cell counts with its sweep.

    Examples
    --------
    >>> from datetime import UTC
    >>> now = datetime(2026, 11, 30, tzinfo=UTC)
    >>> runs = [Past(f"r{days}", "", "", now - timedelta(days=days), False, False)
    ...         for days in (1, 40, 50, 60)]
    >>> rules = PruneConfig(older_than=45, keep=3, what="runs", apply=False)
    >>> [past.run for past in due(runs, {"r50"}, rules, now)]
    ['r60']
    """
    if config.older_than is None and config.keep is None:
        return []
    whole = sorted((p for p in runs if not p.parent), key=lambda p: (p.when, p.run), reverse=True)
    newest = {past.run for past in whole[: config.keep or 0]}
    cells: dict[str, list[Past]] = {}
    for past in runs:
        cells.setdefault(past.parent, []).append(past)
    found: list[Past] = []
    for past in reversed(whole):
        together = [past, *cells.get(past.run, ())]
        if past.run in newest or _young(past, config, now):
            continue
        if any(one.run in protected or one.running for one in together):
            continue
        found += together
    return [past for past in found if config.what == "runs" or not past.stripped]


def _young(past: Past, config: PruneConfig, now: datetime) -> bool:
    return config.older_than is not None and now - past.when <= timedelta(days=config.older_than)
