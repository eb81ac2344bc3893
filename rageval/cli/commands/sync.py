"""`sync`: deliver the results that were kept on disk while the store did not take them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig
from rich.console import Console
from rich.text import Text

from rageval.config.commands import SyncConfig
from rageval.config.next_command import next_command
from rageval.config.reading import read_part
from rageval.errors import InputError
from rageval.report import console
from rageval.report.answer import answer
from rageval.tracking.delivery import deliver
from rageval.tracking.faults import TrackingError
from rageval.tracking.outbox import Waiting, address_of, alone, folders, remove, sweep_up, waiting
from rageval.tracking.store import Store, locate, open_store

_LEFT = 4  # exit code where something could not be delivered


@dataclass
class _Tally:
    delivered: int = 0
    left: int = 0


def run(composed: DictConfig) -> int:
    """Deliver what waits, and return the exit code."""
    config = read_part(composed, SyncConfig)
    if not config.tracking.enabled:
        raise InputError("tracking=off: this command delivers to the tracking store")
    target = console.console()
    outbox = Path(config.tracking.root).resolve() / "outbox"
    if not folders(outbox):
        answer("0", delivered=0, left=0)
        target.print(f"nothing waits in {_shown(outbox)}")
        return 0
    where, tally = locate(config.tracking, os.environ), _Tally()
    with alone(outbox):
        sweep_up(outbox)
        store = None
        for found in _meant(waiting(outbox), address_of(where), tally, target):
            store = store or open_store(where, config.tracking.experiment)
            _deliver(store, found, tally, target)
    _conclude(outbox, tally, target)
    return _LEFT if tally.left else 0


def _meant(
    found: Iterator[Waiting], address: str, tally: _Tally, target: Console
) -> Iterator[Waiting]:
    """Yield what this store is to have; the rest is named with the reason."""
    for each in found:
        if each.entry is None:
            _leave(each, each.fault, tally, target)
        elif each.entry.store != address:
            why = f"is for the store {each.entry.store}: name that by tracking.uri"
            _leave(each, why, tally, target)
        else:
            yield each


def _deliver(store: Store, found: Waiting, tally: _Tally, target: Console) -> None:
    """Deliver one result; one that is refused does not keep the others from being delivered.

    Raises
    ------
    TrackingError
        If the store does not answer.
    """
    entry = found.entry
    if entry is None:
        return
    try:
        run_id = deliver(store, entry)
    except TrackingError as fault:
        if not fault.refused:
            raise
        _leave(found, str(fault), tally, target)
        return
    remove(found)
    tally.delivered += 1
    target.print(Text(f"delivered run {run_id} ({entry.name}) to experiment {entry.experiment}"))


def _leave(found: Waiting, why: str, tally: _Tally, target: Console) -> None:
    tally.left += 1
    target.print(Text(f"✗ {_shown(found.folder)} {why}"), soft_wrap=True)


def _conclude(outbox: Path, tally: _Tally, target: Console) -> None:
    answer(str(tally.delivered), delivered=tally.delivered, left=tally.left)
    results = "1 result" if tally.delivered == 1 else f"{tally.delivered} results"
    told = f"{results} delivered"
    if tally.left:
        target.print(f"{told}, {tally.left} left in {_shown(outbox)}; delete what is not wanted")
        console.say(target, f"next: {next_command('sync')}   once the store takes them")
        return
    target.print(told)
    console.say(target, f"next: {next_command('report')}   to look at the newest run")


def _shown(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
